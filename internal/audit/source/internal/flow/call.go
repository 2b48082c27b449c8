// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"maps"
	"slices"
	"strings"
)

// A CallSite is a call, as the model of a library's function sees it.
type CallSite struct {
	In        *Interp
	Pos       Pos
	Name      string // of the function: "os.open"; of a method on an unknown value: ".strip"
	Recv      Value  // the instance of a method call
	Func      Value  // the callee
	Args      []Value
	Kw        map[string]Value
	Spread    bool  // the last of Args is a list that is spread
	Rest      Value // **rest
	Decorates *Func // it decorates this
}

// Arg is an argument by position, or by one of its names.
func (c *CallSite) Arg(i int, names ...string) Value {
	v, _ := c.Given(i, names...)
	return v
}

// Given is Arg, and reports whether the argument was given.
func (c *CallSite) Given(i int, names ...string) (Value, bool) {
	if i >= 0 && i < len(c.Args) {
		if c.Spread && i == len(c.Args)-1 {
			return c.In.Element(c.Args[i], c.Pos), true
		}
		return c.Args[i], true
	}
	if i >= 0 && c.Spread && len(c.Args) > 0 {
		return c.In.Element(c.Args[len(c.Args)-1], c.Pos), true
	}
	for _, n := range names {
		if v, ok := c.Kw[n]; ok {
			return v, true
		}
	}
	if c.Rest.open() {
		for _, n := range names {
			return c.In.index(c.Rest, ConstStr(n), c.Pos), true
		}
	}
	return Value{}, false
}

// All are the arguments, the receiver first.
func (c *CallSite) All() []Value {
	out := append([]Value{c.Recv}, c.Args...)
	for _, k := range slices.Sorted(maps.Keys(c.Kw)) {
		out = append(out, c.Kw[k])
	}
	return append(out, c.Rest)
}

// From is a list of the arguments, beginning with the i-th.
func (c *CallSite) From(i int) Value {
	if i >= len(c.Args) {
		return c.In.ListOf()
	}
	if i == len(c.Args)-1 && c.Spread {
		return c.Args[i]
	}
	return c.In.Append(c.In.ListOf(), c.Args[i:], c.Spread)
}

func (in *Interp) call(e *Expr) Value {
	e = in.later(e)
	c := &CallSite{In: in, Pos: e.Pos}
	if e.X.Op == Attr {
		c.Recv = in.eval(e.X.X)
		c.Func = in.Attr(c.Recv, e.X)
		c.Name = "." + e.X.S
	} else {
		c.Func = in.eval(e.X)
	}
	in.arguments(c, e)
	if c.Func.Is("yield") {
		in.calls[len(in.calls)-1].outcome(in, c.Args)
		return Value{}
	}
	return in.apply(c.Func, c)
}

// later replaces a call of a function like asyncio.to_thread(f, x), which calls one of its arguments with
// those behind it, by the inner call f(x).
func (in *Interp) later(e *Expr) *Expr {
	if e.Op != Call || e.X == nil || e.X.Op != Attr {
		return e
	}
	n, ok := in.Later[e.X.S]
	if !ok || n >= len(e.List) || n < len(e.Names) && e.Names[n] != "" {
		return e
	}
	out := &Expr{Op: Call, Pos: e.Pos, X: e.List[n], List: e.List[n+1:]}
	if n+1 < len(e.Names) {
		out.Names = e.Names[n+1:]
	}
	return out
}

func (in *Interp) arguments(c *CallSite, e *Expr) {
	for i, x := range e.List {
		name := ""
		if i < len(e.Names) {
			name = e.Names[i]
		}
		v := in.eval(x)
		switch name {
		case "":
			c.Args = append(c.Args, v)
		case "*":
			c.spread(v, i == len(e.List)-1 || i+1 < len(e.Names) && e.Names[i+1] != "" && e.Names[i+1] != "*")
		case "**":
			c.rest(v)
		default:
			if c.Kw == nil {
				c.Kw = map[string]Value{}
			}
			c.Kw[name] = v
		}
	}
}

func (c *CallSite) spread(v Value, last bool) {
	if elems, ok := c.In.columns(v); ok && len(elems) < 16 {
		c.Args = append(c.Args, elems...)
		return
	}
	if last {
		c.Args, c.Spread = append(c.Args, v), true
		return
	}
	c.Args = append(c.Args, c.In.Element(v, c.Pos))
}

func (c *CallSite) rest(v Value) {
	if c.Kw == nil {
		c.Kw = map[string]Value{}
	}
	for _, o := range v.objs {
		if o.kind != dict && o.kind != arguments {
			continue
		}
		for _, f := range o.order {
			c.Kw[f] = c.In.load(o.fields[f])
		}
	}
	c.Rest = v
}

