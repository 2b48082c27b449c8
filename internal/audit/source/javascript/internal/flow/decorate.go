// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"

	"github.com/dop251/goja/ast"
)

// Decorators are functions. Compilers call them with the thing to decorate:
//
//	__decorate([Tool({ name: "read" }), __param(0, inject("Files"))], ReadTool.prototype, "run", null)
//
// Decorators of the program are called so. Those of packages are known by their names: they
// give a constructor its arguments (inject.go), or make a method a tool.

// decorators are functions of compilers that call decorators.
var decorators = map[string]bool{"__decorateClass": true, "__decorate": true}

// parameterDecorators are those for a parameter's decorator.
var parameterDecorators = map[string]bool{"__decorateParam": true, "__param": true}

// toolDecorators are names of decorators that make a method a tool.
var toolDecorators = []string{"Tool", "McpTool", "MCPTool", "MCPFunction", "tool", "mcpTool", "ToolHandler"}

// nameOf is the last name of a callee: "b" of a.b.
func nameOf(e ast.Expression) string {
	switch e := e.(type) {
	case *ast.Identifier:
		return e.Name.String()
	case *ast.DotExpression:
		return e.Identifier.Name.String()
	case *ast.SequenceExpression: // (0, a.b)(…)
		if n := len(e.Sequence); n > 0 {
			return nameOf(e.Sequence[n-1])
		}
	}
	return ""
}

// A decorated is a class, or a member of one, whose decorators are called.
type decorated struct {
	target Value
	class  *class
	// "" is the class itself
	key string
}

// decorate is a call of a compiler's function: a list of decorators, the class or its prototype,
// the member, and its descriptor. Decorators are called from the last to the first, as compilers
// do.
func (in *interp) decorate(e *ast.CallExpression, s *scope, u *unit) (Value, bool) {
	if len(e.ArgumentList) < 2 {
		return nil, false
	}
	list, ok := e.ArgumentList[0].(*ast.ArrayLiteral)
	if !ok {
		return nil, false
	}
	d := decorated{target: in.eval(e.ArgumentList[1], s, u)}
	for _, a := range d.target {
		if a.kind == isObject && a.obj.class != nil {
			d.class = a.obj.class
		}
	}
	if len(e.ArgumentList) > 2 {
		d.key, _ = in.eval(e.ArgumentList[2], s, u).one()
	}
	if d.class == nil {
		return nil, false
	}
	for i := len(list.Value) - 1; i >= 0; i-- {
		if list.Value[i] != nil {
			in.decorator(list.Value[i], d, -1, s, u)
		}
	}
	return d.target, true
}

// decorator calls one decorator; parameter is the index of a parameter, or -1.
func (in *interp) decorator(e ast.Expression, d decorated, parameter int, s *scope, u *unit) {
	call, ok := e.(*ast.CallExpression)
	if !ok {
		in.applied(e, in.eval(e, s, u), nil, d, parameter)
		return
	}
	name := nameOf(call.Callee)
	switch {
	case parameterDecorators[name] && len(call.ArgumentList) == 2:
		if n, ok := in.eval(call.ArgumentList[0], s, u).num(); ok && n >= 0 && n < 100 {
			in.decorator(call.ArgumentList[1], d, int(n), s, u)
		}
		return
	case name == "__metadata" && len(call.ArgumentList) == 2:
		if what, _ := in.eval(call.ArgumentList[0], s, u).one(); what == "design:paramtypes" && d.key == "" {
			d.class.types = in.heap.elements(in.eval(call.ArgumentList[1], s, u)).known
		}
		return
	}
	fn := in.eval(call.Callee, s, u)
	if injecting[name] && len(functions(fn)) == 0 {
		// Where files load each other in a circle, the token may be there only later.
		d.class.inject(name, func() Value { return arg(in.arguments(call.ArgumentList, s, u), 0) }, d.key, parameter)
		return
	}
	// A decorator of a package, with arguments: @Tool({ name: "read" }).
	if len(fn) == 1 && fn[0].kind == isNative {
		in.applied(call.Callee, fn, in.arguments(call.ArgumentList, s, u), d, parameter)
		return
	}
	in.applied(call.Callee, in.eval(e, s, u), nil, d, parameter)
}

// applied carries out a decorator. args are the arguments of its maker, if it comes from a
// package.
func (in *interp) applied(e ast.Expression, fn Value, args []Value, d decorated, parameter int) {
	name := nameOf(e)
	if len(functions(fn)) > 0 {
		in.applyOwn(fn, d, parameter)
	}
	switch {
	case parameter < 0 && d.key == "" && name == "Module":
		in.container.provideAll(in.get(arg(args, 0), "providers", position{}))
	case parameter < 0 && d.key != "" && slices.Contains(toolDecorators, name):
		in.decoratedTool(args, d)
	}
}

// applyOwn calls a decorator of the program. It may replace the method in the descriptor.
func (in *interp) applyOwn(fn Value, d decorated, parameter int) {
	args := []Value{d.target}
	descriptor := in.heap.newObject("")
	switch {
	case parameter >= 0:
		args = append(args, undefined(), number(float64(parameter)))
	case d.key != "":
		in.heap.set(descriptor, "value", d.class.protoObject.own(d.key))
		args = append(args, constant(d.key), objectOf(descriptor))
	}
	in.call(fn, undefined(), args, position{})
	in.state.dead = false
	if v := descriptor.own("value"); d.key != "" && len(functions(v)) > 0 {
		in.heap.set(d.class.protoObject, d.key, v)
	}
}

// decoratedTool notes a method that a decorator makes a tool. Its name is an argument of the
// decorator, a property of one, or the method's own. The instance is made when everything it may
// need exists.
func (in *interp) decoratedTool(args []Value, d decorated) {
	h := &handler{fn: functions(d.class.protoObject.own(d.key)), of: d.class}
	if len(h.fn) == 0 || in.probes.on {
		return
	}
	name := constant(d.key)
	for _, v := range args {
		for _, a := range v {
			switch {
			case a.kind == isObject && a.obj.call == nil:
				if n := in.getObject(a, "name", position{}); len(n.words()) > 0 {
					name = n
				}
				if s := schemaField(a.obj); len(s) > 0 {
					h.schema = s
				}
			case a.kind == isText && len(args) > 0 && len(v.words()) > 0 && &v[0] == &args[0][0]:
				name = v
			}
		}
	}
	in.registry.decorations = append(in.registry.decorations, decoration{name, h})
}

// A decoration is a tool by a decorator. It counts unless the program itself registers the
// method.
type decoration struct {
	name Value
	h    *handler
}
