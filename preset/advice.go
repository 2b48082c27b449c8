// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"context"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/command"
	"github.com/toolvet/toolvet/checks/cron"
	"github.com/toolvet/toolvet/checks/email"
	"github.com/toolvet/toolvet/checks/glob"
	"github.com/toolvet/toolvet/checks/pathstate"
	"github.com/toolvet/toolvet/checks/regex"
	"github.com/toolvet/toolvet/checks/sql"
)

// Checks are those that presets need beside the default ones. Without a preset they have
// nothing to look at. The slice is the caller's own.
func Checks() []*check.Check {
	return []*check.Check{
		plainCheck, nulCheck,
		pathAdvice, commandAdvice, sqlAdvice, cronAdvice, emailAdvice, globAdvice, regexAdvice,
	}
}

// The advice of a check is what it finds, as warnings: a guess alone should not refuse
// what people legitimately do.
var (
	pathAdvice    = advice(pathstate.Check)
	commandAdvice = advice(command.Check)
	sqlAdvice     = advice(sql.Check)
	cronAdvice    = advice(cron.Check)
	emailAdvice   = advice(email.Check)
	globAdvice    = advice(glob.Check)
	regexAdvice   = advice(regex.Check)
)

// advice makes a check that only warns, with a rule of its own that no policy file can
// demand.
func advice(of *check.Check) *check.Check {
	name := of.Name + "-advice"
	return &check.Check{
		Name: name,
		Doc: "# " + name + "\n\nWhat the check " + of.Name + " finds in arguments that a preset takes for its kind, as a warning.\n\n" +
			"A guess should not refuse what people legitimately do. A policy that demands the rule " + of.Rule.Name + " of the argument turns it into an error.\n",
		Stage: of.Stage, Level: of.Level, Severity: check.Warning, Bounded: of.Bounded,
		Rule: &check.Rule{Name: name, Options: of.Rule.Options, Lists: of.Rule.Lists},
		Run:  of.Run,
	}
}

// plainOptions are the options of plainRule and nulRule: none.
type plainOptions struct{}

func newPlainOptions() any { return new(plainOptions) }

// plainRule is demanded of arguments that hold the name of one thing, a path or a URL.
var plainRule = &check.Rule{Name: "substitution", Options: newPlainOptions}

var plainCheck = &check.Check{
	Name: "substitution",
	Doc: "# substitution\n\nAn argument that is no command line holds no NUL and nothing that a shell would run: $(…) or a text between backticks.\n\n" +
		"Presets look for it in names, paths and URLs, where it is an attack or a mistake: servers put such values into commands. Free texts, queries and code are not looked at.\n",
	Stage: check.Semantic, Level: check.SecurityLevel, Rule: plainRule, Bounded: true,
	Run: func(_ context.Context, pass *check.Pass) error {
		for _, t := range pass.Targets {
			s, ok := t.Value.(string) // another type is the schema's matter
			switch {
			case !ok:
			case strings.ContainsRune(s, 0):
				reportNUL(pass, t)
			case substitutes(s):
				pass.Report(check.Finding{Pointer: t.Pointer, Message: "must not hold $(…) or a text between backticks: a shell would run it",
					Suggestion: "give the value itself; where the characters are meant, a policy must speak of the argument"})
			}
		}
		return nil
	},
}

// nulRule is demanded of arguments that may hold anything else.
var nulRule = &check.Rule{Name: "nul", Options: newPlainOptions}

var nulCheck = &check.Check{
	Name:  "nul",
	Doc:   "# nul\n\nAn argument that programs, databases or patterns read holds no NUL, where many of them stop reading.\n",
	Stage: check.Semantic, Level: check.SecurityLevel, Rule: nulRule, Bounded: true,
	Run: func(_ context.Context, pass *check.Pass) error {
		for _, t := range pass.Targets {
			if s, ok := t.Value.(string); ok && strings.ContainsRune(s, 0) {
				reportNUL(pass, t)
			}
		}
		return nil
	},
}

func reportNUL(pass *check.Pass, t check.Target) {
	pass.Report(check.Finding{Pointer: t.Pointer, Message: "must not hold a NUL character: some programs stop reading there", Suggestion: "leave it out"})
}

// substitutes reports whether a shell that reads s would run a part of it.
func substitutes(s string) bool {
	if strings.Count(s, "`") > 1 {
		return true
	}
	_, rest, found := strings.Cut(s, "$(")
	return found && strings.Contains(rest, ")")
}
