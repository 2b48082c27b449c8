// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strconv"

	"github.com/dop251/goja/ast"
)

// bind gives names their values: of a declaration, or of an assignment.
func (in *interp) bind(target ast.Expression, v Value, s *scope, u *unit, assign bool) {
	in.tick()
	switch t := target.(type) {
	case nil:
	case *ast.Identifier:
		sl := s.lookup(t.Name.String())
		if sl == nil {
			sl = in.declare(in.globals, t.Name.String(), nil)
		}
		if helpers[t.Name.String()] && len(sl.v) == 1 && sl.v[0].kind == isNative {
			return
		}
		if sl.wait != nil {
			in.force(sl)
		}
		in.write(sl, v)
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

func (in *interp) bindObject(t *ast.ObjectPattern, v Value, s *scope, u *unit, assign bool) {
	taken := map[string]bool{}
	for _, p := range t.Properties {
		switch p := p.(type) {
		case *ast.PropertyShort:
			name := p.Name.Name.String()
			taken[name] = true
			field := in.get(v, name, position{u, p.Name.Idx})
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

// without is an object without some of its properties. What is open stays open.
func (in *interp) without(v Value, taken map[string]bool) Value {
	var out Value
	for _, a := range v {
		if a.kind != isObject || a.obj.call != nil || a.obj.array != nil {
			out = join(out, Value{a})
			continue
		}
		o := in.newObject("")
		o.any = a.obj.any
		for _, k := range a.obj.keys {
			if !taken[k] {
				in.set(o, k, in.getAtom(Atom{kind: isObject, obj: a.obj}, k, position{}))
			}
		}
		out = join(out, objectOf(o).given(a.under, a.free))
	}
	return out
}

func (in *interp) bindArray(t *ast.ArrayPattern, v Value, s *scope, u *unit, assign bool) {
	list := in.elements(v)
	for i, e := range t.Elements {
		if e != nil {
			in.bind(e, list.at(i), s, u, assign)
		}
	}
	if t.Rest != nil {
		o := in.newArray()
		if len(t.Elements) < len(list.known) {
			o.array.list = list.known[len(t.Elements):]
		}
		o.array.rest = list.rest
		in.bind(t.Rest, objectOf(o), s, u, assign)
	}
}

// orDefault takes the default where the value may be missing.
func (in *interp) orDefault(v Value, init ast.Expression, s *scope, u *unit) Value {
	var out Value
	missing := len(v) == 0
	for _, a := range v {
		switch {
		case a.kind == isUndefined:
			missing = true
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
		in.setAll(in.eval(t.Left, s, u), t.Identifier.Name.String(), v)
	case *ast.PrivateDotExpression:
		in.setAll(in.eval(t.Left, s, u), "#"+t.Identifier.Name.String(), v)
	case *ast.BracketExpression:
		o := in.eval(t.Left, s, u)
		keys := in.eval(t.Member, s, u)
		if key, ok := keys.one(); ok {
			in.setAll(o, key, v)
			return
		}
		for _, a := range o {
			if a.kind == isObject {
				in.setUnknown(a.obj, v)
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

func (in *interp) setAll(o Value, key string, v Value) {
	for _, a := range o {
		switch a.kind {
		case isObject:
			if len(o) == 1 {
				in.set(a.obj, key, v)
			} else {
				in.set(a.obj, key, join(v, in.getOwn(a.obj, key)))
			}
		case isNative:
			if in.natives[a.name] == nil {
				in.natives[a.name] = in.newObject("")
			}
			in.set(in.natives[a.name], key, v)
		}
	}
}

// maxProps bounds the properties of one object.
const maxProps = 5_000

func (in *interp) set(o *Object, key string, v Value) {
	if o.array != nil {
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i <= len(o.array.list) && i < maxElements {
			in.cost(len(o.array.list))
			in.keep(o.array)
			list := append([]Value(nil), o.array.list...)
			if i == len(list) {
				list = append(list, nil)
			}
			list[i] = v
			o.array.list = list
			return
		}
	}
	sl := o.props[key]
	if sl == nil {
		if len(o.props) >= maxProps {
			in.setUnknown(o, v)
			return
		}
		if o.props == nil {
			o.props = map[string]*slot{}
		}
		sl = in.newSlot(content{})
		o.props[key] = sl
		o.keys = append(o.keys, key)
	}
	delete(o.getters, key)
	in.write(sl, v)
}

func (in *interp) setUnknown(o *Object, v Value) {
	if o.array != nil {
		in.keep(o.array)
		o.array.rest = join(o.array.rest, v)
		return
	}
	if o.any == nil {
		o.any = in.newSlot(content{})
	}
	in.write(o.any, join(o.any.v, v))
}

func (in *interp) getOwn(o *Object, key string) Value {
	if sl := o.props[key]; sl != nil {
		return sl.v
	}
	return nil
}
