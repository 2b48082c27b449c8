// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"

	"github.com/dop251/goja/token"
)

// Lists, and comparisons. Both are where allow lists are made:
//
//	if (!ALLOWED.includes(args.host)) throw …
//	if (args.mode === "fast" || args.mode === "safe") …
//
// A list knows the elements with a known index, and joins the others into one value.

// objectMethod calls a method of an object: one that the program defined, one of a list, a
// function's call, apply and bind, one of a native class, and last one on a prototype. A call of
// an unknown method is a call of an unknown function.
func (in *interp) objectMethod(a Atom, key string, args []Value, at position) Value {
	o := a.obj
	own := o.own(key)
	switch {
	// A property that is no function hides a native's method only on plain objects.
	case len(own) > 0 && (len(callable(own)) > 0 || o.native == ""):
		return in.call(own, Value{a}, args, at)
	case o.array != nil:
		return in.arrayMethod(o, key, args, at)
	case o.call != nil || o.class != nil && o.class.ctor == o:
		switch key {
		case "call":
			return in.call(Value{a}, arg(args, 0), args[min(1, len(args)):], at)
		case "apply":
			q := in.heap.elements(arg(args, 1))
			return in.call(Value{a}, arg(args, 0), q.known, at)
		case "bind":
			return in.heap.bindFunction(o, args)
		}
	}
	if v, ok := in.instanceMethod(o, key, args, at); ok {
		return v
	}
	v := in.get(Value{a}, key, at)
	if len(v) == 1 && v[0].kind == isUndefined {
		// Nothing defines the method: it is one that every object has, or unknown.
		if key == "toString" || key == "hasOwnProperty" {
			if key == "hasOwnProperty" {
				return hasKey(Value{a}, arg(args, 0))
			}
			return textOf(Value{a})
		}
		return in.unknownCall(key, Value{a}, args, at)
	}
	// A class of the program may inherit a sink from a native one.
	if len(v) == 1 && v[0].kind == isNative {
		in.sinks.method(key, args, at)
	}
	return in.call(v, Value{a}, args, at)
}

// bindFunction is f.bind(this, …): the same function, with arguments in front.
func (hp *heap) bindFunction(o *Object, args []Value) Value {
	if o.call == nil {
		return objectOf(o)
	}
	n := hp.newObject("")
	c := *o.call
	// An arrow function keeps its own this.
	if this := arg(args, 0); len(args) > 0 && !c.arrow {
		c.this = this
	}
	if len(args) > 1 {
		c.bound = append(append([]Value(nil), c.bound...), args[1:]...)
	}
	n.call = &c
	return objectOf(n)
}

// arrayMethod calls a method of a list. Methods that change a list keep the old content in the
// journal and replace list by a copy, because captures share it.
func (in *interp) arrayMethod(o *Object, key string, args []Value, at position) Value {
	q := sequence{o.array.list, o.array.rest}
	first := arg(args, 0)
	in.budget.cost(len(q.known) + len(args))
	switch key {
	// Past the bound, the new elements lose their index but are not lost.
	case "push", "unshift":
		in.journal.keep(o.array)
		add := append([]Value(nil), args...)
		if len(o.array.list)+len(add) > in.turn.maxList() {
			o.array.rest = join(o.array.rest, sequence{known: add}.all())
			return unknown()
		}
		switch {
		case key == "unshift":
			o.array.list = append(add, q.known...)
		case len(q.rest) > 0: // their place is not known
			o.array.rest = join(q.rest, sequence{known: add}.all())
		default:
			o.array.list = append(append([]Value(nil), q.known...), add...)
		}
		return unknown()
	// The list stays as it is: which element is gone is rarely known in a loop.
	case "pop", "shift", "at":
		if key == "at" {
			if i, ok := first.num(); ok && i >= 0 {
				return q.at(int(i))
			}
		}
		return join(q.all(), undefined())
	case "concat":
		n := in.heap.newArray(q.known...)
		n.array.rest = q.rest
		for _, v := range args {
			for _, a := range v {
				if a.kind == isObject && a.obj.array != nil {
					n.array.list = append(append([]Value(nil), n.array.list...), a.obj.array.list...)
					n.array.rest = join(n.array.rest, a.obj.array.rest)
				} else {
					n.array.list = append(append([]Value(nil), n.array.list...), Value{a})
				}
			}
			clamp(&n.array.content)
			in.budget.cost(len(n.array.list))
		}
		return objectOf(n)
	case "join":
		sep := constant(",")
		if len(args) > 0 {
			sep = textOf(first)
		}
		return joinArray(o, sep)
	case "toString":
		return joinArray(o, constant(","))
	case "slice", "splice", "reverse", "sort", "toSorted", "toReversed", "flat", "fill", "copyWithin":
		return in.rearranged(o, key, args, at)
	// allowed.includes(x) is an allow list, parts.includes("..") looks for an attack.
	case "includes", "indexOf":
		r := in.member(q, first)
		if key == "indexOf" {
			return indexed(r)
		}
		return r
	case "keys", "entries", "values":
		return objectOf(o)
	case "map", "forEach", "filter", "some", "every", "find", "findLast", "findIndex", "flatMap", "reduce", "reduceRight":
		return in.iterate(o, q, key, args, at)
	}
	if v := o.own(key); len(v) > 0 {
		return in.call(v, objectOf(o), args, at)
	}
	return in.unknownCall(key, objectOf(o), args, at)
}