// apply calls everything that a value may be.
func (in *Interp) apply(f Value, c *CallSite) Value {
	c.Func = f
	var runs []func() Value
	for _, fn := range f.fns {
		runs = append(runs, func() Value { return in.invoke(fn, c) })
	}
	for _, o := range f.objs {
		switch o.kind {
		case class:
			runs = append(runs, func() Value { return in.construct(o, c) })
		case record:
			if m, ok := in.member(o, Value{objs: []*object{o}}, &Expr{Op: Attr, S: "__call__", Pos: c.Pos}); ok && len(m.fns) > 0 {
				runs = append(runs, func() Value { return in.invoke(m.fns[0], c) })
			}
		}
	}
	if len(runs) == 0 && len(f.Native) == 0 {
		if strings.HasPrefix(c.Name, ".") {
			if v, ok := in.lang.Call(c); ok {
				return in.ofCaller(c, v)
			}
			if v, ok := in.accessor(c); ok {
				return in.ofCaller(c, v)
			}
			in.localSinks(c)
			in.unseenChecks(c)
		}
		c.Name = ""
		return in.ofCaller(c, in.through(c))
	}
	for _, n := range f.Native {
		site := *c
		site.Name = n
		runs = append(runs, func() Value { return in.native(&site) })
	}
	return in.oneOf(runs)
}

// oneOf does one of several things; nobody knows which.
func (in *Interp) oneOf(runs []func() Value) Value {
	if len(runs) == 1 {
		return runs[0]()
	}
	base := in.st
	a := in.newAddr()
	var branches []*layer
	for _, run := range runs {
		in.st = newLayer(base)
		v := run()
		if in.st.dead {
			continue
		}
		in.store(a, v)
		branches = append(branches, in.st)
	}
	in.st = base
	in.join(base, branches)
	return in.load(a)
}

// native is a call of a library's function. The result of an unknown one is made of all its arguments.
func (in *Interp) native(c *CallSite) Value {
	return in.ofCaller(c, in.nativeValue(c))
}

// ofCaller notes that the result of a call depends on the caller, if an argument does.
func (in *Interp) ofCaller(c *CallSite, v Value) Value {
	hangs := false
	for _, a := range c.All() {
		hangs = hangs || a.hangs() || len(in.deep(a)) > 0
	}
	if !hangs {
		return v
	}
	v.caller = true
	for _, o := range v.objs {
		if o.kind != list || o.open || len(o.order) > maxResults {
			continue
		}
		for _, f := range o.order {
			el := in.load(o.fields[f])
			el.caller = true
			in.store(o.fields[f], el)
		}
	}
	return v
}

func (in *Interp) nativeValue(c *CallSite) Value {
	if v, ok := in.lang.Call(c); ok {
		return v
	}
	if i := strings.LastIndexByte(c.Name, '.'); i > 0 && len(c.Recv.Native) > 0 {
		site := *c
		site.Name = c.Name[i:]
		if v, ok := in.lang.Call(&site); ok {
			return v
		}
	}
	return in.through(c)
}

// through is the possible result of an unknown function.
func (in *Interp) through(c *CallSite) Value {
	if v, ok := in.accessor(c); ok {
		return v
	}
	in.localSinks(c)
	in.unseenChecks(c)
	all := c.All()
	var labels Label
	if len(c.Recv.Native) > 0 && !c.Recv.Tainted() || c.Name != "" && len(c.Args) > 1 {
		labels = Mangled
	}
	out := in.Derive(Through, labels, c.Pos, "", all...)
	if c.Name != "" && !strings.HasPrefix(c.Name, ".") {
		out.Native = []string{c.Name + "()"}
	}
	if c.Decorates == nil { // the decorated function is called later, if at all
		if got, ok := in.callbacks(c, out); ok {
			out = either(out, got)
		}
	}
	return out
}

// callbacks runs the functions among the arguments, as libraries mostly do: with the arguments behind them,
// or else with something made of all others.
func (in *Interp) callbacks(c *CallSite, made Value) (Value, bool) {
	var out Value
	found := false
	for i, a := range c.Args {
		if len(a.fns) == 0 {
			continue
		}
		site := &CallSite{In: in, Pos: c.Pos, Args: c.Args[i+1:], Kw: c.Kw, Spread: c.Spread && i+1 < len(c.Args)}
		if len(site.Args) == 0 {
			if fn := a.fns[0].fn; !in.following && len(fn.Params) > 0 {
				continue // while modules are read, a handler is passed on and not called
			}
			for range a.fns[0].fn.Params {
				site.Args = append(site.Args, Value{nodes: made.nodes})
			}
		}
		v := in.maybeRun(func() Value { return in.apply(Value{fns: a.fns}, site) })
		if found {
			v = either(out, v)
		}
		out, found = v, true
	}
	return out, found
}

// maybeRun does something that may or may not happen.
func (in *Interp) maybeRun(run func() Value) Value {
	base := in.st
	in.st = newLayer(base)
	v := run()
	branch := in.st
	in.st = base
	branches := []*layer{newLayer(base)}
	if !branch.dead {
		branches = append(branches, branch)
		v = in.bake(branch, base, v)
	}
	in.join(base, branches)
	return v
}

