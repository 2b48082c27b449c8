// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "github.com/dop251/goja/ast"

// Object literals: { a, b: 1, get c() {…}, ...rest }.

// objectLiteral is { a, b: 1, ...rest }. Properties are set in order, so that later ones win.
func (in *interp) objectLiteral(e *ast.ObjectLiteral, s *scope, u *unit) Value {
	o := in.heap.newObject("")
	v := objectOf(o)
	for _, p := range e.Value {
		switch p := p.(type) {
		case *ast.PropertyShort:
			in.heap.set(o, p.Name.Name.String(), in.identifier(p.Name.Name.String(), s))
		case *ast.PropertyKeyed:
			in.property(o, p, s, u)
		case *ast.SpreadElement:
			in.copyInto(o, in.eval(p.Expression, s, u))
		}
	}
	return v
}

// property sets one property of a literal. Getters get the object as their this at once; methods
// get it when they are called. Setters are ignored: a write just sets the value, and only the
// value matters here.
func (in *interp) property(o *Object, p *ast.PropertyKeyed, s *scope, u *unit) {
	keys := in.key(p.Key, p.Computed, s, u)
	v := in.eval(p.Value, s, u)
	if p.Kind != ast.PropertyKindValue {
		setThis(v, objectOf(o))
	}
	for _, a := range v {
		if a.kind == isObject && a.obj.call != nil && !a.obj.call.arrow && len(a.obj.call.this) == 0 {
			a.obj.call.this = nil
		}
	}
	key, ok := keys.one()
	switch {
	case !ok:
		in.heap.setUnknown(o, v)
	case p.Kind == ast.PropertyKindGet:
		if o.getters == nil {
			o.getters = map[string]Value{}
		}
		o.getters[key] = v
	case p.Kind == ast.PropertyKindSet:
	default:
		if len(keys) == 1 && len(v) > 0 && keys[0].kind == isText {
			nameFunction(v, key)
		}
		in.heap.set(o, key, v)
	}
}

// nameFunction names a function after its variable or property, for the steps in the report.
func nameFunction(v Value, name string) {
	for _, a := range v {
		if a.kind == isObject && a.obj.call != nil && a.obj.call.name == "" {
			a.obj.call.name = name
		}
	}
}

// setThis is for getters: they are called without naming their object.
func setThis(v, this Value) {
	for _, a := range v {
		if a.kind == isObject && a.obj.call != nil && !a.obj.call.arrow && len(a.obj.call.this) == 0 {
			a.obj.call.this = this
		}
	}
}

// copyInto is {...v}. From the caller's arguments all fields are copied without their names; each
// gets its name back where one is read (nameFields):
//
//	const opts = { ...defaults, ...args }; open(opts.path)   // opts.path is args.path
func (in *interp) copyInto(o *Object, v Value) {
	for _, a := range v {
		switch a.kind {
		case isObject:
			if a.obj.array != nil {
				continue
			}
			names := in.heap.names(a.obj)
			in.budget.cost(len(names))
			for _, k := range names {
				f := in.getObject(a, k, position{})
				// With several alternatives, each property may also be the old one.
				if len(v) > 1 {
					f = join(f, o.own(k))
				}
				in.heap.set(o, k, f)
			}
			if a.obj.any != nil {
				in.heap.setUnknown(o, a.obj.any.v)
			}
		case isText:
			if a.open {
				in.heap.setUnknown(o, wild(Value{a}))
			}
		case isUnknown:
			in.heap.setUnknown(o, Value{{kind: isUnknown, dep: a.dep}})
		}
	}
}