// joinArray is list.join(sep): texts in their order, then any number of further elements.
func joinArray(o *Object, sep Value) Value {
	out := constant("")
	for i, v := range o.array.list {
		if i > maxIterations {
			break
		}
		if i > 0 {
			out = concat(out, sep)
		}
		out = concat(out, textOf(v))
	}
	if len(o.array.rest) > 0 {
		if len(o.array.list) > 0 {
			out = concat(out, sep)
		}
		out = concat(out, concat(textOf(o.array.rest), Value{{kind: isText, text: []part{{unknown: true}}}}))
	}
	return out
}

// rearranged is a list with its elements in another order, or some of them. slice from the front
// and sort keep indices; the others lose them.
func (in *interp) rearranged(o *Object, key string, args []Value, at position) Value {
	n := in.heap.newArray()
	q := sequence{o.array.list, o.array.rest}
	i, ok := arg(args, 0).num()
	switch {
	case key == "slice" && (len(args) == 0 || ok && i >= 0 && len(args) == 1 && len(q.rest) == 0):
		n.array.list = q.known[min(int(i), len(q.known)):]
	case key == "slice" && ok && i >= 0 && len(args) == 1:
		n.array.list = q.known[min(int(i), len(q.known)):]
		n.array.rest = q.rest
	// One level is flattened; deeper ones stay lists, and their elements are found anyway.
	case key == "flat":
		for _, v := range q.known {
			for _, a := range v {
				if a.kind == isObject && a.obj.array != nil {
					n.array.list = append(n.array.list, a.obj.array.list...)
					n.array.rest = join(n.array.rest, a.obj.array.rest)
				} else {
					n.array.list = append(n.array.list, Value{a})
				}
			}
		}
		n.array.rest = join(n.array.rest, q.rest)
		clamp(&n.array.content)
	case key == "sort" || key == "toSorted":
		n.array.list, n.array.rest = q.known, q.rest
	default:
		n.array.rest = q.all()
		if key == "splice" {
			for _, v := range args[min(2, len(args)):] {
				in.arrayMethod(o, "push", []Value{v}, at)
			}
		}
	}
	return objectOf(n)
}

