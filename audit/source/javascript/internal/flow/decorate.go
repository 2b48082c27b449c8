// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"

	"github.com/dop251/goja/ast"
)

// Decorators are functions that compilers call with what they decorate. Those of the program are
// called so; of those of packages it is known by their names what they do: say what a constructor is
// given (inject.go), or that a method is a tool.

// decorators are the functions that compilers put into files to call decorators.
var decorators = map[string]bool{"__decorateClass": true, "__decorate": true}

// parameterDecorators are those for the decorator of a parameter.
var parameterDecorators = map[string]bool{"__decorateParam": true, "__param": true}

// toolDecorators are names of decorators of methods that are tools.
var toolDecorators = []string{"Tool", "McpTool", "MCPTool", "MCPFunction", "tool", "mcpTool", "ToolHandler"}

// nameOf is the name that a function is called by, without where it comes from.
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
	key    string // "" is the class
}

// decorate is a call of a compiler's function for decorators: a list of them, the class or its
// prototype, the member, and what it is.
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

// decorator calls one decorator, of a parameter if there is one.
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
	if len(fn) == 1 && fn[0].kind == isNative {
		in.applied(call.Callee, fn, in.arguments(call.ArgumentList, s, u), d, parameter)
		return
	}
	in.applied(call.Callee, in.eval(e, s, u), nil, d, parameter)
}

// applied is what a decorator does: args are those that it was made with, if it is a package's.
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

// applyOwn calls a decorator of the program.
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

// decoratedTool registers a method that a decorator says is a tool: by a name, an object that has
// it, or its own name. What it is a method of is made when all that it may need is there.
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

// A decoration is a tool by a decorator. It counts where the program itself does not register it.
type decoration struct {
	name Value
	h    *handler
}
