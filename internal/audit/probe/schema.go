// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A violation is a call that breaks the published schema.
type violation struct {
	kind, words string
	arguments   map[string]any
	param       string // the parameter at issue
}

// Errors of handlers that ran with unexpected values, and errors of a validation.
var (
	handlerError    = lazyregexp.New(`(?i)cannot read propert|is not a function|is not iterable|is not defined|undefined is not|of undefined|of null|typeerror|attributeerror|keyerror|nonetype|unsupported operand|has no attribute|nil pointer|panic:|interface conversion|traceback|must be of type string.*received|ERR_INVALID_ARG_TYPE|\[object Object\]`)
	validationError = lazyregexp.New(`(?i)invalid|required|missing|validat|expected|schema|must be|should be|must have|not of type|wrong type|bad (argument|request|param)|unexpected|zod|pydantic|unmarshal|type error|is not a|argument|parameter`)
)

// schema tries whether arguments that break the published schema reach the handler.
func (a *auditor) schema(ctx context.Context, t *tool) {
	c := whole(t, audit.Schema)
	list := t.violations(a.world)
	if len(list) == 0 {
		return
	}
	calls := make([]map[string]any, len(list))
	for i, v := range list {
		calls[i] = v.arguments
	}
	rejected, unclear, failed, found := 0, 0, "", map[string]bool{}
	a.each(ctx, t, calls, func(i int, r reply) bool {
		v, seen := list[i], ""
		switch {
		case r.failed != "":
			failed = r.failed
			return !r.late && !r.gone
		case r.ok():
			seen = "a result"
		case handlerError.MatchString(r.text) && !strings.Contains(strings.ToLower(r.text), "validation"):
			seen = "an error of the code behind the validation"
		case r.refused != nil && r.refused.Code == -32602, validationError.MatchString(r.text), strings.Contains(r.text, v.param):
			rejected++
		default:
			unclear++
		}
		if seen != "" && !found[v.kind] {
			found[v.kind] = true
			raw := written(v.arguments)
			a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: v.kind,
				Why: "a call with " + v.words + " reaches the handler", Proof: &audit.Proof{Arguments: string(raw), Seen: seen, Probes: len(list)}})
		}
		return false
	})
	switch {
	case len(found) > 0:
	case failed != "":
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: failed})
	case unclear > 0 && !a.works(ctx, t):
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: fmt.Sprintf("%d of %d calls that break the schema failed, and no call that keeps to it worked: why is not clear", unclear, len(list))})
	case unclear > 0:
		a.fact(audit.Fact{Cell: c, Verdict: audit.NoEvidence, Why: fmt.Sprintf("%d of %d calls that break the schema failed, and it is not clear that the schema was why", unclear, len(list))})
	case rejected == 1:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: "the call that breaks the schema was rejected"})
	default:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: fmt.Sprintf("all of %d calls that break the schema were rejected", rejected)})
	}
}

// works reports whether a call that keeps to the schema works. Without a sandbox, no such call is made.
func (a *auditor) works(ctx context.Context, t *tool) bool {
	if a.launcher == nil {
		return false
	}
	r := a.call(ctx, t, t.sample(a.world))
	return r.ok()
}

// violations are calls without a required argument, and calls with one of a wrong type.
func (u *tool) violations(w *world) []violation {
	var list []violation
	properties, _ := u.schema["properties"].(map[string]any)
	required := slices.DeleteFunc(slices.Clone(u.required), func(name string) bool { return properties[name] == nil })
	for _, name := range required[:min(len(required), 4)] {
		if form, _ := u.resolve(properties[name]); form["default"] != nil {
			continue // what the server puts in the place of a missing argument, some libraries call required
		}
		without := u.sample(w)
		delete(without, name)
		list = append(list, violation{"missing-required", "a required argument missing", without, name})
	}
	names := required
	if len(names) == 0 {
		for name := range properties {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	for _, name := range names {
		form, ok := u.resolve(properties[name])
		if !ok || len(list) >= 8 {
			continue
		}
		if wrong, ok := otherType(form); ok {
			arguments := u.sample(w)
			arguments[name] = wrong
			list = append(list, violation{"wrong-type", "an argument of another type", arguments, name})
		}
	}
	return list
}

// otherType is a value that even a lenient reader does not take for the schema's type.
func otherType(form map[string]any) (any, bool) {
	one, _ := form["type"].(string)
	switch one {
	case "string", "boolean":
		return map[string]any{"a": []any{1}}, true
	case "number", "integer":
		return map[string]any{"a": "b"}, true
	case "array", "object":
		return 7, true
	}
	return nil, false
}