// member is list.includes(value), in one of three roles:
//
//	"constants".includes("x")          // known
//	path.split("/").includes("..")     // the list holds the caller's text: as ===
//	ALLOWED.includes(args.host)        // the caller's text among the program's own
func (in *interp) member(q sequence, v Value) Value {
	if s, ok := v.one(); ok {
		sure := len(q.rest) == 0
		for _, e := range q.known {
			if w, ok := e.one(); ok && w == s {
				return truth(true)
			} else if !ok {
				sure = false
			}
		}
		if sure {
			return truth(false)
		}
	}
	if len(v.tainted()) == 0 {
		// The list holds the caller's text, as in p.split("/").includes("..").
		if len(q.all().tainted()) > 0 {
			return in.equal(q.all(), v, true)
		}
		return anyTruth(v.depends() || q.all().depends())
	}
	if len(q.all().tainted()) > 0 {
		return anyTruth(true)
	}
	// The list is known: membership is equality with one of its elements, each tried on the
	// attacks. A list that allows "localhost" is no guard of localhost.
	if len(q.rest) == 0 && len(q.known) <= maxIterations {
		out := truth(false)
		for _, e := range q.known {
			eq := in.equal(v, e, true)
			if len(out) == 1 && out[0].kind == isBool && !out[0].b {
				out = eq
			} else {
				out = orTruth(out, eq)
			}
		}
		return out
	}
	// The list comes from the configuration or is too long: it counts as an allow list.
	return eachAtom(v, func(a Atom) Value { return among(a.text) })
}

// orTruth is "a or b" for two values that are evaluated already: true knows what either side's
// true knows, false knows both.
func orTruth(a, b Value) Value {
	t, f := sides(a)
	t2, f2 := sides(b)
	out := Atom{kind: isTruth, dep: a.depends() || b.depends()}
	out.no = choiceOf(f, false).facts.and(choiceOf(f2, false).facts)
	yes := join(clear(t), clear(t2))
	out.yes = choiceOf(yes, false).facts
	// One side is never false, so the whole is always true.
	if len(f) == 0 || len(f2) == 0 {
		return Value{{kind: isBool, b: true, dep: out.dep, under: out.yes}}
	}
	if len(t) == 0 && len(t2) == 0 {
		return Value{{kind: isBool, dep: out.dep, under: out.no}}
	}
	return Value{out}
}

// andTruth is "a and b".
func andTruth(a, b Value) Value { return not(orTruth(not(a), not(b))) }

// clear marks alternatives as resting on an argument.
func clear(v Value) Value {
	out := append(Value(nil), v...)
	for i := range out {
		out[i].dep = true
	}
	return out
}

// iterate calls a function for each known element, and once for all others joined: map, filter,
// find, some, every, reduce. Results of elements with a known index keep it.
//
// filter, some and every carry guards of lists:
//
//	args.paths.every((p) => inside(p))       // true: each element is checked
//	const safe = args.paths.filter(inside)   // safe has checked elements only
//
// every is taken to have called its function: an empty list has no attack in it.
func (in *interp) iterate(o *Object, q sequence, key string, args []Value, at position) Value {
	fn := arg(args, 0)
	if len(callable(fn)) == 0 {
		return unknownDepIf(q.all().depends())
	}
	q = q.bounded(in.turn.rounds())
	out := in.heap.newArray()
	var verdict, found, acc Value
	acc = arg(args, 1)
	round := func(i Value, v Value, known bool) {
		in.budget.tick()
		params := []Value{v, i, objectOf(o)}
		// Each call gets the result of the one before it.
		if strings.HasPrefix(key, "reduce") {
			if len(args) < 2 && len(acc) == 1 && acc[0].kind == isUndefined {
				acc = v
				return
			}
			r := in.call(fn, undefined(), []Value{acc, v, i, objectOf(o)}, at)
			if known {
				acc = r
			} else {
				acc = join(acc, r)
			}
			return
		}
		dead := in.state.dead
		r := in.call(fn, undefined(), params, at)
		// The callback always throws for this element: nothing goes on behind it.
		if in.state.dead && !dead {
			return
		}
		switch key {
		case "map":
			if known {
				out.array.list = append(out.array.list, r)
			} else {
				out.array.rest = r
			}
		case "flatMap":
			e := in.heap.elements(r)
			out.array.list = append(out.array.list, e.known...)
			out.array.rest = join(out.array.rest, e.rest)
			clamp(&out.array.content)
		// An element that passes keeps the facts of the condition, and its tool if the condition
		// compares with a tool's name: tools.find((t) => t.name === name).
		case "filter", "find", "findLast":
			yes, no := choices(r)
			if !yes.possible {
				return
			}
			kept := v.given(yes.facts, yes.free)
			if yes.tool != "" {
				kept = tagged(kept, yes.tool)
			}
			found = join(found, kept)
			if known && key == "filter" && !no.possible {
				out.array.list = append(out.array.list, kept)
			} else {
				out.array.rest = join(out.array.rest, kept)
			}
			// The filtered list is taken to replace the argument from here on, so the facts hold
			// for the argument itself. A program that goes on with both is judged too well.
			if len(v.tainted()) > 0 && key == "filter" {
				in.state.facts = in.state.facts.and(yes.facts)
			}
		case "some", "findIndex":
			if verdict == nil {
				verdict = r
			} else {
				verdict = orTruth(verdict, r)
			}
		case "every":
			if verdict == nil {
				verdict = r
			} else {
				verdict = andTruth(verdict, r)
			}
		}
	}
	for i, v := range q.known {
		if in.state.dead {
			break
		}
		round(number(float64(i)), v, true)
	}
	// An unknown number of further elements: the callback runs once for them.
	for _, v := range alternatives(key, q.rest) {
		if !in.state.dead {
			round(unknown(), v, false)
		}
	}
	switch key {
	case "map", "flatMap", "filter":
		return objectOf(out)
	case "find", "findLast":
		return join(found, Value{{kind: isUndefined, dep: q.all().depends()}})
	case "some", "every":
		if verdict == nil {
			return truth(key == "every")
		}
		return asTruth(verdict)
	case "findIndex":
		if verdict == nil {
			return number(-1)
		}
		return indexed(asTruth(verdict))
	case "reduce", "reduceRight":
		return acc
	}
	return undefined()
}