// Invoke calls a function of the program.
func (in *Interp) Invoke(f Value, args []Value, pos Pos) Value {
	if len(f.fns) == 0 {
		return Value{}
	}
	return in.apply(Value{fns: f.fns}, &CallSite{In: in, Pos: pos, Args: args})
}

// InvokeKw calls a function of the program with arguments by name, and more in rest.
func (in *Interp) InvokeKw(f Value, args []Value, kw map[string]Value, rest Value, pos Pos) Value {
	return in.apply(Value{fns: f.fns, objs: f.objs}, &CallSite{In: in, Pos: pos, Args: args, Kw: kw, Rest: rest})
}

func (in *Interp) invoke(cl *closure, c *CallSite) Value {
	in.step()
	if cl.fn == nil || len(in.calls) >= in.most || in.active(cl.fn) >= 2 {
		v := in.Derive(Through, 0, c.Pos, "", c.All()...)
		// Recursion alone loses nothing: its second level was followed.
		in.lost = in.lost || cl.fn != nil && in.following && in.active(cl.fn) < 2 && len(v.nodes) > 0
		return v
	}
	f := &frame{vars: map[any]addr{}, parent: cl.frame, fn: cl.fn}
	act := &activation{fn: cl.fn, frame: f, class: cl.class, base: in.st, start: in.newAddr(), tools: len(in.Tools)}
	f.born = act.start
	in.calls = append(in.calls, act)
	if in.following {
		in.reached[cl.fn] = true
	}
	loops := in.loops
	in.loops = nil
	base, tool := in.st, in.st.tool
	in.st = newLayer(base)
	if cl.frame != nil {
		if a, ok := cl.frame.vars[toolKey{}]; ok {
			in.st.tool, _ = in.load(a).String()
		}
	}
	in.bindParams(cl, c)
	in.exec(cl.fn.Body)
	if !in.st.dead {
		act.outcome(in, in.implicit(cl.fn))
	}
	in.st = base
	in.sweep(act)
	in.join(base, act.outcomes)
	base.tool = tool
	in.loops = loops
	in.calls = in.calls[:len(in.calls)-1]
	v := act.value(in)
	if v.bare() && cl.fn.Returns != nil && cl.frame != nil {
		v.objs = in.typedIn(cl.frame, cl.fn.Returns).objs
	}
	if cl.fn.Generator {
		o := in.newObject(list, "")
		o.open = true
		in.store(in.elem(o), v)
		return Value{objs: []*object{o}}
	}
	return v
}

func (in *Interp) active(fn *Func) int {
	n := 0
	for _, a := range in.calls {
		if a.fn == fn {
			n++
		}
	}
	return n
}

// implicit is the result of a function that ends without a return.
func (in *Interp) implicit(fn *Func) []Value {
	if fn.Generator {
		return nil
	}
	return []Value{{truth: falsy}}
}

func (in *Interp) bindParams(cl *closure, c *CallSite) {
	f := in.frame()
	set := func(p Param, v Value) {
		a := in.newAddr()
		f.vars[p.Name] = a
		in.store(a, v)
	}
	args := c.Args
	if cl.self != nil {
		args = append([]Value{*cl.self}, args...)
		for _, o := range cl.self.objs {
			if a, ok := o.fields[toolField]; ok {
				in.st.tool, _ = in.load(a).String()
			}
		}
	}
	site := &CallSite{In: in, Pos: c.Pos, Args: args, Kw: c.Kw, Rest: c.Rest, Spread: c.Spread}
	i := 0
	for _, p := range cl.fn.Params {
		switch p.Star {
		case 1:
			set(p, site.From(i))
			i = len(args)
		case 2:
			set(p, in.rest(cl.fn, c))
		default:
			v, ok := site.Given(i, p.Name)
			if !ok && p.Default != nil {
				v = in.eval(p.Default)
			}
			if v.plain() && p.Type != nil {
				v = in.typed(p.Type)
			}
			set(p, v)
			i++
		}
	}
}

// rest is the value of **kwargs: the arguments without a parameter.
func (in *Interp) rest(fn *Func, c *CallSite) Value {
	o := in.newObject(dict, "")
	for _, k := range slices.Sorted(maps.Keys(c.Kw)) {
		if !slices.ContainsFunc(fn.Params, func(p Param) bool { return p.Name == k && p.Star == 0 }) {
			in.store(in.field(o, k), c.Kw[k])
		}
	}
	for _, from := range c.Rest.objs {
		if from.kind == arguments {
			o.kind, o.tool = arguments, from.tool
		}
	}
	if c.Rest.Tainted() {
		in.store(in.elem(o), c.Rest)
	}
	return Value{objs: []*object{o}}
}
