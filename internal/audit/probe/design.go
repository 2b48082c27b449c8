// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

var (
	// languageName matches the names of parameters for the language of the code.
	languageName = lazyregexp.New(`(?i)^(lang|language|(lang|language)_?(id|name)|runtime|interpreter)$`)
	// shellName matches the names of shells.
	shellName = lazyregexp.New(`(?i)^(shell\w*|\w*sh|powershell|cmd)$`)
)

// A language is one in which a tool may run code.
type language struct {
	name  string // as a tool without a list of them may know it
	match func(choice string) bool
	file  func(path string) string // code that makes a file
	plain string                   // harmless code
}

// languages are those of programs that a sandbox has, or may have.
var languages = []language{
	{"bash", lazyregexp.New(`(?i)^(shell\w*|bash|sh)$`).MatchString, func(path string) string { return "touch " + path }, "pwd"},
	{"python", lazyregexp.New(`(?i)^(py|python[\d.]*)$`).MatchString, func(path string) string { return "open(" + strconv.Quote(path) + `, "w").close()` }, "print(1)"},
	{"javascript", lazyregexp.New(`(?i)^(js|javascript|node|nodejs)$`).MatchString, func(path string) string {
		return `require("fs").writeFileSync(` + strconv.Quote(path) + `, "")`
	}, "console.log(1)"},
}

// languagesOf are those in which a parameter may take code, or a command.
func languagesOf(p parameter) []language {
	switch {
	case infer.CodeName(p.name) && strings.Count(p.pointer, "/") == 1:
		return languages
	case p.kind == infer.Command:
		return languages[:1]
	}
	return nil
}

// plainly makes harmless calls of a tool that may run commands or code.
func (a *auditor) plainly(ctx context.Context, t *tool, p parameter) {
	c := cell(t, p, audit.Command)
	for _, l := range languagesOf(p) {
		u, _ := t.in(l, p)
		r := a.call(ctx, u, u.sample(a.world, setting{p, l.plain}))
		if r.ok() {
			a.worked(c)
			return
		}
		a.refused(c, r)
	}
}

// byDesign reports whether running commands, or code, is the tool's purpose: it ran some as it was sent.
func (a *auditor) byDesign(ctx context.Context, t *tool, p parameter) bool {
	for i, l := range languagesOf(p) {
		id := token()
		u, anyLanguage := t.in(l, p)
		value := l.file(a.world.inside("fired", id))
		a.call(ctx, u, u.sample(a.world, setting{p, value}))
		if a.session == nil || !a.session.made("fired/"+id) {
			continue
		}
		raw := written(u.sample(a.world, setting{p, value}))
		kind, what := "command-by-design", "commands"
		if i > 0 || anyLanguage { // and not just the line of a shell
			kind, what = "code-by-design", "code"
		}
		a.fact(audit.Fact{Cell: cell(t, p, audit.Command), Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: kind,
			Why: "the tool runs " + what + " from its callers, so each caller may do everything that the server may do", Proof: &audit.Proof{Arguments: string(raw), Seen: "a file that the command made", Probes: i + 1}})
		return true
	}
	return false
}

// in returns a copy of the tool with the value that says the language of p, or the tool itself. AnyLanguage: callers may name one that is no shell's.
func (t *tool) in(l language, p parameter) (u *tool, anyLanguage bool) {
	properties, _ := t.schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		form, ok := t.resolve(properties[name])
		if !ok || name == p.name || !hasType(form, "string") {
			continue
		}
		value := l.name
		choices := stringsOf(form["enum"])
		if len(choices) > 0 {
			at := slices.IndexFunc(choices, l.match)
			if at < 0 {
				continue
			}
			value = choices[at]
		} else if !languageName.MatchString(name) {
			continue
		}
		anyLanguage = len(choices) == 0 || slices.ContainsFunc(choices, func(choice string) bool { return !shellName.MatchString(choice) })
		steered := *t
		steered.steered = maps.Clone(t.steered)
		if steered.steered == nil {
			steered.steered = map[string]any{}
		}
		steered.steered[name] = value
		return &steered, anyLanguage
	}
	return t, false
}
