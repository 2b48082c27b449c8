// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Programs have tables and interfaces of tools of their own, and register them in ways that cannot be
// followed. So a function with the look of a handler is one, unless another handler has called it.

// styleOwn is followed by the role of each parameter, the receiver included.
const (
	styleOwn    = "own "
	roleNone    = '-'
	roleRequest = 'r'
	roleArgs    = 'a'
)

var (
	ownMethods   = []string{"Execute", "Run", "Call", "Handle", "Invoke"}
	ownDescribed = []string{"Description", "Schema", "InputSchema", "Parameters", "Definition"}
)

// ofOwn registers functions that look like handlers and were not reached.
func (a *analysis) ofOwn(p *program) {
	if !speaksMCP(p) {
		return
	}
	for _, q := range p.pkgs {
		if q.info == nil {
			continue
		}
		for _, f := range q.files {
			for _, d := range f.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
					a.own(q, fd)
				}
			}
		}
	}
}

// speaksMCP reports that a program imports something of the protocol, or has a package of its name.
func speaksMCP(p *program) bool {
	for _, q := range p.pkgs {
		for _, f := range q.files {
			if strings.Contains(f.Name.Name, "mcp") || slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return strings.Contains(i.Path.Value, "mcp") }) {
				return true
			}
		}
	}
	return false
}

func (a *analysis) own(q *pkg, fd *ast.FuncDecl) {
	obj, ok := q.info.Defs[fd.Name].(*types.Func)
	if !ok {
		return
	}
	style := styleOwn + a.roles(q, fd, obj)
	switch {
	case strings.ContainsAny(style[len(styleOwn):], "ra"):
	case answers(fd):
		style = styleRPC
	default:
		return
	}
	err := a.in.Run(a.opts.Steps, func() {
		a.in.AtStart(func() {
			if fn := a.lower.fn(obj); fn != nil && !a.in.Reached(fn) {
				r := flow.Registration{Handler: a.in.FuncValue(fn), Style: style, Pos: fn.Pos}
				if style != styleRPC {
					r.Name = a.ownName(obj, fd)
				}
				a.in.Register(r)
			}
		})
	})
	if err != nil {
		a.unread(fd.Name.Name, err.Error())
	}
}

// roles are the roles of a handler's parameters. Handlers of an SDK are recognised by their
// types, those of an interface of the program by the names of the methods beside them.
func (a *analysis) roles(q *pkg, fd *ast.FuncDecl, obj *types.Func) string {
	gives := fd.Type.Results != nil && mentions(fd.Type.Results, "CallToolResult")
	own := fd.Recv != nil && slices.Contains(ownMethods, fd.Name.Name) && hasMethod(obj, "Name") && slices.ContainsFunc(ownDescribed, func(m string) bool { return hasMethod(obj, m) })
	if !gives && !own {
		return ""
	}
	var out strings.Builder
	if fd.Recv != nil {
		out.WriteRune(roleNone)
	}
	for _, p := range fd.Type.Params.List {
		role := roleNone
		switch {
		case mentions(p.Type, "CallToolRequest") || mentions(p.Type, "CallToolParams") || mentions(p.Type, "CallToolParamsFor"):
			role = roleRequest
		case isTable(p.Type) || mentions(p.Type, "RawMessage") || hasTags(q, p.Type):
			role = roleArgs
		}
		for range max(1, len(p.Names)) {
			out.WriteRune(role)
		}
	}
	return out.String()
}

