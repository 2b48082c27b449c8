// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// keep notes a new place in an object older than the present call: the place outlives the call.
func (in *Interp) keep(o *object, a addr) {
	if n := len(in.calls); n > 0 && o.born < in.calls[n-1].start {
		in.kept[a] = true
	}
}

// sweep forgets the places of a call that nothing can reach any more. Otherwise the work of joining branches
// would grow with every earlier call.
func (in *Interp) sweep(act *activation) {
	for _, o := range act.outcomes {
		m := &marker{in: in, at: o, start: act.start, seen: map[addr]bool{}, objs: map[*object]bool{}}
		for a, v := range o.vals {
			if a <= act.start || in.kept[a] {
				m.value(v)
			}
		}
		for _, a := range act.results {
			m.place(a)
		}
		for _, t := range in.Tools[act.tools:] {
			m.value(t.Handler)
		}
		in.cost(len(m.seen) + len(m.objs))
		for a := range o.vals {
			if a > act.start && !in.kept[a] && !m.seen[a] {
				delete(o.vals, a)
			}
		}
	}
}

// A marker finds the places made since a call began that can still be reached.
type marker struct {
	in    *Interp
	at    *layer
	start addr
	seen  map[addr]bool
	objs  map[*object]bool
	work  []Value
	busy  bool
}

func (m *marker) place(a addr) {
	if a <= m.start || m.seen[a] {
		return
	}
	m.seen[a] = true
	if v, ok := m.at.vals[a]; ok {
		m.value(v)
	}
}

// value marks everything that a value refers to. Values within values wait in a list, so the stack stays
// flat.
func (m *marker) value(v Value) {
	m.work = append(m.work, v)
	if m.busy {
		return
	}
	m.busy = true
	for len(m.work) > 0 {
		v := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		m.refers(v)
	}
	m.busy = false
}

func (m *marker) refers(v Value) {
	for _, o := range v.objs {
		for ; o != nil && o.born >= m.start; o = o.of {
			m.object(o)
		}
	}
	for _, c := range v.fns {
		for f := c.frame; f != nil && f.born >= m.start; f = f.parent {
			for _, a := range f.vars {
				m.place(a)
			}
			if f.module != nil && f.module.born >= m.start {
				m.object(f.module)
			}
		}
		if c.self != nil {
			m.work = append(m.work, *c.self)
		}
	}
}

func (m *marker) object(o *object) {
	if m.objs[o] {
		return
	}
	m.objs[o] = true
	for _, a := range o.fields {
		m.place(a)
	}
	m.place(o.elem)
	m.place(o.size)
	for _, b := range o.bases {
		if b.born >= m.start {
			m.work = append(m.work, Value{objs: []*object{b}})
		}
	}
}
