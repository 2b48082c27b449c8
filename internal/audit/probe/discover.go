// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Many servers publish empty schemas, because their libraries do not fit together, but check
// their arguments. Their complaints about a call without arguments name the parameters.
var (
	zodIssue = lazyregexp.New(`(?s)"expected":\s*"(\w+)"[^{}]*?"path":\s*\[\s*"([^"\\]{1,64})"\s*\]`)
	missed   = []*lazyregexp.Regexp{
		lazyregexp.New(`(?m)^\s*"?([A-Za-z_]\w{0,63})"?\s*\n\s+(?:Field required|Missing required)`),
		lazyregexp.New(`(?i)'([A-Za-z_]\w{0,63})' is a required property`),
		lazyregexp.New(`(?i)(?:missing|required)(?: required)? (?:argument|parameter|field|property|properties|input)s?:? ["'` + "`" + `]?([A-Za-z_]\w{0,63})`),
		lazyregexp.New(`(?i)["'` + "`" + `]?\b([A-Za-z_]\w{0,63})["'` + "`" + `]? (?:is required|must be (?:an? (?:non-?empty )?(?:string|number|boolean|array|object|integer)|provided|specified|set)|cannot be empty|(?:is )?(?:missing|not provided))\b`),
		lazyregexp.New(`(?i)required positional arguments?: '([A-Za-z_]\w{0,63})'`),
	}
)

// maxAsked bounds the calls to find one more parameter of a tool.
const maxAsked = 6

// discover finds the parameters of a tool with an empty schema, and writes a schema with them.
func (a *auditor) discover(ctx context.Context, t *tool) *tool {
	if properties, _ := t.schema["properties"].(map[string]any); len(properties) > 0 {
		a.ask(ctx, t, properties)
		a.place(ctx, t)
		return t
	}
	properties, required := map[string]any{}, []any{}
	arguments := map[string]any{}
	for range maxAsked {
		r := a.call(ctx, t, arguments)
		if r.failed != "" || r.ok() {
			break
		}
		found := missing(r.text)
		before := len(required)
		for name, kind := range found {
			if properties[name] == nil {
				properties[name] = map[string]any{"type": kind}
				if kind == "array" {
					properties[name] = map[string]any{"type": kind, "items": map[string]any{"type": "string"}}
				}
				required = append(required, name)
			}
		}
		if len(required) == before {
			break
		}
		if u := t.with(properties, required); u != nil {
			arguments = u.sample(a.world)
		}
	}
	if len(required) == 0 {
		return t
	}
	u := t.with(properties, required)
	if u == nil {
		return t
	}
	a.note("tool %s publishes no parameters: those named in its errors about missing ones were tried", show(t.Name))
	a.fact(audit.Fact{Cell: whole(t, audit.Schema), Verdict: audit.NoEvidence, Why: "the published schema names no parameters, and a call without any is rejected"})
	u.discovered = true
	return u
}

// ask finds the parameters that a tool demands without requiring them in its schema.
func (a *auditor) ask(ctx context.Context, t *tool, properties map[string]any) {
	if len(t.required) > 0 || len(t.parameters) == 0 {
		return
	}
	for range maxAsked {
		r := a.call(ctx, t, t.sample(a.world))
		if r.failed != "" || r.ok() {
			return
		}
		before := len(t.missed)
		for _, name := range slices.Sorted(maps.Keys(missing(r.text))) {
			if properties[name] != nil && !slices.Contains(t.missed, name) {
				t.missed = append(t.missed, name)
			}
		}
		if len(t.missed) == before {
			return
		}
	}
}

// place finds out how a tool takes its place of work: whether it needs the root although its schema does not
// require it, and whether it takes paths below the root instead of absolute ones.
func (a *auditor) place(ctx context.Context, t *tool) {
	var places []string
	files := false
	for _, p := range t.parameters {
		files = files || p.kind == infer.Path && !t.takesDirectory(p)
		if !p.required && strings.Count(p.pointer, "/") == 1 && t.takesDirectory(p) && !slices.Contains(t.missed, p.name) {
			places = append(places, p.name)
		}
	}
	if len(places) == 0 && !(files && len(t.parameters) > 1) {
		return
	}
	without := a.call(ctx, t, t.sample(a.world))
	if without.failed != "" || without.ok() {
		return
	}
	if before := t.missed; len(places) > 0 {
		t.missed = append(slices.Clone(before), places...)
		with := a.call(ctx, t, t.sample(a.world))
		if with.ok() {
			return
		}
		if with.failed != "" || with.text == without.text {
			t.missed = before
		}
	}
	if files {
		t.relative = true
		below := a.call(ctx, t, t.sample(a.world))
		t.relative = below.ok()
	}
}

// missing are the parameters missing according to an error, with their types.
func missing(text string) map[string]string {
	found := map[string]string{}
	for _, m := range zodIssue.FindAllStringSubmatch(text, 20) {
		if kind := m[1]; slices.Contains([]string{"string", "number", "boolean", "array", "object", "integer"}, kind) {
			found[m[2]] = kind
		}
	}
	if len(found) > 0 {
		return found
	}
	for _, expression := range missed {
		for _, m := range expression.FindAllStringSubmatch(text, 20) {
			found[m[1]] = "string"
		}
	}
	return found
}

// with is the tool with another schema than the published one.
func (u *tool) with(properties map[string]any, required []any) *tool {
	slices.SortFunc(required, func(a, b any) int { return compareNames(a, b) })
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
	if err != nil {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"name": u.Name, "description": u.Description, "inputSchema": json.RawMessage(schema)})
	if err != nil {
		return nil
	}
	t, err := call.DecodeTool(raw, call.Limits{})
	if err != nil {
		return nil
	}
	made := understand(t)
	made.readOnly, made.destructive = u.readOnly, u.destructive
	return made
}

func compareNames(a, b any) int {
	x, _ := a.(string)
	y, _ := b.(string)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
