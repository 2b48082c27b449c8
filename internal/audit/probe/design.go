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
	// codeName matches the names of parameters for code.
	codeName = lazyregexp.New(`(?i)^(code|script|snippet|code_?snippet|(source|python|js|javascript|shell|bash)_?(code|script))$`)
	// languageName matches the names of parameters for the language of the code.
	languageName = lazyregexp.New(`(?i)^(lang|language|(lang|language)_?(id|name)|runtime|interpreter)$`)
)

// A language is one in which a tool may run code.
type language struct {
	name  string // as a tool without a list of them may know it
	match func(choice string) bool
	file  func(path string) string // code that makes a file
}

// languages are those of programs that a sandbox has, or may have.
var languages = []language{
	{"bash", lazyregexp.New(`(?i)^(shell\w*|bash|sh)$`).MatchString, func(path string) string { return "touch " + path }},
	{"python", lazyregexp.New(`(?i)^(py|python[\d.]*)$`).MatchString, func(path string) string { return "open(" + strconv.Quote(path) + `, "w").close()` }},
	{"javascript", lazyregexp.New(`(?i)^(js|javascript|node|nodejs)$`).MatchString, func(path string) string {
		return `require("fs").writeFileSync(` + strconv.Quote(path) + `, "")`
	}},
}

// byDesign reports whether running commands, or code, is the tool's purpose: it ran some as it was sent.
func (a *auditor) byDesign(ctx context.Context, t *tool, p parameter) bool {
	code := codeName.MatchString(p.name) && strings.Count(p.pointer, "/") == 1
	for i, l := range languages {
		if !code && (p.kind != infer.Command || i > 0) {
			break
		}
		id := token()
		u := t.in(l, p)
		value := l.file(a.world.inside("fired", id))
		a.call(ctx, u, u.sample(a.world, setting{p, value}))
		if a.session == nil || !a.session.made("fired/"+id) {
			continue
		}
		raw := written(u.sample(a.world, setting{p, value}))
		a.fact(audit.Fact{Cell: cell(t, p, audit.Command), Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: "command-by-design",
			Why: "the tool runs commands from its callers, so each caller may do everything that the server may do", Proof: &audit.Proof{Arguments: string(raw), Seen: "a file that the command made", Probes: i + 1}})
		return true
	}
	return false
}

// in returns a copy of the tool with the value that says the language of p, or the tool itself.
func (t *tool) in(l language, p parameter) *tool {
	properties, _ := t.schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		form, ok := t.resolve(properties[name])
		if !ok || name == p.name || !hasType(form, "string") {
			continue
		}
		value := l.name
		if choices := stringsOf(form["enum"]); len(choices) > 0 {
			at := slices.IndexFunc(choices, l.match)
			if at < 0 {
				continue
			}
			value = choices[at]
		} else if !languageName.MatchString(name) {
			continue
		}
		u := *t
		u.steered = maps.Clone(t.steered)
		if u.steered == nil {
			u.steered = map[string]any{}
		}
		u.steered[name] = value
		return &u
	}
	return t
}
