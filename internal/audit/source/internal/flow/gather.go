// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// What is wrong with arguments is often gathered in a list, and refused in the end if there is
// something in it. Whether there is, is a value of its own, in the place that the list calls its size:
// as branches are joined, it comes to hold what is known if the list is still empty.

// empty notes that a list has nothing in it yet.
func (in *Interp) empty(o *object) {
	o.size = in.newAddr()
	in.store(o.size, Value{truth: falsy})
}

// EachOwnList is what a class declares of which each instance has a list of its own.
func EachOwnList() Value { return NativeValue(ownList) }

const ownList = "a list of its own"

// gather notes that something is put into a list: surely, or what another list has.
func (in *Interp) gather(o *object, more Value, surely bool) {
	if o.size == 0 {
		return
	}
	if surely {
		in.store(o.size, Value{truth: truthy})
		return
	}
	old, _ := in.st.get(o.size)
	t, c := anyOf(old, more)
	in.store(o.size, Value{truth: t, cond: c, caller: old.caller || more.hangs()})
}

// gathered is a list with what its size says: that it has elements says nothing of any one of them.
// What other handlers put into one is not known.
func (in *Interp) gathered(v Value) Value {
	if len(v.objs) != 1 || len(v.nodes) > 0 || v.objs[0].size == 0 || v.objs[0].born < in.apart {
		return v
	}
	if s, ok := in.st.get(v.objs[0].size); ok {
		v.truth, v.cond, v.caller = s.truth, nil, v.caller || s.caller
		if s.cond != nil && len(s.cond.no) > 0 {
			v.cond = &cond{no: s.cond.no}
		}
	}
	return v
}

// anyOf is whether one of two values is true, or not empty.
func anyOf(a, b Value) (truth, *cond) {
	switch {
	case a.truth == truthy || b.truth == truthy:
		return truthy, nil
	case a.truth == falsy:
		return b.truth, b.cond
	case b.truth == falsy:
		return a.truth, a.cond
	case a.cond == nil || b.cond == nil:
		c := a.cond
		if c == nil {
			c = b.cond
		}
		if c == nil {
			return maybe, nil
		}
		return maybe, &cond{no: c.no}
	}
	return maybe, &cond{yes: shared(a.cond.yes, b.cond.yes), no: both(a.cond.no, b.cond.no)}
}

// AnyOf is whether one of several values is true.
func AnyOf(vals ...Value) Value {
	out := Value{truth: falsy}
	for _, v := range vals {
		out.truth, out.cond = anyOf(out, v)
	}
	return out
}

// Count is how many elements a list has: of one, whether it is zero is known.
func Count(v Value) Value {
	if len(v.objs) == 0 || v.Tainted() {
		return Value{}
	}
	return Value{cond: v.cond, caller: v.caller}
}

// counted is the comparison of a number of which is known what holds if it is zero: with zero, or one.
func counted(op string, x, y Value) (Value, bool) {
	n, ok := y.String()
	if !ok || x.cond == nil || x.Tainted() {
		return Value{}, false
	}
	some := Value{cond: x.cond}
	switch op + n {
	case ">0", "!=0", ">=1":
		return some, true
	case "==0", "<1", "<=0":
		return unless(some), true
	}
	return Value{}, false
}

// vacuous is what a loop that has no round says of elements: all that a round makes a condition of,
// for there is none of which it does not hold.
func vacuous(elem Value, ends []*layer) map[*node]Label {
	about := map[*node]bool{}
	var add func(nodes []*node, depth int)
	add = func(nodes []*node, depth int) {
		for _, n := range nodes {
			if depth < 20 && !about[n] {
				about[n] = true
				add(n.in, depth+1)
			}
		}
	}
	add(elem.nodes, 0)
	out := map[*node]Label{}
	if len(about) == 0 {
		return out
	}
	for _, e := range ends {
		for _, v := range e.vals {
			if v.cond == nil {
				continue
			}
			for n, l := range v.cond.no {
				if about[n] {
					out[n] |= l
				}
			}
		}
	}
	return out
}