// alternatives are the elements of unknown index, as a callback gets them. find and filter get
// them one by one, so that the tool with a given name is not all tools; everything else gets them
// at once.
func alternatives(key string, rest Value) []Value {
	if len(rest) == 0 {
		return nil
	}
	if key != "find" && key != "findLast" && key != "filter" || len(rest) > maxIterations {
		return []Value{rest}
	}
	var out []Value
	for _, a := range rest {
		out = append(out, Value{a})
	}
	return out
}

// asTruth turns alternatives into true and false, one each.
func asTruth(v Value) Value { return not(not(v)) }

// arrayFrom is Array.from(iterable, map).
func (in *interp) arrayFrom(args []Value, at position) Value {
	q := in.heap.elements(arg(args, 0))
	o := in.heap.newArray(q.known...)
	o.array.rest = q.rest
	if len(args) > 1 {
		return in.arrayMethod(o, "map", args[1:], at)
	}
	return objectOf(o)
}

// equal is a == b, for each pair of alternatives. Comparisons with an index of -1 or 0 ask
// whether something was found.
func (in *interp) equal(a, b Value, strict bool) Value {
	if v, ok := compareIndex(token.EQUAL, a, b); ok {
		return v
	}
	var out Value
	for _, x := range a {
		for _, y := range b {
			out = join(out, in.equalAtoms(x, y, strict).given(x.under.and(y.under), x.free || y.free))
		}
	}
	if len(out) == 0 {
		return anyTruth(a.depends() || b.depends())
	}
	return out
}

