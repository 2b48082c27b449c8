// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "github.com/dop251/goja/ast"

// Classes of the program. An instance is a plain object with a prototype; the constructor runs as
// any function does.

// class is the value of a class. Methods go to the prototype object and static members to the
// constructor. Fields are evaluated for each instance, by initialize. If the parent is native,
// instances are of the parent's native class: an Error, a McpServer.
func (in *interp) class(e *ast.ClassLiteral, s *scope, u *unit) Value {
	o := in.heap.newObject("")
	c := &class{ctor: o, file: u}
	o.class = c
	inner := &scope{up: s, home: c}
	c.scope = inner
	c.protoObject = in.heap.newObject("")
	c.protoObject.class = c
	if e.Name != nil {
		c.name = e.Name.Name.String()
		in.heap.declare(inner, c.name, objectOf(o))
	}
	if e.SuperClass != nil {
		c.parent = in.eval(e.SuperClass, s, u)
		for _, p := range c.parent {
			if p.kind == isObject && p.obj.class != nil {
				c.protoObject.proto = p.obj.class.protoObject
			}
			if p.kind == isNative {
				c.protoObject.native = p.name
			}
		}
	}
	in.heap.set(o, "prototype", objectOf(c.protoObject))
	for _, el := range e.Body {
		switch el := el.(type) {
		case *ast.MethodDefinition:
			in.method(c, el, inner, u)
		case *ast.FieldDefinition:
			if !el.Static {
				c.fields = append(c.fields, el)
				continue
			}
			if key, ok := in.key(el.Key, el.Computed, inner, u).one(); ok {
				in.heap.set(o, key, in.eval(el.Initializer, &scope{up: inner, this: objectOf(o), isFun: true}, u))
			}
		case *ast.ClassStaticBlock:
			fn := &scope{up: inner, this: objectOf(o), isFun: true}
			in.hoistVars(el.DeclarationList, fn)
			in.block(el.Block.List, fn, u)
		}
	}
	if !in.definitions.closed {
		in.definitions.classes = append(in.definitions.classes, o)
	}
	return objectOf(o)
}

// method defines a method, a getter or the constructor. Setters are ignored, as in object
// literals.
func (in *interp) method(c *class, el *ast.MethodDefinition, s *scope, u *unit) {
	key, ok := in.key(el.Key, el.Computed, s, u).one()
	if !ok {
		return
	}
	v := in.function(el.Body, s, u)
	v[0].obj.call.home = c
	v[0].obj.call.name = key
	target := c.protoObject
	if el.Static {
		target = c.ctor
	}
	switch {
	case key == "constructor" && !el.Static:
		c.init = v
	case el.Kind == ast.PropertyKindGet:
		if target.getters == nil {
			target.getters = map[string]Value{}
		}
		target.getters[key] = v
	case el.Kind == ast.PropertyKindSet:
	default:
		in.heap.set(target, key, v)
	}
}

// thisOf is the value of this: that of the innermost function. Arrow functions got theirs in run.
func thisOf(s *scope) Value {
	for ; s != nil; s = s.up {
		if s.isFun {
			if len(s.this) == 0 {
				return unknown()
			}
			return s.this
		}
	}
	return unknown()
}

// superOf is the object that super.x is read from: the prototype of the class above.
func superOf(s *scope) Value {
	c := homeOf(s)
	if c == nil || c.protoObject.proto == nil {
		return unknown()
	}
	return objectOf(c.protoObject.proto)
}

// homeOf is the class that a piece of code belongs to.
func homeOf(s *scope) *class {
	for ; s != nil; s = s.up {
		if s.home != nil {
			return s.home
		}
	}
	return nil
}

// instance is new C(…) for a class of the program.
func (in *interp) instance(ctor *Object, args []Value, at position) Value {
	o := in.heap.newObject(ctor.class.protoObject.native)
	o.proto = ctor.class.protoObject
	v := objectOf(o)
	in.initialize(objectOf(ctor), v, args, at)
	return v
}

// initialize runs the construction of this: the class above if there is no own constructor to
// call super, then the fields, then the constructor. An exception class gets its message, because
// handlers look at it.
//
// The checks of depth and of the stack stop classes that make instances of themselves.
func (in *interp) initialize(ctor, this Value, args []Value, at position) {
	for _, a := range ctor {
		if a.kind == isNative && isError(a.name) {
			in.heap.setAll(this, "message", messageOf(args))
		}
		if a.kind != isObject || a.obj.class == nil || in.nesting.calls >= in.budget.limits.Depth {
			continue
		}
		c := a.obj.class
		if in.nesting.running[c.scopeNode()] > 2 {
			continue
		}
		in.nesting.calls++
		if len(c.init) == 0 {
			in.initialize(c.parent, this, args, at)
		}
		s := &scope{up: c.scope, this: this, isFun: true}
		for _, f := range c.fields {
			if key, ok := in.key(f.Key, f.Computed, s, c.file).one(); ok {
				v := undefined()
				if f.Initializer != nil {
					v = in.eval(f.Initializer, s, c.file)
					nameFunction(v, key)
				}
				in.heap.setAll(this, key, v)
			}
		}
		if len(c.init) > 0 {
			in.call(c.init, this, args, at)
		}
		in.nesting.calls--
	}
}

// scopeNode is the constructor's function, to count how often it is on the stack.
func (c *class) scopeNode() ast.Node {
	if len(c.init) > 0 {
		return c.init[0].obj.call.node
	}
	return nil
}
