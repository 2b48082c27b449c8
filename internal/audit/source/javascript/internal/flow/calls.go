// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"sort"

	"github.com/dop251/goja/ast"
)

// function is the value of a function literal.
func (in *interp) function(f *ast.FunctionLiteral, s *scope, u *unit) Value {
	if isZodConstructor(f, u) {
		return native(zodConstructor)
	}
	o := in.newObject("")
	inner := s
	o.call = &closure{params: f.ParameterList, body: f.Body, vars: f.DeclarationList, file: u, node: f, begin: int(f.Idx0()), end: int(f.Idx1()), generator: f.Generator}
	if f.Name != nil {
		o.call.name = f.Name.Name.String()
		inner = &scope{up: s}
		in.declare(inner, o.call.name, objectOf(o))
	}
	o.call.scope = inner
	in.remember(o)
	return objectOf(o)
}

// remember notes a function that may be one that nobody calls, until these were called.
func (in *interp) remember(o *Object) {
	if !in.ready {
		in.closures = append(in.closures, o)
	}
}

func (in *interp) arrow(f *ast.ArrowFunctionLiteral, s *scope, u *unit) Value {
	o := in.newObject("")
	o.call = &closure{params: f.ParameterList, vars: f.DeclarationList, scope: s, file: u, node: f, arrow: true, begin: int(f.Idx0()), end: int(f.Idx1())}
	switch b := f.Body.(type) {
	case *ast.BlockStatement:
		o.call.body = b
	case *ast.ExpressionBody:
		o.call.body = b.Expression
		o.call.expr = true
	}
	in.remember(o)
	return objectOf(o)
}

func (in *interp) callExpression(e *ast.CallExpression, s *scope, u *unit) Value {
	at := position{u, e.LeftParenthesis}
	callee := e.Callee
	for {
		if o, ok := callee.(*ast.Optional); ok {
			callee = o.Expression
			continue
		}
		if o, ok := callee.(*ast.OptionalChain); ok {
			callee = o.Expression
			continue
		}
		break
	}
	if u != nil && u.decorated && decorators[nameOf(callee)] {
		if v, ok := in.decorate(e, s, u); ok {
			return v
		}
	}
	switch c := callee.(type) {
	case *ast.SuperExpression:
		args := in.arguments(e.ArgumentList, s, u)
		if home := homeOf(s); home != nil {
			in.initialize(home.parent, in.thisOf(s), args, at)
		}
		return undefined()
	case *ast.DotExpression:
		at.idx = c.Identifier.Idx
		if c.Identifier.Name.String() == "catch" {
			return in.catch(c.Left, e.ArgumentList, s, u, at)
		}
		o := in.eval(c.Left, s, u)
		if _, ok := c.Left.(*ast.SuperExpression); ok {
			return in.call(in.get(o, c.Identifier.Name.String(), at), in.thisOf(s), in.arguments(e.ArgumentList, s, u), at)
		}
		return in.callMethod(o, c.Identifier.Name.String(), in.arguments(e.ArgumentList, s, u), at)
	case *ast.PrivateDotExpression:
		o := in.eval(c.Left, s, u)
		return in.callMethod(o, "#"+c.Identifier.Name.String(), in.arguments(e.ArgumentList, s, u), at)
	case *ast.BracketExpression:
		o := in.eval(c.Left, s, u)
		k := in.eval(c.Member, s, u)
		args := in.arguments(e.ArgumentList, s, u)
		if key, ok := k.one(); ok {
			return in.callMethod(o, key, args, at)
		}
		return in.call(in.index(o, k, at), o, args, at)
	case *ast.Identifier:
		name := c.Name.String()
		if name == "require" && s.lookup("require") == nil {
			return in.require(e, s, u)
		}
		at.idx = c.Idx
	}
	fn := in.eval(callee, s, u)
	return in.call(fn, undefined(), in.arguments(e.ArgumentList, s, u), at)
}

// catch is promise.catch(handler): what rejects a promise is thrown here. Other things have a method
// of that name, too, and are not given a function.
func (in *interp) catch(left ast.Expression, list []ast.Expression, s *scope, u *unit, at position) Value {
	args := in.arguments(list, s, u)
	if len(callable(arg(args, 0))) == 0 {
		return in.callMethod(in.eval(left, s, u), "catch", args, at)
	}
	var out Value
	in.attempt(func() {
		out = in.settled(in.eval(left, s, u))
	}, func(thrown Value) {
		if r := in.call(args[0], undefined(), []Value{thrown}, at); !in.dead {
			out = join(out, in.settled(r))
		}
	})
	return out
}

