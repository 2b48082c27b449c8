// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"maps"
	"slices"
)

// A view is what the schema as a whole says about one object in the value,
// whichever of its subschemas say it.
type view struct {
	nodes    []*node
	declared map[string]bool
	patterns []*pattern
	required map[string]bool // by what always applies
	open     bool            // further properties are provided for
	closed   bool            // further properties are forbidden by something
}

// expand returns nodes and all that they apply, or may apply, to the same
// value, each once.
func (e *evaluator) expand(nodes []*node) []*node {
	return e.reach(nodes, func(n *node) []*node { return n.inPlace })
}

// always returns nodes and what they apply in any case.
func (e *evaluator) always(nodes []*node) []*node {
	return e.reach(nodes, func(n *node) []*node {
		out := n.allOf
		for _, r := range n.refs {
			out = append(out[:len(out):len(out)], r.target)
		}
		return out
	})
}

func (e *evaluator) reach(nodes []*node, next func(*node) []*node) []*node {
	out := slices.Clone(nodes)
	known := make(map[*node]bool, len(nodes))
	for _, n := range nodes {
		known[n] = true
	}
	for i := 0; i < len(out); i++ {
		for _, sub := range next(out[i]) {
			e.spend(1)
			if !known[sub] {
				known[sub] = true
				out = append(out, sub)
			}
		}
	}
	return out
}

// view returns what the given nodes say about an object.
func (e *evaluator) view(nodes []*node) *view {
	w := &view{nodes: e.expand(nodes), declared: map[string]bool{}, required: map[string]bool{}}
	for _, n := range w.nodes {
		o := n.object
		if o == nil {
			continue
		}
		e.spend(len(o.names) + len(o.required))
		for _, name := range slices.Concat(o.names, o.required) {
			w.declared[name] = true
		}
		for _, d := range o.dependents {
			w.declared[d.name] = true
		}
		for _, p := range o.patterns {
			w.patterns = append(w.patterns, p.pattern)
		}
		for _, rest := range []*node{o.additional, o.unevaluated} {
			w.open = w.open || rest != nil && !rest.never
			w.closed = w.closed || rest != nil && rest.never
		}
		w.open = w.open || o.propNames != nil
	}
	for _, n := range e.always(nodes) {
		if n.object != nil {
			for _, name := range n.object.required {
				w.required[name] = true
			}
		}
	}
	return w
}

// declares reports whether the schema knows a property of this name.
func (w *view) declares(e *evaluator, name string) bool {
	if w.declared[name] {
		return true
	}
	return slices.ContainsFunc(w.patterns, func(p *pattern) bool { return e.matches(p, name) })
}

// names returns the declared names, the required ones first.
func (w *view) names() []string { return requiredFirst(w.declared, w.required) }

func requiredFirst(declared, required map[string]bool) []string {
	var first, rest []string
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if required[name] {
			first = append(first, name)
		} else {
			rest = append(rest, name)
		}
	}
	return append(first, rest...)
}

// children returns what the expanded nodes say about a property.
func (e *evaluator) children(nodes []*node, name string) []*node {
	var out []*node
	for _, n := range nodes {
		o := n.object
		if o == nil {
			continue
		}
		e.spend(1)
		found := false
		if sub := o.props[name]; sub != nil {
			out, found = append(out, sub), true
		}
		for _, p := range o.patterns {
			if e.matches(p.pattern, name) {
				out, found = append(out, p.node), true
			}
		}
		for _, rest := range []*node{o.additional, o.unevaluated} {
			if !found && rest != nil && !rest.never {
				out = append(out, rest)
			}
		}
	}
	return out
}

// elements returns what the expanded nodes say about an item.
func (e *evaluator) elements(nodes []*node, i int) []*node {
	var out []*node
	for _, n := range nodes {
		a := n.array
		if a == nil {
			continue
		}
		e.spend(1)
		switch {
		case i < len(a.prefix):
			out = append(out, a.prefix[i])
		case a.rest != nil:
			out = append(out, a.rest)
		case a.unevaluated != nil:
			out = append(out, a.unevaluated)
		}
	}
	return out
}

// nodesAt returns what the schema says about a place.
func (e *evaluator) nodesAt(at *place) []*node {
	if at == nil {
		return []*node{e.schema.root}
	}
	parents := e.expand(e.nodesAt(at.parent))
	if at.index >= 0 {
		return e.elements(parents, at.index)
	}
	return e.children(parents, at.name)
}
