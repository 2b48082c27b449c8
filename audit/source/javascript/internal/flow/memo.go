// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "github.com/dop251/goja/ast"

// Telemetry, settings and the like are called at every turn, cost much, and are given nothing of the
// caller. What such a call came to twice in a handler, it comes to again.

const (
	memoCalls = 2   // of a function that are run before what they came to is taken
	memoCost  = 500 // steps; what costs less is run
)

// A memoKey is a call: the function, the object it is a method of, and its constant arguments.
type memoKey struct {
	node  ast.Node
	this  *Object
	shape string
}

type memo struct {
	calls int
	cost  int
	value Value
}

// repeated runs a call, or takes what it came to before.
func (in *interp) repeated(c *closure, this Value, args []Value, run func() Value) Value {
	if in.current == nil || in.probing || !plain(args) {
		return run()
	}
	key := memoKey{node: c.node, shape: shape(args)}
	if len(this) == 1 {
		key.this = this[0].obj
	}
	m := in.memos[key]
	if m == nil {
		m = &memo{}
		in.memos[key] = m
	}
	if m.calls >= memoCalls && m.cost >= memoCost {
		return m.value
	}
	before := in.steps
	v := run()
	if !in.dead {
		m.calls++
		m.cost = in.steps - before
		m.value = join(m.value, v)
	}
	return v
}

// plain says whether arguments hold neither what the caller sent, nor objects, which might.
func plain(args []Value) bool {
	for _, v := range args {
		for _, a := range v {
			if a.kind == isObject || a.dep || len(holes(a.text)) > 0 {
				return false
			}
		}
	}
	return true
}
