// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"strconv"
)

// exec runs statements, until one of them leaves.
func (in *Interp) exec(body []*Stmt) {
	for _, s := range body {
		if in.st.dead {
			return
		}
		in.stmt(s)
	}
}

func (in *Interp) stmt(s *Stmt) {
	in.step()
	in.depth++
	if in.depth > 40*in.most {
		in.abort(errBudget)
	}
	in.stmtOp(s)
	in.depth--
}

func (in *Interp) stmtOp(s *Stmt) {
	switch s.Op {
	case Eval:
		in.eval(s.X)
	case Assign:
		in.assignment(s)
	case If:
		in.branch(s)
	case For, While:
		in.loop(s)
	case Return:
		in.leave(s)
	case Raise:
		in.eval(s.X)
		in.st.dead = true
	case Try:
		in.try(s)
	case With:
		v := in.eval(s.X)
		if len(s.Targets) > 0 {
			in.assign(s.Targets[0], v)
		}
		in.exec(s.Body)
	case Break, Continue:
		in.jump(s.Op)
	case Def:
		in.define(s)
	case Class:
		in.class(s)
	case Import:
		for i, v := range in.lang.Import(in, s) {
			in.assign(s.Targets[i], v)
		}
	case Block:
		in.exec(s.Body)
	case Assert:
		in.assumeValue(s.X, in.eval(s.X), true)
	case Outer:
		f := in.frame()
		if f.outer == nil {
			f.outer = map[string]bool{}
		}
		for _, n := range s.Names {
			f.outer[n] = true
		}
	}
}

func (in *Interp) assignment(s *Stmt) {
	v := in.eval(s.X)
	if s.S != "" && len(s.Targets) == 1 {
		v = in.operate(s.S, in.eval(s.Targets[0]), v, s.Pos)
	}
	for _, t := range s.Targets {
		in.assign(t, v)
	}
}

// assign puts a value into the place of an expression.
func (in *Interp) assign(t *Expr, v Value) {
	switch t.Op {
	case Name:
		in.store(in.variable(t.S), v)
	case Tuple, List:
		for i, x := range t.List {
			if x.Op == Spread {
				in.assign(x.X, in.Element(v, t.Pos))
				continue
			}
			in.assign(x, in.part(v, i, t.Pos))
		}
	case Attr:
		in.setField(t, v)
	case Index:
		in.setIndex(t, v)
	case Same, Spread:
		in.assign(t.X, v)
	}
}

// part is one of several values of a function, or of a list.
func (in *Interp) part(v Value, i int, pos Pos) Value {
	key := strconv.Itoa(i)
	var out Value
	found := false
	for _, o := range v.objs {
		if a, ok := o.fields[key]; ok && o.kind == list {
			got := in.load(a)
			if found {
				got = either(out, got)
			}
			out, found = got, true
		}
	}
	if found {
		return out
	}
	if len(v.objs) == 0 && i > 0 && !v.Tainted() {
		return Value{}
	}
	if len(v.nodes) > 0 && v.nodes[0].how == Through && len(v.objs) == 0 { // each part of something unknown
		return v
	}
	return in.index(v, ConstStr(key), pos)
}

func (in *Interp) variable(name string) addr {
	f := in.frame()
	if f.outer[name] {
		if a, ok := f.lookup(name); ok {
			return in.outerAddr(f, name, a)
		}
	}
	if f.module != nil {
		return in.field(f.module, name)
	}
	a, ok := f.vars[name]
	if !ok {
		a = in.newAddr()
		f.vars[name] = a
	}
	return a
}

// outerAddr is the place of an outer variable; the own variable of a function's frame is passed over.
func (in *Interp) outerAddr(f *frame, name string, found addr) addr {
	if f.fn != nil && f.parent != nil {
		if a, ok := f.parent.lookup(name); ok {
			return a
		}
	}
	return found
}

