// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// Conditions. A condition is a value like any other; its alternatives carry the facts that each
// of them proves. A branch splits them into truthy and falsy ones, and keeps the facts common to
// each side.

// logical is &&, || and ??. The right side runs only where the left side does not decide, so it
// runs under the left side's facts, and its ways join with the way that skips it.
//
//	if (p && ok(p)) read(p)
//	const dir = args.dir ?? "/srv"
//
// short are the alternatives of the left side that are the result; on are those with which the
// right side is evaluated.
func (in *interp) logical(e *ast.BinaryExpression, s *scope, u *unit) Value {
	left := in.eval(e.Left, s, u)
	var short, on Value
	switch e.Operator {
	case token.LOGICAL_AND:
		on, short = sides(left)
	case token.LOGICAL_OR:
		short, on = sides(left)
	default:
		for _, a := range left {
			switch a.kind {
			case isUndefined, isNull:
				on = append(on, a)
			// Either may be null at run time.
			case isUnknown, isNative:
				on, short = append(on, a), append(short, a)
			case isText:
				if a.open {
					on = append(on, a)
				}
				short = append(short, a)
			default:
				short = append(short, a)
			}
		}
		if len(left) == 0 {
			on = undefined()
		}
	}
	// The left side decides in every case.
	if len(on) == 0 {
		return short
	}
	// It never decides: the right side is the result, and runs in place.
	if len(short) == 0 {
		c := choiceOf(on, !left.depends())
		in.state.facts = in.state.facts.and(c.facts)
		return in.eval(e.Right, s, u)
	}
	yes := choiceOf(on, !left.depends())
	var right Value
	rest, alive := in.state.fork(yes, func() { right = in.eval(e.Right, s, u) })
	no := choiceOf(short, yes.free)
	other, _ := in.state.fork(no, func() {})
	ways := []way{other}
	if alive {
		ways = append(ways, rest)
		// name === "a" && …: true here means that tool.
		if yes.tool != "" {
			for i := range right {
				if right[i].pick == "" {
					right[i].pick = yes.tool
				}
			}
		}
	} else {
		right = nil
	}
	in.state.meet(ways, false)
	return join(short, right.given(yes.facts, yes.free && e.Operator == token.LOGICAL_OR))
}

// sides splits a value into its truthy and its falsy alternatives. The facts of the test move
// into under, since from here on they hold without a further test. A text without a character
// holds no attack: its holes are gone on the falsy side.
func sides(v Value) (truthy, falsy Value) {
	if len(v) > 0 && !slices.ContainsFunc(v, Atom.mayBeFalsy) {
		return v[:len(v):len(v)], nil
	}
	for i := range v {
		a := v[i]
		may, mayNot := a.truth()
		if may {
			truthy = slices.Grow(truthy, len(v)-i)
			t := a
			if a.kind == isTruth {
				t.kind, t.b = isBool, true
			}
			t.under, t.yes, t.no = a.under.and(a.yes), facts{}, facts{}
			truthy = append(truthy, t)
		}
		if mayNot {
			falsy = slices.Grow(falsy, len(v)-i)
			f := a
			switch {
			case a.kind == isTruth:
				f.kind, f.b, f.pick = isBool, false, ""
			case a.kind == isText: // no attack is in a text that is empty
				f.dep = a.dep || tainted(a.text)
				f.text, f.open = nil, false
			}
			f.under, f.yes, f.no = a.under.and(a.no), facts{}, facts{}
			if a.kind == isText || a.dep && (a.kind == isUndefined || a.kind == isNull) {
				f.under = f.under.and(v.missing())
			}
			falsy = append(falsy, f)
		}
	}
	if len(v) == 0 {
		falsy = undefined()
	}
	return truthy, falsy
}

// missing are the facts about an argument that is empty or was not sent: no attack is in it. This
// holds only if the value is the argument as it was sent, and nothing else.
//
//	if (args.dir) inside(args.dir)    // on the other way there is nothing to check
func (v Value) missing() facts {
	id := 0
	for _, a := range v {
		switch {
		case a.kind == isText && len(a.text) == 1 && a.text[0].hole != nil && a.text[0].hole.form == formRaw && !a.text[0].hole.split && !a.text[0].hole.wild:
			if o := a.text[0].hole.origin; o.pointer == toolPointer || o.pointer == "" || id != 0 && id != o.id {
				return facts{}
			} else {
				id = o.id
			}
		case a.kind == isUndefined || a.kind == isNull:
		default:
			return facts{}
		}
	}
	return known(id, bitsAll)
}

// mayBeFalsy reports whether sides has to split an alternative. One that learns something from a
// test is split even if it is always truthy.
func (a Atom) mayBeFalsy() bool {
	_, mayNot := a.truth()
	return mayNot || a.yes.list != nil || a.no.list != nil
}

// truth reports whether an atom may be truthy, and whether it may be falsy.
func (a Atom) truth() (may, mayNot bool) {
	switch a.kind {
	case isUndefined, isNull:
		return false, true
	case isBool:
		return a.b, !a.b
	case isNumber:
		return a.n != 0 && a.n == a.n, a.n == 0 || a.n != a.n
	case isObject:
		return true, false
	case isText:
		if s, ok := a.constText(); ok {
			return s != "", s == ""
		}
		for _, p := range a.text {
			if p.s != "" {
				return true, false
			}
		}
	}
	return true, true
}

// choices are the two sides of a condition.
func choices(v Value) (yes, no choice) {
	truthy, falsy := sides(v)
	free := !v.depends()
	return choiceOf(truthy, free), choiceOf(falsy, free)
}

// choiceOf is the side of a branch with these alternatives: its facts are those common to all of
// them. Alternatives that the configuration chose count only if there are no others.
func choiceOf(v Value, free bool) choice {
	c := choice{free: free, possible: len(v) > 0}
	first := true
	for pass := range 2 {
		for _, a := range v {
			if a.free && pass == 0 {
				continue
			}
			if first {
				c.facts, c.tool, first = a.under, a.pick, false
				continue
			}
			c.facts = c.facts.or(a.under)
			if a.pick != c.tool {
				c.tool = ""
			}
		}
		if !first {
			break
		}
	}
	return c
}

// not is !v. It turns each alternative into true or false, with its facts.
func not(v Value) Value {
	truthy, falsy := sides(v)
	var out Value
	for i, list := range []Value{truthy, falsy} {
		for _, a := range list {
			out = join(out, Value{{kind: isBool, b: i == 1, under: a.under, dep: a.dep || tainted(a.text), free: a.free, pick: a.pick}})
		}
	}
	return out
}
