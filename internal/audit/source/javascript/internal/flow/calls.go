// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"sort"

	"github.com/dop251/goja/ast"
)

// Calls. The result of a call is what the function returns on all its ways, and calling it leaves
// its writes and its facts in the state: a guard that throws proves something to its caller.
//
//	const inside = (p) => { if (!p.startsWith("/srv/")) throw new Error() }
//	inside(args.path)      // one way returns, and it knows that p is in /srv/
//
// Functions run again at each call, with the arguments of that call. This makes the analysis as
// exact as its bounds allow (context-sensitive), and memo.go makes it affordable.

// function is the value of a function literal. A named one sees itself under its name.
func (in *interp) function(f *ast.FunctionLiteral, s *scope, u *unit) Value {
	if isZodConstructor(f, u) {
		return native(zodConstructor)
	}
	o := in.heap.newObject("")
	inner := s
	o.call = &closure{params: f.ParameterList, body: f.Body, vars: f.DeclarationList, file: u, node: f, begin: int(f.Idx0()), end: int(f.Idx1()), generator: f.Generator}
	if f.Name != nil {
		o.call.name = f.Name.Name.String()
		inner = &scope{up: s}
		in.heap.declare(inner, o.call.name, objectOf(o))
	}
	o.call.scope = inner
	in.definitions.remember(o)
	return objectOf(o)
}

// arrow is the value of an arrow function. It has no this of its own; run takes that of the
// scope.
func (in *interp) arrow(f *ast.ArrowFunctionLiteral, s *scope, u *unit) Value {
	o := in.heap.newObject("")
	o.call = &closure{params: f.ParameterList, vars: f.DeclarationList, scope: s, file: u, node: f, arrow: true, begin: int(f.Idx0()), end: int(f.Idx1())}
	switch b := f.Body.(type) {
	case *ast.BlockStatement:
		o.call.body = b
	case *ast.ExpressionBody:
		o.call.body = b.Expression
		o.call.expr = true
	}
	in.definitions.remember(o)
	return objectOf(o)
}

// callExpression is f(…), o.m(…), o[k](…) or super(…). The kind of callee decides on this; a?.b()
// is a.b(). The call of a decorator helper is read from the syntax, because the values no longer
// show which parameter a decorator belongs to.
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
	// The text of the file is looked at first, since few files have decorators.
	if u != nil && u.decorated && decorators[nameOf(callee)] {
		if v, ok := in.decorate(e, s, u); ok {
			return v
		}
	}
	switch c := callee.(type) {
	case *ast.SuperExpression:
		args := in.arguments(e.ArgumentList, s, u)
		if home := homeOf(s); home != nil {
			in.initialize(home.parent, thisOf(s), args, at)
		}
		return undefined()
	case *ast.DotExpression:
		at.idx = c.Identifier.Idx
		if c.Identifier.Name.String() == "catch" {
			return in.catch(c.Left, e.ArgumentList, s, u, at)
		}
		o := in.eval(c.Left, s, u)
		if _, ok := c.Left.(*ast.SuperExpression); ok {
			return in.call(in.get(o, c.Identifier.Name.String(), at), thisOf(s), in.arguments(e.ArgumentList, s, u), at)
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
		// A function require of the program is another one.
		if name == "require" && s.lookup("require") == nil {
			return in.require(e, s, u)
		}
		at.idx = c.Idx
	}
	fn := in.eval(callee, s, u)
	return in.call(fn, undefined(), in.arguments(e.ArgumentList, s, u), at)
}

// catch is promise.catch(handler). It works as try and catch do, since promises run at once: the
// promise's expression is the body. Other things have a method of that name, too, but they are
// not given a function.
func (in *interp) catch(left ast.Expression, list []ast.Expression, s *scope, u *unit, at position) Value {
	args := in.arguments(list, s, u)
	if len(callable(arg(args, 0))) == 0 {
		return in.callMethod(in.eval(left, s, u), "catch", args, at)
	}
	var out Value
	in.state.attempt(func() {
		out = settledOf(in.eval(left, s, u))
	}, func(thrown Value) {
		if r := in.call(args[0], undefined(), []Value{thrown}, at); !in.state.dead {
			out = join(out, settledOf(r))
		}
	})
	return out
}