func (in *Interp) setField(t *Expr, v Value) {
	base := in.eval(t.X)
	if len(base.objs) == 0 && !base.Tainted() && t.X.Op == Name {
		o := in.newObject(record, "")
		base = either(base, Value{objs: []*object{o}})
		if a, ok := in.frame().lookup(t.X.S); ok {
			in.store(a, base)
		}
	}
	for _, o := range base.objs {
		a := in.field(o, t.S)
		got := v
		if len(base.objs) > 1 || len(in.loops) > 0 {
			if old, ok := in.st.get(a); ok {
				got = either(old, v)
			}
		}
		in.store(a, got)
	}
}

func (in *Interp) setIndex(t *Expr, v Value) {
	base := in.eval(t.X)
	var key Value
	if t.Y != nil {
		key = in.eval(t.Y)
	}
	s, known := key.String()
	if len(base.objs) == 0 && !base.Tainted() && t.X.Op == Name {
		o := in.newObject(dict, "")
		base = either(base, Value{objs: []*object{o}})
		if a, ok := in.frame().lookup(t.X.S); ok {
			in.store(a, base)
		}
	}
	for _, o := range base.objs {
		if src := anyArgument(v); !known && src != nil && o.kind == dict { // a copy of the arguments
			o.kind, o.tool = arguments, src.Tool
			continue
		}
		a := in.entry(o, s, known)
		got := v
		if old, ok := in.st.get(a); ok && (!known || len(base.objs) > 1) {
			got = either(old, v)
		}
		in.store(a, got)
	}
}

// entry is the place of a key. All unknown keys share one.
func (in *Interp) entry(o *object, key string, known bool) addr {
	if known {
		return in.field(o, key)
	}
	return in.elem(o)
}

// anyArgument is the source of a value that is one of the arguments, as in a loop over them.
func anyArgument(v Value) *Source {
	if len(v.nodes) != 1 || v.nodes[0].src.Param != "" || !whole(v.nodes[0]) {
		return nil
	}
	return v.nodes[0].src
}

func (in *Interp) branch(s *Stmt) {
	v := in.eval(s.X)
	base := in.st
	var alive []*layer
	for _, yes := range []bool{true, false} {
		if v.truth == falsy && yes || v.truth == truthy && !yes {
			continue
		}
		in.st = newLayer(base)
		in.st.chosen(yes && v.setting())
		in.assumeValue(s.X, v, yes)
		if yes {
			in.exec(s.Body)
		} else {
			in.exec(s.Else)
		}
		if !in.st.dead {
			alive = append(alive, in.st)
		}
	}
	in.st = base
	in.join(base, alive)
}

// setting reports that a condition depends on the configuration of the server, and not on the caller.
func (v Value) setting() bool {
	return v.truth == maybe && !v.hangs() && (v.cond == nil || len(v.cond.yes)+len(v.cond.no) == 0 && v.cond.tool == "")
}

// loop runs a body twice, so that the assignments of one round reach the next.
func (in *Interp) loop(s *Stmt) {
	base := in.st
	l := &loop{base: base}
	in.loops = append(in.loops, l)
	rounds := 2
	if len(in.loops) > 3 {
		rounds = 1
	}
	var it Value
	if s.Op == For {
		it = in.eval(s.X)
	}
	forever := false
	if elems := in.allElements(it); s.Op == For && len(elems) > 0 && len(in.loops) <= 2 {
		for _, elem := range elems {
			in.round(s, l, elem, true)
		}
	} else {
		for range rounds {
			forever = in.round(s, l, in.elementOf(s, it), in.nonEmpty(it))
		}
	}
	in.loops = in.loops[:len(in.loops)-1]
	normal := newLayer(base)
	if len(s.Else) > 0 {
		in.st = normal
		in.exec(s.Else)
		in.st = base
	}
	var ends []*layer
	if !forever && !normal.dead && !base.dead {
		ends = append(ends, normal)
	}
	base.dead = false
	in.join(base, append(ends, l.breaks...))
}