// equalAtoms compares two alternatives. The cases that matter, in this order:
//
//	name === "read_file"          // the tool's name: where true, this way serves that tool
//	typeof p === "string"         // a check of the type
//	p === "a.txt"                 // tried on the attacks, as any other predicate
//	p === process.env.NAME        // one value that the program knows: nothing else gets through
//	p === undefined               // may be: arguments can be missing
//	sep === "/"                   // what is known of the end of a root
func (in *interp) equalAtoms(x, y Atom, strict bool) Value {
	// The tool's name stands on the right from here on, and so does a constant below.
	if h := toolHole(x); h {
		x, y = y, x
	}
	if toolHole(y) {
		if s, ok := x.constText(); ok {
			in.registry.picks[s] = true
			return Value{{kind: isTruth, dep: true, pick: s}}
		}
		return anyTruth(true)
	}
	if len(holes(x.text)) == 0 && len(holes(y.text)) > 0 {
		x, y = y, x
	}
	s, okX := x.constText()
	c, okY := y.constText()
	switch {
	// Both are known. With === a number never equals a text.
	case okX && okY && (x.kind == y.kind || !strict):
		return truth(s == c)
	case okX && okY:
		return truth(false)
	// Two arguments: the caller decides.
	case len(holes(x.text)) > 0 && len(holes(y.text)) > 0:
		return anyTruth(true)
	case len(holes(x.text)) > 0 && x.text[0].hole != nil && x.text[0].hole.form == formType:
		return typeIs(x, c)
	case len(holes(x.text)) > 0 && (y.kind == isText || y.kind == isUnknown || y.kind == isNative):
		if y.kind == isText && (okY || len(y.text) > 1) {
			return predicate(x.text, y.text, func(v, c string) ternary { return tern(v == c) })
		}
		// The other side rests on an argument, so the caller can make them equal.
		if y.dep {
			return anyTruth(true)
		}
		return among(x.text)
	// Only a whole argument can be missing; a text around it is always there.
	case len(holes(x.text)) > 0 && (y.kind == isUndefined || y.kind == isNull):
		if x.open || x.text[0].hole != nil && len(x.text) == 1 {
			return anyTruth(true)
		}
		return truth(false)
	case len(holes(x.text)) > 0:
		return anyTruth(true)
	// undefined, null and booleans compare by kind; == takes undefined and null as equal.
	case simple(x) && simple(y):
		if x.kind == y.kind {
			return truth(x.kind != isBool || x.b == y.b)
		}
		if !strict && (x.kind == isUndefined || x.kind == isNull) && (y.kind == isUndefined || y.kind == isNull) {
			return truth(true)
		}
		return truth(false)
	case simple(x) && isPresent(y) || simple(y) && isPresent(x):
		return truth(false)
	case x.kind == isObject && y.kind == isObject:
		return truth(x.obj == y.obj)
	}
	// A comparison of an unknown character with "/": see bitRootSlash.
	if okY && c == "/" || okX && s == "/" {
		return Value{{kind: isTruth, dep: x.dep || y.dep, yes: known(0, bitRootSlash)}}
	}
	return anyTruth(x.dep || y.dep)
}

// simple reports whether a kind has no values but those that comparing kinds and b tells.
func simple(a Atom) bool { return a.kind == isUndefined || a.kind == isNull || a.kind == isBool }

// isPresent reports whether an atom is certainly something other than missing or a truth.
func isPresent(a Atom) bool {
	_, ok := a.constText()
	return ok || a.kind == isObject || a.kind == isText && len(holes(a.text)) == 0
}

// typeIs is typeof x === "string". For a type without text in it, no attack is left.
func typeIs(x Atom, want string) Value {
	out := Atom{kind: isTruth, dep: true}
	for _, h := range holes(x.text) {
		switch want {
		case "string":
			out.yes = out.yes.and(known(h.origin.id, bitTyped))
		case "number", "boolean", "bigint", "undefined", "function":
			out.yes = out.yes.and(known(h.origin.id, bitsAll))
		}
	}
	return Value{out}
}

// hasKey is "key in object", and Object.hasOwn. With a key from the caller it is an allow list,
// if the object is the program's.
func hasKey(o, key Value) Value {
	k, isConst := key.one()
	var out Value
	for _, a := range o {
		switch {
		case a.kind == isObject && isConst && a.obj.any == nil && a.obj.native == "" && a.obj.proto == nil && a.obj.class == nil:
			has := a.obj.props[k] != nil && len(a.obj.props[k].v) > 0 || len(a.obj.getters[k]) > 0
			out = join(out, truth(has))
		case a.kind == isObject && len(key.tainted()) > 0 || a.kind == isNative || a.kind == isUnknown && len(key.tainted()) > 0 && !a.dep:
			if isToolName(key) {
				out = join(out, anyTruth(true))
				continue
			}
			out = join(out, eachAtom(key, func(k Atom) Value { return among(k.text) }))
		default:
			out = join(out, anyTruth(a.dep || key.depends() || a.open))
		}
	}
	if len(out) == 0 {
		return anyTruth(key.depends())
	}
	return out
}