// call calls a value: each alternative from the same state. Without anything to call, the callee
// was undefined or a text; the program must have meant something else, so the call counts as one
// of an unknown function.
func (in *interp) call(fn, this Value, args []Value, at position) Value {
	in.budget.tick()
	if in.state.dead {
		return undefined()
	}
	fn = callable(fn)
	if len(fn) == 0 {
		return in.unknownCall("", undefined(), args, at)
	}
	return in.state.alternatives(fn, func(a Atom) Value {
		// The callee was chosen by the tool's name, so the call serves that tool.
		if a.tool != "" {
			old := in.state.tool
			in.state.tool = a.tool
			defer func() { in.state.tool = old }()
		}
		args := in.state.ofTool(args)
		switch {
		case a.kind == isObject && a.obj.call != nil:
			t := this
			// The function was bound, or is called without its object.
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

// callable leaves out alternatives that cannot be called.
func callable(v Value) Value {
	if !slices.ContainsFunc(v, Atom.cannotBeCalled) {
		return v[:len(v):len(v)]
	}
	return slices.DeleteFunc(slices.Clone(v), Atom.cannotBeCalled)
}

// cannotBeCalled reports whether a call of the alternative throws.
func (a Atom) cannotBeCalled() bool {
	switch a.kind {
	case isNative, isUnknown:
		return false
	case isObject:
		return a.obj.call == nil && (a.obj.class == nil || a.obj.class.ctor != a.obj) && a.obj.native != "resolve"
	}
	return true
}

// invoke runs a function of the program. Recursion is followed once: the second level shows how a
// result is made of itself, further levels add nothing. Where the depth cuts a call off, the
// handler counts as unfinished, unless nothing in the arguments came from a caller.
//
// Before the call the function is tried as a guard (probe). That shows more than its body: a
// function that takes an address apart with bit operations has no readable conditions.
func (in *interp) invoke(o *Object, this Value, args []Value, at position) Value {
	c := o.call
	if len(c.bound) > 0 {
		args = append(append([]Value(nil), c.bound...), args...)
	}
	// Recursion alone is no reason to call the handler unfinished: its second level was followed.
	if in.nesting.calls >= in.budget.limits.Depth || in.nesting.running[c.node] >= 2 {
		if in.nesting.running[c.node] < 2 && in.turn.handler != nil && !in.probes.on && !plain(args) {
			in.turn.handler.cut = true
		}
		return Value{{kind: isUnknown, dep: true}}
	}
	var probe probeResult
	if !in.probes.on {
		probe = in.probe(o, this, args, at)
		args = passed(args, c, at)
	}
	// From here on nothing has to call it in order to see what it does.
	in.definitions.called[c.node] = true
	in.nesting.calls++
	in.nesting.running[c.node]++
	out := in.memory.repeated(c, this, args, func() Value { return in.run(c, this, args) })
	in.nesting.running[c.node]--
	in.nesting.calls--
	if !in.state.dead {
		in.state.facts = in.state.facts.and(probe.after)
		out = probe.apply(out)
	}
	return out
}

// run is the body of a function, with a frame to return to. Parameters are bound as patterns. A
// generator returns a list of all that it yields.
func (in *interp) run(c *closure, this Value, args []Value) Value {
	s := &scope{up: c.scope, this: this, isFun: !c.arrow, args: args, home: c.home}
	f := in.state.push(frameFunction, "")
	// An arrow function has this and arguments of the function around it.
	if c.arrow {
		s.isFun = true
		s.this = thisOf(c.scope)
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
		rest := in.heap.newArray()
		if len(args) > len(c.params.List) {
			rest.array.list = args[len(c.params.List):]
		}
		in.declarePattern(c.params.Rest, s)
		in.bind(c.params.Rest, objectOf(rest), s, c.file, false)
	}
	in.hoistVars(c.vars, s)
	if c.expr {
		v := in.eval(c.body.(ast.Expression), s, c.file)
		if !in.state.dead {
			in.state.leave(f, false, v)
		}
	} else if body, ok := c.body.(*ast.BlockStatement); ok {
		in.hoist(body.List, s, c.file)
		in.statements(body.List, s, c.file)
	}
	out := in.state.returned(f)
	// Values of yield have no order here: a loop around a yield has lost it.
	if c.generator {
		o := in.heap.newArray()
		if y := s.vars["yield*"]; y != nil {
			o.array.rest = y.v
		}
		return objectOf(o)
	}
	return out
}

// factsAt are the facts common to all ways out of a function. Other facts belong to one value.
func factsAt(f *frame) facts {
	if len(f.ways) == 0 {
		return facts{}
	}
	out := f.ways[0].facts
	for _, w := range f.ways[1:] {
		out = out.or(w.facts)
	}
	return out
}

// passed adds to the way of each argument that it was passed on.
func passed(args []Value, c *closure, at position) []Value {
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

// maxSteps bounds the way of a value that the report shows. The oldest steps stay: they name the
// parameter; the sink is known anyway.
const maxSteps = 8

// then adds a step.
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

// construct is new F(…): of a class, of a function that serves as one, or of something native.
func (in *interp) construct(fn Value, args []Value, at position) Value {
	in.budget.tick()
	if in.state.dead {
		return undefined()
	}
	if len(fn) == 0 {
		return unknown()
	}
	return in.state.alternatives(fn, func(a Atom) Value {
		switch {
		case a.kind == isObject && a.obj.class != nil:
			// new ZodString({ typeName: "ZodString", … }), from a bundle.
			if v, ok := in.zodOfTypeName(args, at); ok {
				return v
			}
			return in.instance(a.obj, args, at)
		case a.kind == isObject && a.obj.call != nil:
			o := in.heap.newObject("")
			// A function used as a class: its instances inherit from F.prototype.
			if p := a.obj.own("prototype"); len(p) == 1 && p[0].kind == isObject {
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

// unknownCall calls a function that nobody knows. The result is unknown, without holes: a
// function that passes the caller's text on unchanged is missed here, but the alternative, taking
// every result for the caller's text, would find a weakness at every sink. Functions among the
// arguments may be called, and their results may be the result.
func (in *interp) unknownCall(name string, this Value, args []Value, at position) Value {
	dep := this.depends()
	for _, v := range args {
		dep = dep || v.depends()
	}
	out := Value{{kind: isUnknown, dep: dep}}
	return join(out, in.callbacks(args, at))
}

// callbacks calls each function among the arguments, and in objects among them. Forty properties
// are enough for handlers in options; more are a table of something else. Names are sorted, since
// a call writes slots.
func (in *interp) callbacks(args []Value, at position) Value {
	var out Value
	if in.probes.on {
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
			// A call may add properties, so the names are copied.
			keys := append([]string(nil), a.obj.keys...)
			sort.Strings(keys)
			for i, k := range keys {
				if i > 40 {
					break
				}
				for _, f := range a.obj.own(k) {
					if f.kind == isObject && f.obj.call != nil {
						out = join(out, in.aside(f.obj, at))
					}
				}
			}
		}
	}
	return out
}

// aside calls a function that may or may not be called, with unknown arguments. If it always
// throws, the program goes on as if it had not been called.
func (in *interp) aside(o *Object, at position) Value {
	if in.nesting.running[o.call.node] > 0 || in.state.dead {
		return nil
	}
	args := make([]Value, 0, len(o.call.params.List))
	for range o.call.params.List {
		args = append(args, unknown())
	}
	// A catch outside must not see exceptions from a call that may never happen.
	before, catcher := in.state.facts, in.state.catcher
	in.state.catcher = nil
	out := in.invoke(o, o.call.this, args, at)
	in.state.catcher = catcher
	if in.state.dead {
		in.state.dead = false
		in.state.facts = before
	}
	return out
}

// clip shortens a name for the report, which the program must not be able to flood.
func clip(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most]
	}
	return s
}
