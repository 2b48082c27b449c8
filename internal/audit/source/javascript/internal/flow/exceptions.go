// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"

	"github.com/dop251/goja/ast"
)

// Exceptions. A throw ends a way, and a catch takes it up again. Two kinds reach a catch: the
// program's own throws, with known facts, and exceptions out of unknown calls.

// A catcher gathers the ways that throw inside a try.
type catcher struct {
	mark int
	ways []way
	// facts about names that were looked up inside: if that fails, so does a request
	// (resolveName)
	resolved facts
	// full: some ways were left out.
	full bool
}

// throw ends the present way. The catcher tells most ways apart; of the others it only knows that
// there were some.
func (st *state) throw(v Value, most int) {
	if c := st.catcher; c != nil && !st.dead {
		if len(c.ways) < most {
			w := st.here(c.mark)
			w.value = v
			c.ways = append(c.ways, w)
		} else {
			c.full = true
		}
	}
	st.dead = true
}

// attempt is try and catch. The handler runs once for each way that throws, with its facts, and
// once more for exceptions from elsewhere: any call may throw before or after any write of the
// body. That run starts from the facts before the body, and finds slots as they were or as the
// body left them.
//
//	try { inside(p) } catch { return }     // behind it p is checked
//	try { inside(p) } catch { log() }      // behind it p is not: the handler goes on
func (st *state) attempt(run func(), handle func(thrown Value)) {
	outer, before := st.catcher, st.facts
	mark, floor := st.journal.open()
	c := &catcher{mark: mark}
	st.catcher = c
	run()
	st.catcher = outer
	body := st.here(c.mark)
	var ways []way
	if !st.dead {
		ways = append(ways, body)
	}
	st.journal.undo(c.mark)
	st.close(floor)
	st.facts, st.dead = before, false
	// Exceptions from elsewhere. If a look-up of a name is among them, its facts hold: a name
	// that cannot be resolved cannot be requested either. With ways left out, nothing is known.
	other := before
	if !c.full {
		other = before.and(c.resolved)
	}
	w, alive := st.fork(choice{possible: true}, func() {
		st.facts = other
		// The exception came before or after any of the writes, so each slot may have either
		// content.
		for _, w := range body.writes {
			st.journal.keep(w.s)
			w.s.content = joinSlots(w.s.content, w.what)
		}
		handle(unknownDep())
	})
	if alive {
		ways = append(ways, w)
	}
	for _, t := range c.ways {
		w, alive := st.fork(choice{possible: true, facts: t.facts, tool: t.tool}, func() {
			for _, w := range t.writes {
				st.journal.keep(w.s)
				w.s.content = w.what
			}
			handle(t.value)
		})
		if alive {
			ways = append(ways, w)
		}
	}
	st.meet(ways, false)
}

// try is a try statement. finally runs once, behind both; a way that was dead stays so.
func (in *interp) try(st *ast.TryStatement, s *scope, u *unit) {
	body := func() { in.block(st.Body.List, s, u) }
	if st.Catch == nil {
		body()
	} else {
		in.state.attempt(body, func(thrown Value) {
			inner := &scope{up: s}
			if st.Catch.Parameter != nil {
				in.declarePattern(st.Catch.Parameter, inner)
				in.bind(st.Catch.Parameter, thrown, inner, u, false)
			}
			in.block(st.Catch.Body.List, inner, u)
		})
	}
	if st.Finally != nil {
		dead := in.state.dead
		in.state.dead = false
		in.block(st.Finally.List, s, u)
		in.state.dead = in.state.dead || dead
	}
}

// isError reports whether a native class is one of exceptions.
func isError(name string) bool { return strings.HasSuffix(name, "Error") }

// newError is an exception of a native class. Handlers tell exceptions apart by their messages,
// so the texts of the constructor are kept.
func (hp *heap) newError(name string, args []Value) Value {
	o := hp.newObject(name)
	hp.set(o, "message", messageOf(args))
	return objectOf(o)
}

// messageOf joins the texts among the arguments of an exception.
func messageOf(args []Value) Value {
	var out Value
	for _, v := range args {
		if len(v) > 0 && v[0].kind == isText {
			if t := textOf(v); out == nil {
				out = t
			} else {
				out = concat(out, t)
			}
		}
	}
	// The constructor got no text: a message from the caller is possible.
	if out == nil {
		return unknownDep()
	}
	return out
}

// instanceOf is "value instanceof class". It is known for exceptions only, where a handler
// decides by it whether to go on:
//
//	catch (e) { if (e instanceof OutsideError) throw e; return fallback }
func instanceOf(v, class Value) Value {
	var out Value
	for _, a := range v {
		for _, c := range class {
			out = join(out, instanceOfOne(a, c).given(a.under, a.free))
		}
	}
	if len(out) == 0 {
		return anyTruth(v.depends())
	}
	return out
}

// instanceOfOne compares one exception with one class.
func instanceOfOne(a, c Atom) Value {
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
