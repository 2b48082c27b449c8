// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"sort"
	"strconv"
	"strings"
)

// Reading properties. Every read of the caller's arguments gives a new origin; every read of the
// program's own objects gives the written values.

// A sequence is the result of iterating over a value: elements of known index first, and rest for
// any element behind them or in between.
type sequence struct {
	known []Value
	rest  Value
}

// at is the element with an index.
func (q sequence) at(i int) Value {
	if i >= 0 && i < len(q.known) {
		return q.known[i]
	}
	if i < 0 || len(q.rest) == 0 {
		return undefined()
	}
	return q.rest
}

// all is any element. It stops at maxIterations elements: a list that long is a table, and its
// entries look alike.
func (q sequence) all() Value {
	out := q.rest
	for i, v := range q.known {
		if i >= maxIterations {
			break
		}
		out = join(out, v)
	}
	return out
}

// elements is the result of iterating over a value. A value of several lists is joined index by
// index. A text from the caller may be a list, and gives pieces of itself.
func (hp *heap) elements(v Value) sequence {
	var q sequence
	for _, a := range v {
		switch {
		case a.kind == isObject && a.obj.array != nil:
			// The common case shares the list.
			if len(v) == 1 {
				return sequence{mapGiven(a.obj.array.list, a), a.obj.array.rest.given(a.under, a.free)}
			}
			for i, e := range a.obj.array.list {
				e = e.given(a.under, a.free)
				if i < len(q.known) {
					q.known[i] = join(q.known[i], e)
				} else {
					q.known = append(q.known, e)
				}
			}
			q.rest = join(q.rest, a.obj.array.rest)
		// Iterating over a Map gives pairs, and over a Set its values.
		case a.kind == isObject && (a.obj.native == "Map" || a.obj.native == "FormData" || a.obj.native == "Headers"):
			for _, k := range a.obj.keys {
				q.known = append(q.known, objectOf(hp.newArray(constant(strings.TrimPrefix(k, "@")), a.obj.own(k))))
			}
			if a.obj.any != nil && len(a.obj.any.v) > 0 {
				q.rest = join(q.rest, objectOf(hp.newArray(unknown(), a.obj.any.v)))
			}
		case a.kind == isObject && a.obj.native == "Set":
			for _, k := range a.obj.keys {
				q.known = append(q.known, a.obj.own(k))
			}
			if a.obj.any != nil {
				q.rest = join(q.rest, a.obj.any.v)
			}
		case a.kind == isText && tainted(a.text):
			q.rest = join(q.rest, pieceOf(Value{a}))
		case a.kind == isObject && a.obj.native != "" && len(a.obj.data) > 0:
			q.rest = join(q.rest, a.obj.data)
		case a.kind == isUndefined, a.kind == isNull:
		default:
			q.rest = join(q.rest, Value{{kind: isUnknown, dep: a.dep}})
		}
	}
	return q
}

// mapGiven adds the facts of a list's alternative to its elements.
func mapGiven(list []Value, a Atom) []Value {
	if a.under.list == nil && !a.free && a.tool == "" {
		return list
	}
	out := make([]Value, len(list))
	for i, v := range list {
		out[i] = v.given(a.under, a.free)
	}
	return out
}

// pieceOf is an element of a value from the caller, or a part of its text. An element of a list
// keeps the name of the list, since the report tells parameters and not elements:
//
//	for (const f of args.files) read(f)    // the parameter is /files
//
// A part of a text is another matter: a guard of the whole text proves little about a part.
func pieceOf(v Value) Value {
	var out Value
	for _, a := range v {
		if a.open && len(a.text) == 1 {
			out = join(out, Value{a}) // an element has the name of its array
			continue
		}
		out = join(out, reshape(Value{a}, func(h hole) hole {
			if h.form == formRaw || h.form == formResolved || h.form == formJoined {
				h.form = formPiece
			}
			return h
		}))
	}
	return out
}

// keysOf is the names of a value's properties, as for … in gives them. Names in the caller's
// arguments come from the caller.
func (hp *heap) keysOf(v Value) sequence {
	var q sequence
	for _, a := range v {
		switch {
		case a.kind == isObject && a.obj.array != nil:
			hp.budget.cost(len(a.obj.array.list))
			for i := range a.obj.array.list {
				q.known = append(q.known, constant(strconv.Itoa(i)))
			}
		case a.kind == isObject && a.obj.call == nil:
			for _, k := range hp.names(a.obj) {
				q.known = append(q.known, constant(k))
			}
			if a.obj.any != nil && len(a.obj.any.v) > 0 {
				q.rest = unknown()
			}
		// Names of the caller's fields are the caller's text.
		case a.kind == isText && a.open:
			q.rest = join(q.rest, pieceOf(Value{a}))
		case a.kind == isUnknown || a.kind == isNative:
			q.rest = join(q.rest, Value{{kind: isUnknown, dep: a.dep}})
		}
	}
	return q
}

// names are the properties of an object that have a value now, in order. Private names are left
// out. Of getters the order is unknown, so they are sorted: the report must not depend on a map.
func (hp *heap) names(o *Object) []string {
	hp.budget.cost(len(o.keys))
	var list []string
	for _, k := range o.keys {
		if !strings.HasPrefix(k, "#") && (len(o.props[k].v) > 0 || len(o.getters[k]) > 0) {
			list = append(list, k)
		}
	}
	var computed []string
	for k := range o.getters {
		if o.props[k] == nil {
			computed = append(computed, k)
		}
	}
	sort.Strings(computed)
	return append(list, computed...)
}