// round is one round of a loop. It reports that only a break ends the loop.
func (in *Interp) round(s *Stmt, l *loop, elem Value, surely bool) (forever bool) {
	base := l.base
	in.st = newLayer(base)
	l.continues = nil
	if s.Op == For {
		elem.there = !elem.Tainted()
		in.assign(s.Targets[0], elem)
	} else {
		v := in.eval(s.X)
		in.assumeValue(s.X, v, true)
		forever = v.truth == truthy
	}
	in.exec(s.Body)
	ends := l.continues
	if !in.st.dead {
		ends = append(ends, in.st.since(base))
	}
	in.st = base
	checked := everyElement(elem, ends)
	if !surely || len(ends) == 0 && len(l.breaks) == 0 {
		none := newLayer(base)
		if len(l.breaks) == 0 {
			none.labels = vacuous(elem, ends)
		}
		ends = append([]*layer{none}, ends...)
	}
	in.join(base, ends)
	if len(l.breaks) == 0 {
		base.assume(checked)
	}
	return forever
}

// nonEmpty reports whether a list is known to have elements, or belongs to the program and was filled by
// it.
func (in *Interp) nonEmpty(v Value) bool {
	if s, ok := v.String(); ok {
		return s != ""
	}
	if !v.hangs() && !v.Tainted() && slices.ContainsFunc(v.objs, func(o *object) bool { return o.kind == list && (o.elem != 0 || len(o.order) > 0) }) && len(in.deep(v)) == 0 {
		return true
	}
	elems, complete := in.Elems(v)
	return complete && len(elems) > 0
}

// everyElement are the facts that a round has found about its element, however it ended: the loop went on
// only with elements that passed.
func everyElement(elem Value, ends []*layer) map[*node]Label {
	out := map[*node]Label{}
	for _, n := range elem.nodes {
		l := ^Label(0)
		for _, e := range ends {
			l &= e.labels[n]
		}
		if len(ends) > 0 && l != 0 {
			out[n] = l
		}
	}
	return out
}

func (in *Interp) keyOf(it Value) Value {
	key := Value{}
	for _, o := range it.objs {
		if o.kind == dict || o.kind == arguments {
			key = in.keys(o)
		}
	}
	return key
}

func (in *Interp) elementOf(s *Stmt, it Value) Value {
	if s.Op != For {
		return Value{}
	}
	if len(it.objs) > 0 && it.objs[0].kind == dict { // the keys of a table
		return in.keyOf(it)
	}
	return in.Element(it, s.Pos)
}

const maxRounds = 24

// allElements are the elements of a fully known list or table, in order.
func (in *Interp) allElements(it Value) (elems []Value) {
	if len(it.objs) != 1 || it.Tainted() {
		return nil
	}
	o := it.objs[0]
	if o.kind != list && o.kind != dict || o.open || o.elem != 0 || len(o.order) > maxRounds {
		return nil
	}
	for _, f := range o.order {
		if o.kind == dict { // Python goes through the keys
			elems = append(elems, ConstStr(f))
			continue
		}
		elems = append(elems, in.load(o.fields[f]))
	}
	return elems
}

func (in *Interp) keys(o *object) Value {
	if o.kind == arguments {
		return in.argument(o.tool, "", Pos{})
	}
	if len(o.order) == 0 || len(o.order) > maxConsts || o.elem != 0 {
		return Value{}
	}
	return Value{consts: o.order, closed: true}
}

func (in *Interp) jump(op StmtOp) {
	if n := len(in.loops); n > 0 {
		l := in.loops[n-1]
		snap := in.st.since(l.base)
		if op == Break {
			l.breaks = append(l.breaks, snap)
		} else {
			l.continues = append(l.continues, snap)
		}
	}
	in.st.dead = true
}

func (in *Interp) leave(s *Stmt) {
	vals := []Value{}
	if s.X != nil && s.X.Op == Tuple {
		for _, x := range s.X.List {
			vals = append(vals, in.eval(x))
		}
	} else if s.X != nil {
		vals = in.unpack(in.eval(s.X))
	} else {
		vals = append(vals, Value{truth: falsy})
	}
	in.calls[len(in.calls)-1].outcome(in, vals)
	in.st.dead = s.S != "yield"
}

