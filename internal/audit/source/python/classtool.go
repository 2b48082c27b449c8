// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Programs have classes of tools of their own, and register them by loops over tables that cannot be
// followed. The method of such a class is a tool if no handler has reached it.

var (
	toolBase    = lazyregexp.New(`Tool(s|Base|Handler|Interface|ABC|Protocol|Mixin)?$`)
	toolMethods = []string{"execute", "run", "apply", "call", "invoke", "handle", "run_tool", "execute_tool", "_execute", "_run", "_arun", "arun", "__call__", "forward"}
	tables      = []string{"arguments", "args", "params", "parameters", "kwargs", "input", "inputs", "input_data", "tool_input", "tool_args", "tool_arguments", "request", "payload"}
)

// ofOwn runs functions that look like tools of the program and were not reached. An earlier one may
// reach a later one.
func (a *analysis) ofOwn() {
	if !a.speaksMCP {
		return
	}
	for _, register := range []func(*module){a.byHand, a.decorated, a.classTools, a.functionTools} {
		for _, m := range a.lang.order {
			register(m)
		}
		a.handlers()
	}
}

func (a *analysis) classTools(m *module) {
	for _, c := range classesOf(m.body) {
		if !slices.ContainsFunc(c.Bases, func(b *flow.Expr) bool { return toolBase.MatchString(b.S) }) {
			continue
		}
		if err := a.in.Run(a.opts.Steps, func() { a.in.AtStart(func() { a.classTool(m, c) }) }); err != nil {
			a.unread(m.file+": "+c.Name, err.Error())
		}
	}
}

func (a *analysis) functionTools(m *module) {
	for _, f := range functions(m.body) {
		if f.self == nil && slices.ContainsFunc(f.fn.Params, isTable) && !a.in.Reached(f.fn) {
			a.handlerOfOwn(m, f)
		}
	}
}

var toolDecorator = lazyregexp.New(`(?i)(^|_)tool$`)

// decorated are the functions below a decorator of the program with the name of one for tools.
func (a *analysis) decorated(m *module) {
	for _, f := range functions(m.body) {
		for _, d := range f.fn.Decorators {
			of := d
			if d.Op == flow.Call {
				of = d.X
			}
			if f.self == nil && toolDecorator.MatchString(of.S) && !a.in.Reached(f.fn) {
				a.decoratedBy(m, f.fn, d, of)
			}
		}
	}
}

func (a *analysis) decoratedBy(m *module, fn *flow.Func, d, of *flow.Expr) {
	name := fn.Name
	for i, n := range d.Names {
		if n == "name" && d.List[i].Op == flow.Str {
			name = d.List[i].S
		}
	}
	_ = a.in.Run(a.opts.Steps, func() {
		a.in.AtStart(func() {
			if v := a.in.Eval(m.value, of); v.Callable() || v.Is("functools.partial()") {
				f := a.in.Eval(m.value, &flow.Expr{Op: flow.Lambda, Fn: fn, Pos: fn.Pos})
				a.in.Register(flow.Registration{Name: name, Handler: f, Style: styleParams, Pos: fn.Pos})
			}
		})
	})
}

// isTable reports whether a parameter is the table of a call's arguments.
func isTable(p flow.Param) bool { return p.Name == "arguments" && p.Star == 0 }

// handlerOfOwn is a function with a table "arguments", as servers pass it on.
func (a *analysis) handlerOfOwn(m *module, f function) {
	_ = a.in.Run(a.opts.Steps, func() {
		a.in.AtStart(func() {
			if v := a.in.Eval(m.value, f.ref); v.Callable() && v.Func() == f.fn {
				a.in.Register(flow.Registration{Name: strings.TrimPrefix(f.fn.Name, "handle_"), Handler: v, Style: styleTable, Pos: f.fn.Pos})
			}
		})
	})
}

func classesOf(body []*flow.Stmt) []*flow.ClassDef {
	var out []*flow.ClassDef
	for _, s := range body {
		switch s.Op {
		case flow.Class:
			out = append(out, s.Cls)
		case flow.If, flow.Try:
			out = append(out, classesOf(s.Body)...)
			out = append(out, classesOf(s.Else)...)
		}
	}
	return out
}

func (a *analysis) classTool(m *module, c *flow.ClassDef) {
	i := slices.IndexFunc(c.Body, func(s *flow.Stmt) bool {
		return s.Op == flow.Def && slices.Contains(toolMethods, s.Fn.Name) && !a.in.Reached(s.Fn) && !isAbstract(s.Fn)
	})
	if i < 0 {
		return
	}
	fn := c.Body[i].Fn
	cls := a.in.Eval(m.value, &flow.Expr{Op: flow.Name, S: c.Name, Pos: c.Pos})
	inst := a.in.InvokeKw(cls, nil, nil, flow.Value{}, c.Pos)
	f := a.in.Attr(inst, &flow.Expr{Op: flow.Attr, S: fn.Name, Pos: fn.Pos})
	if !f.Callable() || f.Func() != fn {
		return
	}
	style := styleParams
	if params := fn.Params; len(params) > 1 && slices.Contains(tables, params[1].Name) && params[1].Star == 0 && !a.isModel(f, params[1].Type) {
		style = styleTable
	}
	a.in.Register(flow.Registration{Name: a.toolName(cls, inst, c), Handler: f, Style: style, Pos: fn.Pos})
}

// isModel reports whether a parameter is an object of a class of the program.
func (a *analysis) isModel(f flow.Value, t *flow.Expr) bool {
	return t != nil && (t.Op == flow.Name || t.Op == flow.Attr) && a.in.EvalAs(f, t).IsClass()
}

var nameFields = []string{"name", "tool_name", "NAME", "get_name"}

// toolName is the name in the class, or that of the class.
func (a *analysis) toolName(cls, inst flow.Value, c *flow.ClassDef) string {
	for _, def := range cls.ClassDefs() {
		for _, s := range def.Body {
			if s.Op == flow.Assign && len(s.Targets) == 1 && slices.Contains(nameFields, s.Targets[0].S) && s.X != nil && s.X.Op == flow.Str {
				return s.X.S
			}
		}
	}
	for _, field := range nameFields {
		v := a.in.Field(inst, field)
		if f := a.in.Attr(inst, &flow.Expr{Op: flow.Attr, S: field, Pos: c.Pos}); f.Callable() {
			v = a.in.Invoke(f, nil, c.Pos)
		}
		if s, ok := v.String(); ok && s != "" {
			return s
		}
	}
	return snake(strings.TrimSuffix(c.Name, "Tool"))
}

var inner = lazyregexp.New(`([a-z0-9])([A-Z])`)

func snake(name string) string {
	return strings.ToLower(inner.ReplaceAllString(name, "${1}_$2"))
}

func isAbstract(fn *flow.Func) bool {
	return slices.ContainsFunc(fn.Decorators, func(d *flow.Expr) bool { return d.S == "abstractmethod" })
}
