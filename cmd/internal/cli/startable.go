// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/hook/install"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
)

// bareVariable matches a word that begins with a variable as a shell writes it. A policy replaces ${NAME} alone.
var bareVariable = lazyregexp.New(`^\$[A-Za-z_][A-Za-z0-9_]*(?:/|$)`)

// cannotStart says why the command of a server cannot start, as far as that shows without starting it; "" if nothing does. Wrong
// reports a fault of the policy, not of this machine.
func cannotStart(s *policy.Server) (why string, wrong bool) {
	if len(s.Command) == 0 {
		return "", false
	}
	program := s.Command[0]
	if strings.Contains(program, " ") {
		if _, err := install.LookPath(program); err != nil {
			return "command is one word with blanks: write a list, [" + strings.Join(strings.Fields(program), ", ") + "]", true
		}
	}
	for _, word := range s.Command {
		if bareVariable.MatchString(word) {
			return "command has " + oneLine(word, 64) + ", which nobody replaces: write ${NAME} for a variable, and $$ for a dollar sign", true
		}
	}
	if info, err := os.Stat(s.Dir); s.Dir != "" && (err != nil || !info.IsDir()) {
		return "there is no directory " + oneLine(s.Dir, 200) + " (dir)", false
	}
	if s.Dir != "" && strings.ContainsAny(program, `/\`) || slices.ContainsFunc(s.Env, func(v policy.Variable) bool { return v.Name == "PATH" }) {
		return "", false // found from another place than this one
	}
	if _, err := install.LookPath(program); err != nil {
		return fmt.Sprintf("its program %q is not there: install it, or give its full path", oneLine(program, 200)), false
	}
	return "", false
}

// warnStart warns of what shows at the start of a gateway without starting a server: commands that cannot start, and rules and limits
// for what nobody has. A policy that cannot be read is refused elsewhere.
func (a *app) warnStart(file string) {
	p, err := policy.LoadEach(file, a.checks.Demands()...)
	if err != nil {
		return
	}
	for _, s := range p.Servers {
		if why, _ := cannotStart(s); why != "" {
			a.warn("%s: %s", s.Name, why)
		}
	}
	l := &linter{policy: p}
	for _, r := range access.RulesOf(p) {
		l.ofRule(r)
	}
	for _, bound := range p.Limits {
		l.ofLimit(bound)
	}
	for _, line := range l.lines() {
		a.warn("%s", line)
	}
}