// get reads a property of each alternative. Facts and the tool of the alternative pass to the
// value. Undefined and null have no properties; reading them would throw, and another alternative
// was the one.
func (in *interp) get(v Value, key string, at position) Value {
	in.budget.tick()
	var out Value
	for _, a := range v {
		f := in.getAtom(a, key, at).given(a.under, a.free)
		if a.tool != "" {
			f = tagged(f, a.tool)
		}
		out = join(out, f)
	}
	if len(out) == 0 {
		return undefined()
	}
	return out
}

// tagged is a value that serves one tool.
func tagged(v Value, tool string) Value {
	out := append(Value(nil), v...)
	for i := range out {
		out[i].tool = tool
	}
	return out
}

// getAtom reads a property of one alternative. Three cases carry the analysis: a field of the
// caller's arguments, a property of an object of the program, and a member of a native, which is
// a name.
func (in *interp) getAtom(a Atom, key string, at position) Value {
	switch a.kind {
	case isUndefined, isNull:
		return nil
	case isUnknown:
		return Value{{kind: isUnknown, dep: a.dep}}
	case isText:
		if key == "length" {
			if s, ok := a.constText(); ok {
				return number(float64(len(s)))
			}
			return unknownDepIf(tainted(a.text))
		}
		if a.open && len(a.text) == 1 {
			return in.turn.child(a.text[0].hole, key, at)
		}
		if i, err := strconv.Atoi(key); err == nil {
			if s, ok := a.constText(); ok && i >= 0 && i < len(s) {
				return constant(s[i : i+1])
			}
			return pieceOf(Value{a})
		}
		return native("String." + key)
	case isNumber:
		return native("Number." + key)
	case isBool, isTruth:
		return native("Boolean." + key)
	case isNative:
		return in.heap.getNative(a.name, key)
	}
	return in.getObject(a, key, at)
}

// unknownDepIf is unknown, and rests on an argument if dep.
func unknownDepIf(dep bool) Value { return Value{{kind: isUnknown, dep: dep}} }

// getObject reads a property of an object, in the order of JavaScript: the elements of a list,
// computed properties of native classes, the object and its prototypes, with getters called.
// Behind them come guesses: statics of a parent class, properties of unknown name, members of the
// native class.
func (in *interp) getObject(a Atom, key string, at position) Value {
	o := a.obj
	if o.array != nil {
		if key == "length" {
			if len(o.array.rest) == 0 {
				return number(float64(len(o.array.list)))
			}
			return unknownDepIf(o.array.rest.depends())
		}
		if i, err := strconv.Atoi(key); err == nil && i >= 0 {
			return sequence{o.array.list, o.array.rest}.at(i)
		}
	}
	if v, ok := in.heap.special(o, key); ok {
		return v
	}
	// The bound stops circles, which setPrototypeOf can make.
	for p, n := o, 0; p != nil && n < 32; p, n = p.proto, n+1 {
		if g, ok := p.getters[key]; ok {
			return in.call(g, objectOf(o), nil, at)
		}
		if v := p.own(key); len(v) > 0 {
			return v
		}
	}
	if o.class != nil {
		if v, ok := in.inheritedStatic(o, key, at); ok {
			return v
		}
	}
	// Some property was set under an unknown name, so this one may be it.
	if o.any != nil && len(o.any.v) > 0 {
		return join(undefined(), in.turn.nameFields(o.any.v, key, at))
	}
	if o.native != "" && o.native != "Array" {
		return native(o.native + "#." + key)
	}
	// Functions were classes once: F.prototype.method = …
	if o.call != nil && key == "prototype" && !o.call.arrow && in.turn.handler != nil {
		p := objectOf(in.heap.newObject(""))
		in.heap.set(o, key, p)
		return p
	}
	if o.call != nil {
		return native("Function." + key)
	}
	if key == "default" && o.array == nil {
		return objectOf(o) // the default export of a CommonJS module
	}
	return undefined()
}

// inheritedStatic is a static property of a class above.
func (in *interp) inheritedStatic(o *Object, key string, at position) (Value, bool) {
	if len(o.class.parent) == 0 || in.nesting.calls > in.budget.limits.Depth {
		return nil, false
	}
	for _, p := range o.class.parent {
		if p.kind == isObject && p.obj != o && p.obj.class != nil {
			if v := p.obj.own(key); len(v) > 0 {
				return v, true
			}
		}
	}
	return nil, false
}

// getAny reads a property of unknown name: any of them, or undefined.
func (in *interp) getAny(v Value) Value {
	var out Value
	for _, a := range v {
		switch {
		case a.kind == isObject && a.obj.array != nil:
			in.budget.cost(min(len(a.obj.array.list), maxIterations))
			out = join(out, sequence{a.obj.array.list, a.obj.array.rest}.all())
		case a.kind == isObject:
			for i, k := range in.heap.names(a.obj) {
				if i >= maxIterations {
					break
				}
				out = join(out, in.getObject(a, k, position{}))
			}
			if a.obj.any != nil {
				out = join(out, a.obj.any.v)
			}
			out = join(out, undefined())
		case a.kind == isText:
			out = join(out, wild(pieceOf(Value{a})))
		default:
			out = join(out, Value{{kind: isUnknown, dep: a.dep}})
		}
	}
	return out
}

// wild marks a value as any field of the arguments. It gets a name where one is read.
func wild(v Value) Value {
	return remap(v, func(h hole) hole { h.wild = true; return h })
}

// nameFields gives such a field the name under which it is read.
func (t *turn) nameFields(v Value, key string, at position) Value {
	var out Value
	for _, a := range v {
		if a.kind == isText && len(a.text) == 1 && a.text[0].hole != nil && a.text[0].hole.wild {
			h := *a.text[0].hole
			h.wild = false
			for _, c := range t.child(&h, key, at) {
				c.open, c.under, c.dep = a.open, a.under, a.dep
				out = join(out, Value{c})
			}
			continue
		}
		out = join(out, Value{a})
	}
	return out
}
