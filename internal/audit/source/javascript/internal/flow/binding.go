// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "github.com/dop251/goja/ast"

// Names and their values: declarations, parameters, patterns and assignments all end in bind,
// which ends in a write to a slot.

// bind gives names their values, in a declaration, a parameter or an assignment: const { a, b = 1
// } = o. A name that nobody declared becomes a global variable. Helpers of compilers keep their
// meaning even if the file defines them.
func (in *interp) bind(target ast.Expression, v Value, s *scope, u *unit, assign bool) {
	in.budget.tick()
	switch t := target.(type) {
	case nil:
	case *ast.Identifier:
		sl := s.lookup(t.Name.String())
		if sl == nil {
			sl = in.heap.declare(in.heap.globals, t.Name.String(), nil)
		}
		if helpers[t.Name.String()] && len(sl.v) == 1 && sl.v[0].kind == isNative {
			return
		}
		// A write to a variable of a put-off declaration: the declaration came first.
		if sl.wait != nil {
			in.force(sl)
		}
		in.journal.write(sl, v)
	case *ast.Binding:
		if t.Initializer != nil {
			v = in.orDefault(v, t.Initializer, s, u)
		}
		in.bind(t.Target, v, s, u, assign)
	case *ast.AssignExpression: // a default within a pattern
		in.bind(t.Left, in.orDefault(v, t.Right, s, u), s, u, assign)
	case *ast.ObjectPattern:
		in.bindObject(t, v, s, u, assign)
	case *ast.ArrayPattern:
		in.bindArray(t, v, s, u, assign)
	default:
		in.assign(target, v, s, u)
	}
}

// bindObject is { a, b: c, ...rest }. Each name is a property that is read, so it also names a
// field of the arguments.
func (in *interp) bindObject(t *ast.ObjectPattern, v Value, s *scope, u *unit, assign bool) {
	taken := map[string]bool{}
	for _, p := range t.Properties {
		switch p := p.(type) {
		case *ast.PropertyShort:
			name := p.Name.Name.String()
			taken[name] = true
			field := in.get(v, name, position{u, p.Name.Idx})
			// { path = "." } of args: the default is another alternative of the field.
			if p.Initializer != nil {
				field = in.orDefault(field, p.Initializer, s, u)
			}
			in.bind(&p.Name, field, s, u, assign)
		case *ast.PropertyKeyed:
			var field Value
			if key, ok := in.key(p.Key, p.Computed, s, u).one(); ok {
				taken[key] = true
				field = in.get(v, key, position{u, p.Key.Idx0()})
			} else {
				field = in.getAny(v)
			}
			in.bind(p.Value, field, s, u, assign)
		}
	}
	if t.Rest != nil {
		in.bind(t.Rest, in.without(v, taken), s, u, assign)
	}
}

// without is an object without some of its properties, as ...rest gives it. A text from the
// caller that may be an object stays as it is: reading a field of the rest gives a field of the
// arguments.
func (in *interp) without(v Value, taken map[string]bool) Value {
	var out Value
	for _, a := range v {
		if a.kind != isObject || a.obj.call != nil || a.obj.array != nil {
			out = join(out, Value{a})
			continue
		}
		o := in.heap.newObject("")
		o.any = a.obj.any
		for _, k := range a.obj.keys {
			if !taken[k] {
				in.heap.set(o, k, in.getAtom(Atom{kind: isObject, obj: a.obj}, k, position{}))
			}
		}
		out = join(out, objectOf(o).given(a.under, a.free))
	}
	return out
}

// bindArray is [a, b, ...rest].
func (in *interp) bindArray(t *ast.ArrayPattern, v Value, s *scope, u *unit, assign bool) {
	list := in.heap.elements(v)
	for i, e := range t.Elements {
		if e != nil {
			in.bind(e, list.at(i), s, u, assign)
		}
	}
	if t.Rest != nil {
		o := in.heap.newArray()
		if len(t.Elements) < len(list.known) {
			o.array.list = list.known[len(t.Elements):]
		}
		o.array.rest = list.rest
		in.bind(t.Rest, objectOf(o), s, u, assign)
	}
}

// orDefault joins the default to a value that may be missing:
//
//	({ path = "." }) => read(path)      // "." or the caller's path
func (in *interp) orDefault(v Value, init ast.Expression, s *scope, u *unit) Value {
	var out Value
	missing := len(v) == 0
	for _, a := range v {
		switch {
		case a.kind == isUndefined:
			missing = true
		// An argument that the caller may leave out.
		case a.kind == isUnknown || a.kind == isText && a.open:
			missing = true
			out = join(out, Value{a})
		default:
			out = join(out, Value{a})
		}
	}
	if missing {
		out = join(out, in.eval(init, s, u))
	}
	return out
}

// assign writes to a variable or a property.
func (in *interp) assign(target ast.Expression, v Value, s *scope, u *unit) {
	switch t := target.(type) {
	case *ast.DotExpression:
		in.heap.setAll(in.eval(t.Left, s, u), t.Identifier.Name.String(), v)
	case *ast.PrivateDotExpression:
		in.heap.setAll(in.eval(t.Left, s, u), "#"+t.Identifier.Name.String(), v)
	case *ast.BracketExpression:
		o := in.eval(t.Left, s, u)
		keys := in.eval(t.Member, s, u)
		if key, ok := keys.one(); ok {
			in.heap.setAll(o, key, v)
			return
		}
		for _, a := range o {
			if a.kind == isObject {
				in.heap.setUnknown(a.obj, v)
			}
		}
	case *ast.Identifier, *ast.ObjectPattern, *ast.ArrayPattern:
		in.bind(target, v, s, u, true)
	case *ast.ObjectLiteral, *ast.ArrayLiteral, *ast.CallExpression:
		// not a target
	case *ast.AssignExpression:
		in.bind(target, v, s, u, true)
	}
}
