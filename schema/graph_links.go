// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/jsonschema"
)

// linkInPlace collects the nodes that n applies, or may apply, to the same
// value as itself. "not" is left out: it says nothing about what is expected.
func (n *node) linkInPlace() {
	for _, r := range n.refs {
		n.inPlace = append(n.inPlace, r.target)
	}
	n.inPlace = slices.Concat(n.inPlace, n.allOf, n.anyOf, n.oneOf)
	for _, sub := range []*node{n.condition, n.then, n.otherwise} {
		if sub != nil {
			n.inPlace = append(n.inPlace, sub)
		}
	}
	if n.object == nil {
		return
	}
	for _, d := range n.object.dependents {
		if d.node != nil {
			n.inPlace = append(n.inPlace, d.node)
		}
	}
}

// below returns the nodes that n applies to the values inside its value.
func (n *node) below() []*node {
	var out []*node
	if o := n.object; o != nil {
		for _, name := range o.names {
			out = append(out, o.props[name])
		}
		for _, p := range o.patterns {
			out = append(out, p.node)
		}
		out = append(out, o.additional, o.unevaluated)
	}
	if a := n.array; a != nil {
		out = append(append(out, a.prefix...), a.rest, a.contains, a.unevaluated)
	}
	return slices.DeleteFunc(out, func(sub *node) bool { return sub == nil })
}

// markDeclaring sets declares on the nodes that lead to property names.
func (g *graph) markDeclaring() {
	users := map[*node][]*node{}
	var queue []*node
	for _, src := range g.sources {
		n := g.nodes[src]
		for _, sub := range slices.Concat(n.inPlace, n.below()) {
			users[sub] = append(users[sub], n)
		}
		if n.object != nil && (len(n.object.props) > 0 || len(n.object.patterns) > 0) {
			n.declares = true
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, user := range users[n] {
			if !user.declares {
				user.declares = true
				queue = append(queue, user)
			}
		}
	}
}

// resources groups the nodes by the resource that they belong to: the nearest
// subschema above with an "$id", or the document (2020-12 core §8.2.1).
func (g *graph) resources() {
	roots := map[string]*resource{}
	for _, src := range g.sources {
		document, _, _ := strings.Cut(src.Location, "#")
		if n := g.nodes[src]; src.ID != "" || n.pointer == "" {
			roots[document+"#"+n.pointer] = &resource{root: n, anchors: map[string]*node{}, recursive: src.RecursiveAnchor}
		}
	}
	for _, src := range g.sources {
		n := g.nodes[src]
		n.resource = nearest(roots, src, n.pointer)
		if src.DynamicAnchor != "" && n.resource != nil {
			n.resource.anchors[src.DynamicAnchor] = n
		}
	}
}

func nearest(roots map[string]*resource, src *jsonschema.Schema, pointer string) *resource {
	document, _, _ := strings.Cut(src.Location, "#")
	for {
		if r, ok := roots[document+"#"+pointer]; ok {
			return r
		}
		i := strings.LastIndexByte(pointer, '/')
		if i < 0 {
			return nil
		}
		pointer = pointer[:i]
	}
}

// lookup returns the value at a JSON Pointer, nil when there is none.
func lookup(v any, pointer string) any {
	if pointer == "" {
		return v
	}
	for name := range strings.SplitSeq(pointer[1:], "/") {
		switch parent := v.(type) {
		case map[string]any:
			v = parent[pointerUnescaper.Replace(name)]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			v = parent[i]
		default:
			return nil
		}
	}
	return v
}

var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
