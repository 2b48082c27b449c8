// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/policy"
)

// A binding is what is demanded of the calls of one tool: by the policy, and, of the
// arguments that the policy does not speak of, by inference.
type binding struct {
	world     check.World
	arguments []policy.Argument
}

// bind returns the binding of a call's tool. It is made once for each definition.
func (g *Gate) bind(c *call.Call) (b *binding, err error) {
	if c.Tool == nil || g.policy == nil {
		return &binding{}, nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return c.Tool.Memo(g, c.Server, func() any { return g.makeBinding(c) }).(*binding), nil
}

func (g *Gate) makeBinding(c *call.Call) *binding {
	b := &binding{}
	if s := g.policy.Server(c.Server); s != nil {
		b.world = s.World
		for _, t := range s.Tools {
			if t.Matches(c.Name) {
				b.arguments = append(b.arguments, t.Arguments...)
				b.arguments = append(b.arguments, policy.Argument{Demands: t.Requires})
			}
		}
	}
	if g.policy.Infer != nil {
		for _, inferred := range g.policy.Infer(c.Tool) {
			if !b.speaksOf(inferred.Address) {
				b.arguments = append(b.arguments, inferred)
			}
		}
	}
	return b
}

// speaksOf reports whether something is demanded of the argument already.
func (b *binding) speaksOf(address string) bool {
	return slices.ContainsFunc(b.arguments, func(a policy.Argument) bool { return a.Address == address })
}

// targets finds the places in a call's arguments that a rule is demanded of.
func (b *binding) targets(rule *check.Rule, c *call.Call) []check.Target {
	var targets []check.Target
	for _, a := range b.arguments {
		for _, d := range a.Demands {
			if d.Rule != rule {
				continue
			}
			add := func(pointer string, v any) {
				targets = append(targets, check.Target{Pointer: pointer, Value: v, Options: d.Options, Inferred: a.Inferred})
			}
			find(c.Arguments, a.Address, "", rule.Lists, add)
		}
	}
	return targets
}

// find calls add for every place that an address leads to. At its end the elements of an
// array are places of their own, unless the rule is about lists.
func find(v any, address, pointer string, lists bool, add func(pointer string, v any)) {
	if address == "" {
		array, ok := v.([]any)
		if !ok || lists {
			add(pointer, v)
			return
		}
		for i, e := range array {
			add(pointer+"/"+strconv.Itoa(i), e)
		}
		return
	}
	step, rest, more := strings.Cut(address[1:], "/")
	if more {
		rest = "/" + rest
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range matching(v, step) {
			find(v[key], rest, pointer+"/"+check.EscapePointer(key), lists, add)
		}
	case []any:
		for i, e := range v {
			if n := strconv.Itoa(i); step == "*" || step == n {
				find(e, rest, pointer+"/"+n, lists, add)
			}
		}
	}
}

// matching returns the properties that a step of an address stands for, in order. A
// property in another case counts, because some servers take it for the same.
func matching(object map[string]any, step string) []string {
	if step == "*" {
		return slices.Sorted(maps.Keys(object))
	}
	name := check.UnescapePointer(step)
	var keys []string
	for key := range object {
		if key == name || strings.EqualFold(key, name) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
