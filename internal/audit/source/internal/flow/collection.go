// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strconv"
)

// index is an element of a value.
func (in *Interp) index(v, key Value, pos Pos) Value {
	var out Value
	found := false
	add := func(got Value) {
		if found {
			got = either(out, got)
		}
		out, found = got, true
	}
	keys, closed := key.Strings()
	for _, o := range v.objs {
		switch {
		case o.kind == arguments && closed:
			for _, k := range keys {
				if a, ok := o.fields[k]; ok {
					add(in.load(a))
				} else if _, err := strconv.Atoi(k); err == nil {
					add(in.argument(o.tool, "", pos))
				} else {
					add(in.argument(o.tool, k, pos))
				}
			}
		case o.kind == arguments:
			add(in.argument(o.tool, "", pos))
		case key.tool:
			if got, ok := in.dispatch(o); ok {
				add(got)
			}
		case closed:
			for _, k := range keys {
				if a, ok := o.fields[negative(o, k)]; ok {
					add(in.load(a))
				}
			}
			if o.elem != 0 {
				add(in.load(o.elem))
			}
		default:
			for _, f := range o.order {
				add(in.load(o.fields[f]))
			}
			if o.elem != 0 {
				add(in.load(o.elem))
			}
		}
	}
	for _, n := range v.Native {
		if got, ok := in.lang.Attr(in, n, "[]", v, pos); ok {
			add(got)
		}
	}
	if len(v.nodes) > 0 {
		how := Word
		for _, n := range v.nodes {
			if n.how == Address {
				how = Address
			}
		}
		d := in.Derive(how, ofAnswer(v.nodes), pos, "", Value{nodes: v.nodes})
		if found {
			d = either(out, d)
		}
		out = d
	}
	return out
}

func negative(o *object, k string) string {
	if i, err := strconv.Atoi(k); err == nil && i < 0 && o.kind == list && !o.open {
		return strconv.Itoa(len(o.order) + i)
	}
	return k
}

// dispatch is the element of a table that the tool's name chooses. Each element, if called, runs for the tool
// of its key.
func (in *Interp) dispatch(o *object) (Value, bool) {
	var out Value
	found := false
	for _, f := range o.order {
		in.named[f] = true
		v := in.load(o.fields[f])
		fns := make([]*closure, len(v.fns))
		for i, c := range v.fns {
			c2 := *c
			c2.frame = &frame{vars: map[any]addr{}, parent: c.frame, born: in.next}
			c2.frame.vars[toolKey{}] = in.constant(f)
			fns[i] = &c2
		}
		v.fns = fns
		for i, obj := range v.objs {
			if obj.kind == record {
				c := *obj
				c.born = in.next
				a := in.constant(f)
				c.fields = map[string]addr{}
				for k, at := range obj.fields {
					c.fields[k] = at
				}
				c.fields[toolField] = a
				v.objs = append(append(v.objs[:i:i], &c), v.objs[i+1:]...)
			}
		}
		if found {
			v = either(out, v)
		}
		out, found = v, true
	}
	return out, found
}

type toolKey struct{}

const toolField = "\x00tool"

func (in *Interp) constant(s string) addr {
	a := in.newAddr()
	in.store(a, ConstStr(s))
	return a
}

func (in *Interp) slice(v Value, e *Expr) Value {
	if len(v.nodes) == 0 {
		if len(v.objs) > 0 {
			v.closed = false
			for i, o := range v.objs {
				if o.kind == list {
					c := in.newObject(list, "")
					c.open = true
					in.store(in.elem(c), in.index(Value{objs: []*object{o}}, Value{}, e.Pos))
					v.objs = append(append(v.objs[:i:i], c), v.objs[i+1:]...)
				}
			}
			v.truth = maybe
			return v
		}
		return Value{Native: v.Native}
	}
	return in.Derive(Word, 0, e.Pos, "", v)
}

func (in *Interp) listOf(e *Expr) Value {
	o := in.newObject(list, "")
	n := 0
	for _, x := range e.List {
		v := in.eval(x)
		if x.Op != Spread {
			in.store(in.field(o, strconv.Itoa(n)), v)
			n++
			continue
		}
		n = in.spread(o, n, v)
	}
	t := truthy
	if len(e.List) == 0 {
		t = falsy
		in.empty(o)
	}
	return Value{objs: []*object{o}, truth: t}
}

