// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// A Binding is everything that a policy demands of the calls of one tool and of their results.
// The zero Binding demands nothing.
type Binding struct {
	world       check.World
	clientRoots bool // the roots of a call's session count beside those of world
	arguments   []Argument
	output      []Demand // the most particular first
}

// Bind resolves what p demands of the calls of a tool: its own demands, those of more, and, for
// arguments that neither mentions, those that p.Infer makes from the definition t. The name ""
// binds results that answer no call of a tool.
func (p *Policy) Bind(server, name string, t *call.Tool, more ...Tool) *Binding {
	b := new(Binding)
	s := p.Server(server)
	if s != nil {
		b.world, b.clientRoots = s.World, s.ClientRoots && !s.World.Remote
		b.add(s.Tools, name)
	}
	b.add(more, name)
	if s != nil {
		b.output = append(b.output, s.Output...)
	}
	if p == nil {
		return b
	}
	b.output = append(b.output, p.Output...)
	if p.Infer != nil && t != nil {
		said := b.arguments
		for _, inferred := range p.Infer(t) {
			if !slices.ContainsFunc(said, func(a Argument) bool { return covers(a.Address, inferred.Address) }) {
				b.arguments = append(b.arguments, inferred)
			}
		}
	}
	return b
}

// add adds the demands of the tools whose pattern matches a name.
func (b *Binding) add(tools []Tool, name string) {
	for _, t := range tools {
		if name != "" && t.Matches(name) {
			b.arguments = append(b.arguments, t.Arguments...)
			b.arguments = append(b.arguments, Argument{Demands: t.Requires})
			b.output = append(b.output, t.Output...)
		}
	}
}

// covers reports whether one address leads to every place that the other leads to. The
// elements of an array at the end of an address are places of both (see find).
func covers(one, other string) bool {
	const elements = "/*"
	return leads(one, other) || leads(strings.TrimSuffix(one, elements), other) || leads(one, strings.TrimSuffix(other, elements))
}

func leads(one, other string) bool {
	return slices.EqualFunc(strings.Split(one, "/"), strings.Split(other, "/"),
		func(a, b string) bool { return a == "*" || strings.EqualFold(a, b) })
}

// World returns the world of a call's server. The call's client may have announced more roots.
func (b *Binding) World(c *call.Call) check.World {
	w := b.world
	if b.clientRoots && c.Session != nil && len(c.Session.Roots) > 0 {
		w.Roots = slices.Concat(w.Roots, c.Session.Roots)
	}
	return w
}

// Demands reports whether a demand of this kind applies to any place in a call's arguments.
func (b *Binding) Demands(kind *check.Demand, arguments map[string]any) bool {
	found := false
	b.find(kind, arguments, func(check.Target, check.Severity) (more bool) {
		found = true
		return false
	})
	return found
}

// Targets returns the places in a call's arguments that demands of this kind and severity apply
// to, limit at most.
func (b *Binding) Targets(kind *check.Demand, severity check.Severity, arguments map[string]any, limit int) []check.Target {
	var targets []check.Target
	b.find(kind, arguments, func(t check.Target, s check.Severity) (more bool) {
		if s == severity && len(targets) < limit {
			targets = append(targets, t)
		}
		return len(targets) < limit
	})
	return targets
}

// OutputOptions returns the options of the most particular demand of this kind on results, or
// else the kind's defaults.
func (b *Binding) OutputOptions(kind *check.Demand) any {
	for _, d := range b.output {
		if d.Kind == kind {
			return d.Options
		}
	}
	return kind.Options()
}

// find calls visit for each place that a demand of this kind applies to, until it returns false.
func (b *Binding) find(kind *check.Demand, arguments map[string]any, visit func(check.Target, check.Severity) (more bool)) {
	for _, a := range b.arguments {
		for _, d := range a.Demands {
			if d.Kind != kind {
				continue
			}
			more := find(arguments, a.Address, "", kind.Lists, func(pointer string, v any) (more bool) {
				if a.Inferred != "" && !fits(v, kind) {
					return true // the guess was about another type; the schema judges the value
				}
				return visit(check.Target{Pointer: pointer, Value: v, Options: d.Options, Inferred: a.Inferred}, d.Severity)
			})
			if !more {
				return
			}
		}
	}
}

// fits reports whether a guess of this kind can hold for a value: guesses are about strings, or
// about lists where the demand is.
func fits(v any, kind *check.Demand) bool {
	switch v.(type) {
	case string:
		return true
	case []any:
		return kind.Lists
	}
	return false
}

// find calls add for every place that an address leads to, until it returns false; then
// find does, too. At the address's end the elements of an array are places of their own,
// unless the demand is about lists.
func find(v any, address, pointer string, lists bool, add func(pointer string, v any) (more bool)) (more bool) {
	if address == "" {
		array, ok := v.([]any)
		if !ok || lists {
			return add(pointer, v)
		}
		for i, e := range array {
			if !add(pointer+"/"+strconv.Itoa(i), e) {
				return false
			}
		}
		return true
	}
	step, rest, deeper := strings.Cut(address[1:], "/")
	if deeper {
		rest = "/" + rest
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range matching(v, step) {
			if !find(v[key], rest, pointer+"/"+check.EscapePointer(key), lists, add) {
				return false
			}
		}
	case []any:
		for i, e := range v {
			n := strconv.Itoa(i)
			if (step == "*" || step == n) && !find(e, rest, pointer+"/"+n, lists, add) {
				return false
			}
		}
	}
	return true
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
