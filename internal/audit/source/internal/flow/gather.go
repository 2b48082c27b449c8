// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// Programs often gather complaints about arguments in a list, and refuse the call in the end if the
// list is not empty. The list's size is a value of its own, in a place of the store: as branches are
// joined, its condition comes to hold the facts for the case that the list is still empty.

// empty notes that a list has nothing in it yet.
func (in *Interp) empty(o *object) {
	o.size = in.newAddr()
	in.store(o.size, Value{truth: falsy})
}

// EachOwnList is a declaration in a class that gives each instance a list of its own.
func EachOwnList() Value { return NativeValue(ownList) }

const ownList = "a list of its own"

// gather notes that something goes into a list: certainly, or perhaps if it comes from another list.
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

// gathered is a list with the facts of its size. That it has elements says nothing about any one of them.
// Elements from other handlers are unknown.
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

// Count is the number of elements in a list. Of a list with one element it is known whether that number is
// zero.
func Count(v Value) Value {
	if len(v.objs) == 0 || v.Tainted() {
		return Value{}
	}
	return Value{cond: v.cond, caller: v.caller}
}

// counted compares such a number with zero or one: facts are known for the case that it is zero.
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

// vacuous is what a loop without a round says about elements: every condition that a round would have checked
// holds, since there is no element without it.
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

// Apart runs f and forgets its assignments.
func (in *Interp) Apart(f func()) {
	st := in.st
	in.st = newLayer(st)
	in.args = map[*Source]*node{}
	in.following, in.apart = true, in.next
	f()
	in.st, in.following, in.apart = st, false, 0
}
