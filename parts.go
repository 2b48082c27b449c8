// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// A judgedPart is a part of a request beside its arguments, under judgement as if it were the
// arguments of a tool. Its findings have places below the part's name.
type judgedPart struct {
	judgement
	member string
	fault  error // why nothing can be demanded of it
}

// parts returns the parts of a call that servers act on. Calls rarely have any.
func (g *Gate) parts(c *call.Call, at Point) []judgedPart {
	if c.Inputs == nil && c.Meta == nil && c.Extra == nil && c.IsTool() || c.Tool == nil {
		return nil
	}
	var parts []judgedPart
	for _, p := range c.Parts() {
		bound, err := g.policy.BindPart(p)
		parts = append(parts, judgedPart{judgement{call: p.Call, at: at, bound: bound, places: bound.In(p.Call.Arguments, occasion(c, at)), evaluate: g.evaluator(p.Call, nil), part: true}, p.Member, err})
	}
	return parts
}

// foreign returns the kind of a value in the arguments of a call, or of its parts, that a strict JSON decoder does
// not produce; "" if there is none. Checks read only such values: they would pass over a []string.
func foreign(c *call.Call, parts []judgedPart) string {
	kind := foreignIn(c.Arguments, 0)
	for i := 0; i < len(parts) && kind == ""; i++ {
		kind = foreignIn(parts[i].call.Arguments, 0)
	}
	return kind
}

// maxArgumentDepth bounds the nesting of arguments, far above what decoding lets through.
const maxArgumentDepth = 10_000

func foreignIn(v any, depth int) (kind string) {
	if depth > maxArgumentDepth {
		return "values nested too deep"
	}
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if scalar(member) {
				continue
			}
			if kind = foreignIn(member, depth+1); kind != "" {
				return kind
			}
		}
	case []any:
		for _, item := range v {
			if scalar(item) { // without a call: a list may have hundreds of thousands
				continue
			}
			if kind = foreignIn(item, depth+1); kind != "" {
				return kind
			}
		}
	default:
		if !scalar(v) {
			return fmt.Sprintf("a %T", v)
		}
	}
	return ""
}

func scalar(v any) bool {
	switch v.(type) {
	case nil, bool, string, json.Number:
		return true
	}
	return false
}

// runParts runs a stage's checks over parts of a call and adds their findings to v.
func (g *Gate) runParts(ctx context.Context, s stage, parts []judgedPart, v *Verdict) {
	for _, p := range parts {
		var own Verdict
		if p.fault != nil && s.name == check.Schema {
			own.refuse(unbound(p.fault))
		}
		g.runStage(ctx, s, p.judgement, &own)
		for _, f := range own.Findings {
			if p.member != "" {
				f.Pointer = "/" + p.member + f.Pointer
			}
			f.Value = nil // a place for it is in the arguments alone
			v.Findings = append(v.Findings, f)
		}
		if own.Stopped != nil {
			v.Stopped = own.Stopped
		}
		for _, skipped := range own.Skipped {
			v.skip(skipped)
		}
	}
}
