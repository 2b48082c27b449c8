// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/jsonpointer"
	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/schema"
)

// Unmatched describes everything in the Gate's policy and options that none of a server's tools answers to:
// demands on tools or arguments that it does not have, and rules and limits whose patterns match none. It is
// empty if all of them match. Tests call it with the tools of a server:
//
//	for _, problem := range gate.Unmatched(tools) {
//		t.Error(problem)
//	}
//
// The server is that of [WithServer], or the policy's only one.
func (g *Gate) Unmatched(tools *call.Catalog) []string {
	if g.void() {
		return []string{voidFinding().Message}
	}
	problems := unmatched("WithTool", g.tools, tools, true)
	if g.policy == nil {
		return problems
	}
	server := g.server
	if s := g.policy.Server(server); s != nil {
		server = cmp.Or(server, s.Name)
		problems = append(problems, unmatched("the policy's tool", s.Tools, tools, true)...)
	}
	names := tools.Names()
	stray := func(kind, name string, patterns []string) {
		if len(patterns) == 0 { // it holds for all tools, or for other requests
			return
		}
		if !slices.ContainsFunc(names, func(tool string) bool { return limit.Match(patterns, server, tool) }) {
			_, tool, _ := strings.Cut(patterns[0], ":")
			problems = append(problems, fmt.Sprintf("%s %q: no tool matches %s%s", kind, name, strings.Join(patterns, ", "), nearest(tool, names)))
		}
	}
	for _, r := range g.policy.Rules {
		stray("rule", r.Name, r.Tools)
	}
	for _, l := range g.policy.Limits {
		stray("limit", l.Name, l.Tools)
	}
	return problems
}

// unmatched describes the demands that no tool answers to. Without patterns, names with a star are left out.
func unmatched(who string, demands []policy.Tool, tools *call.Catalog, patterns bool) (problems []string) {
	names := tools.Names()
	for _, d := range demands {
		if !patterns && strings.Contains(d.Pattern, "*") {
			continue
		}
		var declared []string
		open := false // a tool may have arguments that it does not list
		matched := 0
		for _, name := range names {
			if !d.Matches(name) {
				continue
			}
			matched++
			of, more := argumentsOf(tools.Tool(name))
			declared, open = append(declared, of...), open || more
		}
		if matched == 0 {
			problems = append(problems, fmt.Sprintf("%s %q: the server has no such tool%s", who, d.Pattern, nearest(d.Pattern, names)))
			continue
		}
		for _, a := range d.Arguments {
			top, _, _ := strings.Cut(strings.TrimPrefix(a.Address, "/"), "/")
			if name := jsonpointer.Unescape(top); name != "" && name != "*" && !open && !slices.Contains(declared, name) {
				problems = append(problems, fmt.Sprintf("%s %q, argument %q: the tool declares no such argument%s", who, d.Pattern, name, nearest(name, declared)))
			}
		}
	}
	return problems
}

// argumentsOf returns the names of the arguments that a tool declares. More is true if its schema may
// declare others in another way than by properties.
func argumentsOf(t *call.Tool) (names []string, more bool) {
	var s map[string]json.RawMessage
	if json.Unmarshal(t.InputSchema, &s) != nil {
		return nil, true
	}
	for _, keyword := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"} {
		more = more || s[keyword] != nil
	}
	var properties map[string]json.RawMessage
	_ = json.Unmarshal(s["properties"], &properties) // absent properties declare nothing
	return slices.Sorted(maps.Keys(properties)), more
}

func nearest(name string, names []string) string {
	if near := schema.Nearest(name, names); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}

// A judgedCatalog remembers whether the demands made in code name what a catalog has.
type judgedCatalog struct {
	catalog *call.Catalog
	finding *check.Finding // nil: they do
}

// barred refuses a call that the Gate cannot judge, whatever the call is.
func (g *Gate) barred(c *call.Call) *check.Finding {
	if g.void() {
		f := voidFinding()
		if c != nil && c.Unread != nil {
			f = unread(c.Unread) // no Gate could read it
		}
		return &f
	}
	return g.misnamed(c)
}

// misnamed refuses every call if a demand made in code names a tool or an argument that the server does not
// have: the demand was meant for something, which would go without it.
func (g *Gate) misnamed(c *call.Call) *check.Finding {
	if len(g.tools) == 0 || c == nil || c.Known == nil || !c.IsTool() {
		return nil
	}
	if last := g.named.Load(); last != nil && last.catalog == c.Known {
		return last.finding
	}
	judged := &judgedCatalog{catalog: c.Known}
	if problems := unmatched("WithTool", g.tools, c.Known, false); len(problems) > 0 {
		g.logger.Error("the program's demands name what the server does not have", "server", c.Server, "problems", problems)
		judged.finding = &check.Finding{Check: "policy", Stage: check.Semantic, Level: check.SemanticLevel,
			Message: "the program that judges the call makes demands of a tool or an argument that the server does not have; the names are in toolvet's log"}
	}
	g.named.Store(judged)
	return judged.finding
}