// unpack is the several values that another function returned.
func (in *Interp) unpack(v Value) []Value {
	if len(v.objs) != 1 || v.Tainted() || len(v.fns)+len(v.Native) > 0 {
		return []Value{v}
	}
	o := v.objs[0]
	if o.kind != list || o.open || o.elem != 0 || len(o.order) < 2 || len(o.order) > maxResults {
		return []Value{v}
	}
	elems, _ := in.Elems(v)
	return elems
}

func (in *Interp) try(s *Stmt) {
	base := in.st
	in.st = newLayer(base)
	before := in.sure
	in.sure = false
	in.exec(s.Body)
	sure := in.sure
	in.sure = before
	body := in.st
	raised := in.raised(base, body)
	if !body.dead {
		in.exec(s.Else)
	}
	var alive []*layer
	if !body.dead {
		alive = append(alive, body)
	}
	for _, h := range s.Handlers {
		if sure && passesOver(h.Body) {
			continue
		}
		in.st = newLayer(base)
		for a, v := range raised {
			in.st.vals[a] = v
		}
		if h.Name != nil {
			in.assign(h.Name, Value{})
		}
		in.exec(h.Body)
		if !in.st.dead {
			alive = append(alive, in.st)
		}
	}
	in.st = base
	in.join(base, alive)
	if len(s.Final) > 0 {
		dead := base.dead
		base.dead = false
		in.exec(s.Final)
		base.dead = base.dead || dead
	}
}

// raised are the variables as a handler finds them: as they were, or as the body left them.
// passesOver reports that a handler goes on with the next element.
func passesOver(body []*Stmt) bool { return len(body) > 0 && body[len(body)-1].Op == Continue }

// Sure notes that the body of a try cannot fail as its handlers expect: addresses from a look-up are
// addresses.
func (in *Interp) Sure() { in.sure = true }

func (in *Interp) raised(base, body *layer) map[addr]Value {
	out := map[addr]Value{}
	for a, v := range body.vals {
		if old, ok := base.get(a); ok {
			v = either(old, v)
		}
		v.cond, v.truth = nil, maybe
		out[a] = v
	}
	return out
}

func (in *Interp) define(s *Stmt) {
	v := Value{fns: []*closure{{fn: s.Fn, frame: in.frame()}}, truth: truthy}
	for i := len(s.Fn.Decorators) - 1; i >= 0; i-- {
		d := in.eval(s.Fn.Decorators[i])
		c := &CallSite{In: in, Pos: s.Fn.Decorators[i].Pos, Args: []Value{v}, Decorates: s.Fn}
		if got := in.apply(d, c); len(got.fns) > 0 {
			v = got
		}
	}
	in.assign(s.Targets[0], v)
}

func (in *Interp) class(s *Stmt) {
	o := in.newObject(class, s.Cls.Name)
	o.def = s.Cls
	for _, b := range s.Cls.Bases {
		v := in.eval(b)
		o.native = append(o.native, v.Native...)
		for _, c := range v.objs {
			if c.kind == class {
				o.bases = append(o.bases, c)
				in.below[c] = append(in.below[c], o)
			}
		}
	}
	f := &frame{vars: map[any]addr{}, parent: in.frame(), module: o, born: in.next}
	in.calls = append(in.calls, &activation{frame: f, base: in.st})
	in.exec(s.Cls.Body)
	in.calls = in.calls[:len(in.calls)-1]
	for _, name := range o.order {
		v := in.load(o.fields[name])
		for _, c := range v.fns {
			if c.frame == f {
				c.class, c.frame = o, f.parent
			}
		}
	}
	in.remember(o)
	v := Value{objs: []*object{o}, truth: truthy}
	for _, d := range s.Cls.Decorators {
		in.apply(in.eval(d), &CallSite{In: in, Pos: s.Pos, Args: []Value{v}})
	}
	in.assign(&Expr{Op: Name, S: s.Cls.Name}, v)
}