// alternatives runs something for each atom from the same state, and joins what comes of it.
func (in *interp) alternatives(v Value, run func(a Atom) Value) Value {
	if len(v) == 1 {
		out := run(v[0])
		return out.given(v[0].under, v[0].free)
	}
	var out Value
	var ways []way
	for _, a := range v {
		var r Value
		c := choice{facts: a.under, tool: a.tool, possible: true, free: !v.depends()}
		w, alive := in.fork(c, func() { r = run(a) })
		if alive {
			r = r.given(a.under.and(gained(w.facts, in.facts)), a.free)
			if a.tool != "" {
				r = tagged(r, a.tool)
			}
			out = join(out, r)
			ways = append(ways, w)
		}
	}
	if len(v) > 0 {
		in.meet(ways, false)
	}
	return out
}

// call calls a value.
func (in *interp) call(fn, this Value, args []Value, at position) Value {
	in.tick()
	if in.dead {
		return undefined()
	}
	fn = callable(fn)
	if len(fn) == 0 {
		return in.unknownCall("", undefined(), args, at)
	}
	return in.alternatives(fn, func(a Atom) Value {
		if a.tool != "" {
			old := in.tool
			in.tool = a.tool
			defer func() { in.tool = old }()
		}
		args := in.ofTool(args)
		switch {
		case a.kind == isObject && a.obj.call != nil:
			t := this
			if len(a.obj.call.this) > 0 && (len(t) == 0 || len(t) == 1 && t[0].kind == isUndefined) {
				t = a.obj.call.this
			}
			return in.invoke(a.obj, t, args, at)
		case a.kind == isObject && a.obj.class != nil:
			return in.construct(Value{a}, args, at)
		case a.kind == isObject && a.obj.native == "resolve":
			in.resolve(a.obj, args)
			return undefined()
		case a.kind == isNative:
			return in.nativeCall(a.name, this, args, at)
		}
		return in.unknownCall(a.name, this, args, at)
	})
}

// ofTool leaves out of arguments what was chosen for another tool than the present one.
func (in *interp) ofTool(args []Value) []Value {
	if in.tool == "" {
		return args
	}
	out := args
	for i, v := range args {
		if !slices.ContainsFunc(v, func(a Atom) bool { return a.tool != "" && a.tool != in.tool }) {
			continue
		}
		var kept Value
		for _, a := range v {
			if a.tool == "" || a.tool == in.tool {
				kept = append(kept, a)
			}
		}
		if len(kept) == 0 {
			continue
		}
		if &out[0] == &args[0] {
			out = append([]Value(nil), args...)
		}
		out[i] = kept
	}
	return out
}

// callable leaves out what cannot be called, if anything else is there.
func callable(v Value) Value {
	if !slices.ContainsFunc(v, Atom.cannotBeCalled) {
		return v[:len(v):len(v)]
	}
	return slices.DeleteFunc(slices.Clone(v), Atom.cannotBeCalled)
}

func (a Atom) cannotBeCalled() bool {
	switch a.kind {
	case isNative, isUnknown:
		return false
	case isObject:
		return a.obj.call == nil && (a.obj.class == nil || a.obj.class.ctor != a.obj) && a.obj.native != "resolve"
	}
	return true
}

// invoke runs a function of the program.
func (in *interp) invoke(o *Object, this Value, args []Value, at position) Value {
	c := o.call
	if len(c.bound) > 0 {
		args = append(append([]Value(nil), c.bound...), args...)
	}
	if in.depth >= in.limits.Depth || in.stack[c.node] >= 2 {
		if in.stack[c.node] < 2 && in.current != nil && !in.probing && !plain(args) {
			in.current.cut = true
		}
		return Value{{kind: isUnknown, dep: true}}
	}
	var probe probeResult
	if !in.probing {
		probe = in.probe(o, this, args, at)
		args = in.passed(args, c, at)
	}
	in.ran[c.node] = true
	in.depth++
	in.stack[c.node]++
	out := in.repeated(c, this, args, func() Value { return in.run(c, this, args) })
	in.stack[c.node]--
	in.depth--
	if !in.dead {
		in.facts = in.facts.and(probe.after)
		out = probe.apply(out)
	}
	return out
}

// run is the body of a function, with a frame to return to.
func (in *interp) run(c *closure, this Value, args []Value) Value {
	s := &scope{up: c.scope, this: this, isFun: !c.arrow, args: args, home: c.home}
	f := in.push(frameFunction, "")
	if c.arrow {
		s.isFun = true
		s.this = in.thisOf(c.scope)
		s.args = c.scope.function().args
	}
	s.fn = f
	for i, b := range c.params.List {
		in.declarePattern(b.Target, s)
		v := undefined()
		if i < len(args) {
			v = args[i]
		}
		in.bind(b, v, s, c.file, false)
	}
	if c.params.Rest != nil {
		rest := in.newArray()
		if len(args) > len(c.params.List) {
			rest.array.list = args[len(c.params.List):]
		}
		in.declarePattern(c.params.Rest, s)
		in.bind(c.params.Rest, objectOf(rest), s, c.file, false)
	}
	in.hoistVars(c.vars, s)
	if c.expr {
		v := in.eval(c.body.(ast.Expression), s, c.file)
		if !in.dead {
			in.leave(f, false, v)
		}
	} else if body, ok := c.body.(*ast.BlockStatement); ok {
		in.hoist(body.List, s, c.file)
		in.statements(body.List, s, c.file)
	}
	out := in.returned(f)
	if c.generator {
		o := in.newArray()
		if y := s.vars["yield*"]; y != nil {
			o.array.rest = y.v
		}
		return objectOf(o)
	}
	return out
}