// spread appends the elements of v to a list.
func (in *Interp) spread(o *object, n int, v Value) int {
	elems, complete := in.Elems(v)
	if complete && len(elems) < 64 {
		for _, el := range elems {
			in.store(in.field(o, strconv.Itoa(n)), el)
			n++
		}
		return n
	}
	o.open = true
	var all Value
	if len(elems) == 0 || v.Tainted() {
		all = in.index(v, Value{}, Pos{})
	}
	for i, el := range elems {
		if i == 0 && !v.Tainted() {
			all = el
			continue
		}
		all = either(all, el)
	}
	if in.Labelled(v, Parted) {
		all = in.Derive(Whole, Parted, Pos{}, "", all)
	}
	in.weakly(in.elem(o), all)
	return n
}

// Append is a list with more elements at its end.
func (in *Interp) Append(v Value, more []Value, spread bool) Value {
	o := in.newObject(list, "")
	n := 0
	if len(v.objs) > 0 || v.Tainted() {
		n = in.spread(o, 0, v)
	} else if v.truth != falsy {
		o.open = true
	}
	for i, m := range more {
		if spread && i == len(more)-1 {
			n = in.spread(o, n, m)
			continue
		}
		in.store(in.field(o, strconv.Itoa(n)), m)
		n++
	}
	out := Value{objs: []*object{o}, truth: truthy}
	if spread && len(more) == 1 {
		out.truth, out.cond = anyOf(v, more[0])
	}
	return out
}

// Extend changes a list in its place.
func (in *Interp) Extend(v, more Value, one bool) {
	for _, o := range v.objs {
		if o.kind != list {
			continue
		}
		in.gather(o, more, one && len(v.objs) == 1)
		if one && len(v.objs) == 1 && !o.open && len(in.loops) == 0 && len(o.order) < 64 {
			in.store(in.field(o, strconv.Itoa(len(o.order))), more)
			continue
		}
		if !one {
			more = in.index(more, Value{}, Pos{})
			one = true
		}
		in.weakly(in.elem(o), more)
	}
}

// weakly stores a value in a place that may keep its old one.
func (in *Interp) weakly(a addr, v Value) {
	if old, ok := in.st.get(a); ok {
		v = either(old, v)
	}
	in.store(a, v)
}

func (in *Interp) dict(e *Expr) Value {
	o := in.newObject(dict, "")
	for i, k := range e.Keys {
		v := in.eval(e.List[i])
		if k == nil {
			for _, from := range v.objs {
				if from.kind == arguments {
					o.kind, o.tool = arguments, from.tool
				}
				for _, f := range from.order {
					in.store(in.field(o, f), in.load(from.fields[f]))
				}
			}
			if v.Tainted() {
				in.store(in.elem(o), v)
			}
			continue
		}
		key := in.eval(k)
		if s, ok := key.String(); ok {
			in.store(in.field(o, s), v)
			continue
		}
		in.weakly(in.elem(o), v)
	}
	t := maybe
	if len(e.Keys) > 0 {
		t = truthy
	}
	return Value{objs: []*object{o}, truth: t}
}

// comprehension is a list of X for each of the elements.
func (in *Interp) comprehension(e *Expr) Value {
	base := in.st
	in.st = newLayer(base)
	var refused *cond
	for _, c := range e.Clauses {
		it := in.eval(c.In)
		in.assign(c.Target, in.Element(it, c.In.Pos))
		for _, x := range c.Ifs {
			v := in.eval(x)
			if len(e.Clauses) == 1 && len(c.Ifs) == 1 && v.cond != nil && len(v.cond.no) > 0 { // if there is none, the condition holds for no element
				refused = &cond{no: v.cond.no}
			}
			in.assumeValue(x, v, true)
		}
	}
	v := in.eval(e.X)
	branch := in.st
	in.st = base
	in.join(base, []*layer{newLayer(base), branch})
	v = in.bake(branch, base, v)
	o := in.newObject(list, "")
	o.open = true
	in.store(in.elem(o), v)
	if refused != nil && v.cond == nil {
		return Value{objs: []*object{o}, cond: refused}
	}
	return Value{objs: []*object{o}, cond: v.cond}
}

// Element is one of the elements of a value, as a loop gets it.
func (in *Interp) Element(v Value, pos Pos) Value {
	if s, ok := v.String(); ok {
		return Value{consts: characters(s), closed: s != ""}
	}
	out := in.index(v, Value{}, pos)
	if len(v.nodes) > 0 && len(v.objs) == 0 && !in.Labelled(v, Parted) {
		for i, n := range out.nodes {
			if n.how == Word {
				out.nodes[i].how = Char
			}
		}
	}
	return out
}
