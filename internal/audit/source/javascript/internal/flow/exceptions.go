// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"

	"github.com/dop251/goja/ast"
)

// A catcher gathers the ways on which what is being tried throws.
type catcher struct {
	mark     int
	ways     []way
	resolved facts // of names that were looked up: where that fails, so does a request
	full     bool
}

// maxThrown bounds the ways into a handler of exceptions that are told apart.
func (in *interp) maxThrown() int {
	if in.widened() {
		return 1
	}
	return 6
}

// throw ends the present way.
func (in *interp) throw(v Value) {
	if c := in.catcher; c != nil && !in.dead {
		if len(c.ways) < in.maxThrown() {
			w := in.here(c.mark)
			w.value = v
			c.ways = append(c.ways, w)
		} else {
			c.full = true
		}
	}
	in.dead = true
}

// attempt runs something, and what handles its exceptions: once for each that the program throws,
// with what is known there, and once for all others, of which nothing is known.
func (in *interp) attempt(run func(), handle func(thrown Value)) {
	outer, before := in.catcher, in.facts
	mark, floor := in.open()
	c := &catcher{mark: mark}
	in.catcher = c
	run()
	in.catcher = outer
	body := in.here(c.mark)
	var ways []way
	if !in.dead {
		ways = append(ways, body)
	}
	in.undo(c.mark)
	in.close(floor)
	in.facts, in.dead = before, false
	other := before
	if !c.full {
		other = before.and(c.resolved)
	}
	w, alive := in.fork(choice{possible: true}, func() {
		in.facts = other
		for _, w := range body.writes {
			in.keep(w.s)
			w.s.content = joinSlots(w.s.content, w.what)
		}
		handle(unknownDep())
	})
	if alive {
		ways = append(ways, w)
	}
	for _, t := range c.ways {
		w, alive := in.fork(choice{possible: true, facts: t.facts, tool: t.tool}, func() {
			for _, w := range t.writes {
				in.keep(w.s)
				w.s.content = w.what
			}
			handle(t.value)
		})
		if alive {
			ways = append(ways, w)
		}
	}
	in.meet(ways, false)
}

func (in *interp) try(st *ast.TryStatement, s *scope, u *unit) {
	body := func() { in.block(st.Body.List, s, u) }
	if st.Catch == nil {
		body()
	} else {
		in.attempt(body, func(thrown Value) {
			inner := &scope{up: s}
			if st.Catch.Parameter != nil {
				in.declarePattern(st.Catch.Parameter, inner)
				in.bind(st.Catch.Parameter, thrown, inner, u, false)
			}
			in.block(st.Catch.Body.List, inner, u)
		})
	}
	if st.Finally != nil {
		dead := in.dead
		in.dead = false
		in.block(st.Finally.List, s, u)
		in.dead = in.dead || dead
	}
}

// isError says whether a native class is one of exceptions.
func isError(name string) bool { return strings.HasSuffix(name, "Error") }

// newError is an exception of a class that is not the program's. Its message holds the texts that it
// was made with.
func (in *interp) newError(name string, args []Value) Value {
	o := in.newObject(name)
	in.set(o, "message", in.messageOf(args))
	return objectOf(o)
}

func (in *interp) messageOf(args []Value) Value {
	var out Value
	for _, v := range args {
		if len(v) > 0 && v[0].kind == isText {
			if t := in.text(v); out == nil {
				out = t
			} else {
				out = concat(out, t)
			}
		}
	}
	if out == nil {
		return unknownDep()
	}
	return out
}

// instanceOf is value instanceof class, where what is known of exceptions tells.
func (in *interp) instanceOf(v, class Value) Value {
	var out Value
	for _, a := range v {
		for _, c := range class {
			out = join(out, in.instanceOfOne(a, c).given(a.under, a.free))
		}
	}
	if len(out) == 0 {
		return anyTruth(v.depends())
	}
	return out
}

func (in *interp) instanceOfOne(a, c Atom) Value {
	if a.kind != isObject || !isError(a.obj.native) {
		return anyTruth(a.dep || tainted(a.text))
	}
	switch {
	case c.kind == isNative:
		return truth(c.name == "Error" || a.obj.native == c.name)
	case c.kind == isObject && c.obj.class != nil:
		for p := a.obj.proto; p != nil; p = p.proto {
			if p == c.obj.class.protoObject {
				return truth(true)
			}
		}
		return truth(false)
	}
	return anyTruth(false)
}