// returned is what a function returns: on all its ways, each with what is known on it.
func (in *interp) returned(f *frame) Value {
	if !in.dead {
		w := in.here(f.mark)
		w.value = undefined()
		f.ways = append(f.ways, w)
	}
	if len(f.ways) == 0 {
		in.pop(f)
		return undefined()
	}
	before := in.factsAt(f)
	in.undo(f.mark)
	in.pop(f)
	in.meet(f.ways, false)
	if len(f.ways) == 1 {
		return f.ways[0].value
	}
	var out Value
	for _, w := range f.ways {
		out = join(out, w.value.given(gained(w.facts, before), w.free))
	}
	return out
}

// factsAt is what every way out of a frame knows; what is more is known for one value only.
func (in *interp) factsAt(f *frame) facts {
	if len(f.ways) == 0 {
		return facts{}
	}
	out := f.ways[0].facts
	for _, w := range f.ways[1:] {
		out = out.or(w.facts)
	}
	return out
}

// passed notes on the way of each argument that it is passed on.
func (in *interp) passed(args []Value, c *closure, at position) []Value {
	if c.name == "" || at.unit == nil {
		return args
	}
	var out []Value
	for i, v := range args {
		if len(v.tainted()) == 0 {
			continue
		}
		if out == nil {
			out = append([]Value(nil), args...)
		}
		out[i] = remap(v, func(h hole) hole {
			h.step = h.step.then(at, "passed to "+clip(c.name))
			return h
		})
	}
	if out == nil {
		return args
	}
	return out
}

const maxSteps = 8

func (s *step) then(at position, note string) *step {
	if at.unit == nil {
		return s
	}
	n := &step{prev: s, at: at, note: note}
	if s != nil {
		n.depth = s.depth + 1
	}
	if n.depth > maxSteps {
		return s
	}
	return n
}

// construct is new.
func (in *interp) construct(fn Value, args []Value, at position) Value {
	in.tick()
	if in.dead {
		return undefined()
	}
	if len(fn) == 0 {
		return unknown()
	}
	return in.alternatives(fn, func(a Atom) Value {
		switch {
		case a.kind == isObject && a.obj.class != nil:
			if v, ok := in.zodOfTypeName(args, at); ok {
				return v
			}
			return in.instance(a.obj, args, at)
		case a.kind == isObject && a.obj.call != nil:
			o := in.newObject("")
			if p := in.getOwn(a.obj, "prototype"); len(p) == 1 && p[0].kind == isObject {
				o.proto = p[0].obj
			}
			in.invoke(a.obj, objectOf(o), args, at)
			return objectOf(o)
		case a.kind == isNative:
			return in.newNative(a.name, args, at)
		}
		in.unknownCall("", undefined(), args, at)
		return unknown()
	})
}

// unknownCall calls what is not known: it may call the functions that it is given, and what they
// return may be what it returns.
func (in *interp) unknownCall(name string, this Value, args []Value, at position) Value {
	dep := this.depends()
	for _, v := range args {
		dep = dep || v.depends()
	}
	out := Value{{kind: isUnknown, dep: dep}}
	return join(out, in.callbacks(args, at))
}

// callbacks calls each function among arguments, and in objects among them.
func (in *interp) callbacks(args []Value, at position) Value {
	var out Value
	if in.probing {
		return nil
	}
	for _, v := range args {
		for _, a := range v {
			if a.kind != isObject {
				continue
			}
			if a.obj.call != nil {
				out = join(out, in.aside(a.obj, at))
				continue
			}
			if a.obj.class != nil || a.obj.native != "" {
				continue
			}
			keys := append([]string(nil), a.obj.keys...)
			sort.Strings(keys)
			for i, k := range keys {
				if i > 40 {
					break
				}
				for _, f := range in.getOwn(a.obj, k) {
					if f.kind == isObject && f.obj.call != nil {
						out = join(out, in.aside(f.obj, at))
					}
				}
			}
		}
	}
	return out
}

// aside calls a function of which it is not known whether and with what it is called. That it throws
// ends nothing here.
func (in *interp) aside(o *Object, at position) Value {
	if in.stack[o.call.node] > 0 || in.dead {
		return nil
	}
	args := make([]Value, 0, len(o.call.params.List))
	for range o.call.params.List {
		args = append(args, unknown())
	}
	before, catcher := in.facts, in.catcher
	in.catcher = nil
	out := in.invoke(o, o.call.this, args, at)
	in.catcher = catcher
	if in.dead {
		in.dead = false
		in.facts = before
	}
	return out
}

func clip(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most]
	}
	return s
}