// mentions reports whether a type contains a name.
func mentions(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// isTable is map[string]any.
func isTable(t ast.Expr) bool {
	m, ok := t.(*ast.MapType)
	if !ok {
		return false
	}
	_, open := m.Value.(*ast.InterfaceType)
	return open || mentions(m.Value, "any")
}

// hasTags reports whether a type is a structure of the program with names for JSON.
func hasTags(q *pkg, t ast.Expr) bool {
	u := underlying(q.info.TypeOf(t))
	if p, ok := u.(*types.Pointer); ok {
		u = underlying(p.Elem())
	}
	s, ok := u.(*types.Struct)
	return ok && s.NumFields() > 0 && strings.Contains(s.Tag(0), "json:")
}

func hasMethod(f *types.Func, name string) bool { return methodOf(f, name) != nil }

// methodOf is another method of the same type.
func methodOf(f *types.Func, name string) *types.Func {
	recv := f.Signature().Recv()
	if recv == nil {
		return nil
	}
	t := recv.Type()
	if _, ok := t.(*types.Pointer); !ok {
		t = types.NewPointer(t)
	}
	m, _, _ := types.LookupFieldOrMethod(t, true, f.Pkg(), name)
	fn, _ := m.(*types.Func)
	return fn
}

// ownName is the name a tool of the program gives itself, or the function's.
func (a *analysis) ownName(obj *types.Func, fd *ast.FuncDecl) string {
	for _, m := range []string{"Name", "Definition", "Tool"} {
		of := methodOf(obj, m)
		if of == nil || a.lower.fn(of) == nil {
			continue
		}
		v := a.in.Symbolic(a.lower.fn(of))
		if v.HasObject() {
			v = a.in.Field(v, "Name")
		}
		if s, ok := v.String(); ok && s != "" {
			return s
		}
	}
	name := fd.Name.Name
	for _, affix := range []string{"Handle", "handle", "Tool"} {
		name = strings.TrimPrefix(name, affix)
	}
	for _, affix := range []string{"Handler", "Tool"} {
		name = strings.TrimSuffix(name, affix)
	}
	if name == "" || slices.Contains(ownMethods, name) {
		name = strings.TrimSuffix(receiverName(obj), "Tool")
	}
	return snake(name)
}

func receiverName(f *types.Func) string {
	if recv := f.Signature().Recv(); recv != nil {
		name := typeName(recv.Type())
		return name[strings.LastIndexByte(name, '.')+1:]
	}
	return ""
}

var inner = lazyregexp.New(`([a-z0-9])([A-Z])`)

func snake(name string) string {
	return strings.ToLower(inner.ReplaceAllString(name, "${1}_$2"))
}

// toolOfOwn is a structure with a tool's name and its handler, of a library or of the program.
func (g *lang) toolOfOwn(c *flow.CallSite, made flow.Value) {
	name, ok := c.In.Field(made, "Name").String()
	if !ok || name == "" {
		return
	}
	for _, field := range []string{"Handler", "Handle", "Func", "Fn", "Run", "Execute", "Call"} {
		if f := c.In.Field(made, field); f.Callable() {
			g.own(c, name, f)
		}
	}
}

// own registers a handler; its parameters are known by their types, or else by their places.
func (g *lang) own(c *flow.CallSite, name string, f flow.Value) {
	style := styleOwn
	if f.Bound() {
		style += string(roleNone)
	}
	params := f.Func().Params
	for i, p := range params {
		switch {
		case strings.Contains(p.Native, "CallTool"):
			style += string(roleRequest)
		case p.Native != "context.Context" && i == len(params)-1:
			style += string(roleArgs)
		default:
			style += string(roleNone)
		}
	}
	c.In.Register(flow.Registration{Name: name, Handler: f, Style: style, Pos: c.Pos})
}

// handleOwn runs such a function.
func (g *lang) handleOwn(in *flow.Interp, r flow.Registration) {
	args := in.Arguments(r.Name)
	var vals []flow.Value
	for _, role := range strings.TrimPrefix(r.Style, styleOwn) {
		switch role {
		case roleRequest:
			vals = append(vals, requestOf(in, r.Name, args))
		case roleArgs:
			vals = append(vals, args)
		default:
			vals = append(vals, flow.Value{})
		}
	}
	in.Invoke(r.Handler, vals, r.Pos)
}
