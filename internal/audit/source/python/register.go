// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// How a handler is called.
const (
	styleParams = "params" // with the arguments as its parameters
	styleCall   = "call"   // with the name of the tool, and a table of the arguments
	styleTable  = "table"  // with a table of the arguments
	styleRPC    = "rpc"    // with a request of JSON-RPC
)

// register recognises the registration of a tool: a decorator of one of the SDKs, or a call that
// makes one.
func (l *lang) register(c *flow.CallSite) (flow.Value, bool) {
	switch {
	case strings.HasSuffix(c.Name, ".tool") && toolHost(c):
		return l.tool(c, c.Name), true
	case strings.HasSuffix(c.Name, ".add_tool") || strings.HasSuffix(c.Name, "Tool.from_function") || c.Name == ".add_tool":
		if f := c.Arg(0, "fn"); f.Callable() {
			l.registered(c, f, l.nameOf(c.Arg(1, "name"), f), styleParams)
			return flow.Value{}, true
		}
	case c.Name == "tool-decorator":
		f := c.Arg(0)
		if !f.Callable() {
			return flow.Value{}, true
		}
		l.registered(c, f, l.nameOf(c.Func, f), styleParams)
		return f, true
	case strings.HasSuffix(c.Name, ".call_tool"):
		if f := c.Arg(0); f.Callable() {
			l.registered(c, f, "", styleCall)
			return f, true
		}
		if len(c.Args) == 0 {
			return flow.NativeValue("call-decorator"), true
		}
	case c.Name == "call-decorator":
		l.registered(c, c.Arg(0), "", styleCall)
		return c.Arg(0), true
	}
	return flow.Value{}, false
}

// toolHost reports whether ".tool" belongs to a server: it decorates, or its object is one.
func toolHost(c *flow.CallSite) bool {
	return c.Decorates != nil || len(c.Args) == 0 || c.Arg(0).Callable() || c.Name != ".tool"
}

func (l *lang) tool(c *flow.CallSite, _ string) flow.Value {
	if f := c.Arg(0); f.Callable() {
		l.registered(c, f, l.nameOf(c.Arg(-1, "name"), f), styleParams)
		return f
	}
	name := c.Arg(0, "name")
	d := flow.NativeValue("tool-decorator")
	if s, ok := name.String(); ok {
		d = flow.ConstStr(s).WithNative("tool-decorator")
	}
	return d
}

func (l *lang) nameOf(name, f flow.Value) string {
	if s, ok := name.String(); ok {
		return s
	}
	return l.signature(f).Name
}

func (l *lang) registered(c *flow.CallSite, f flow.Value, name, style string) {
	if f.Callable() {
		c.In.Register(flow.Registration{Name: name, Handler: f, Style: style, Pos: c.Pos})
	}
}

// handle runs a handler with the arguments of a call.
func (l *lang) handle(in *flow.Interp, r flow.Registration) {
	fn := r.Handler.Func()
	params := l.signature(r.Handler).Params
	var args []flow.Value
	if len(params) > 0 && (params[0].Name == "self" || params[0].Name == "cls") {
		params = params[1:]
		if !r.Handler.Bound() {
			args = append(args, flow.Value{})
		}
	}
	if r.Style == styleCall {
		name := flow.ToolName()
		if r.Name != "" {
			name = flow.ConstStr(r.Name)
		}
		args = append(args, name, in.Arguments(r.Name))
		in.Invoke(r.Handler, args, fn.Pos)
		return
	}
	l.rpc = r.Style == styleRPC
	defer func() { l.rpc = false }()
	kw := map[string]flow.Value{}
	var rest flow.Value
	for _, p := range params {
		switch {
		case r.Style == styleRPC:
			if p.Star == 0 {
				kw[p.Name] = rpcRequest(in)
			}
		case r.Style == styleTable:
			if p.Star == 0 && slices.Contains(tables, p.Name) {
				kw[p.Name] = in.Arguments(r.Name)
			}
		case p.Star == 1 || isContext(p):
		case p.Star == 2:
			rest = in.Arguments(r.Name)
		default:
			in.Read(r.Name, p.Name, fn.Pos)
			kw[p.Name] = l.typed(in, r.Handler, p.Type, r.Name, "/"+p.Name, p.Default, fn.Pos, 0)
		}
	}
	in.InvokeKw(r.Handler, args, kw, rest, fn.Pos)
}

// signature is the function that a decorated one stands for.
func (l *lang) signature(f flow.Value) *flow.Func {
	for range 10 {
		inner, ok := l.wraps[f.Identity()]
		if !ok {
			break
		}
		f = inner
	}
	return f.Func()
}

func isContext(p flow.Param) bool {
	t := p.Type
	if t == nil {
		return p.Name == "ctx" || p.Name == "context"
	}
	if t.Op == flow.Index {
		t = t.X
	}
	return strings.HasSuffix(t.S, "Context") || strings.HasSuffix(t.S, "RunContext")
}

// typed is an argument of an annotated type: a number is harmless, a literal is chosen from a
// list, and a model has fields.
func (l *lang) typed(in *flow.Interp, at flow.Value, t *flow.Expr, tool, pointer string, standard *flow.Expr, pos flow.Pos, depth int) flow.Value {
	v := in.ArgumentAt(tool, pointer, pos)
	v = l.annotate(in, at, t, v, tool, pointer, pos, depth)
	return l.fieldLabels(in, standard, v)
}

// numbers and the like have no room for a path, an address or a command.
var harmless = map[string]bool{"int": true, "float": true, "bool": true, "complex": true, "datetime": true, "date": true, "UUID": true, "Decimal": true, "timedelta": true,
	"PositiveInt": true, "NonNegativeInt": true, "PositiveFloat": true, "NonNegativeFloat": true, "conint": true, "confloat": true}

func (l *lang) annotate(in *flow.Interp, at flow.Value, t *flow.Expr, v flow.Value, tool, pointer string, pos flow.Pos, depth int) flow.Value {
	if t == nil || depth > 6 {
		return v
	}
	deeper := func(t *flow.Expr) flow.Value { return l.annotate(in, at, t, v, tool, pointer, pos, depth+1) }
	switch t.Op {
	case flow.Str: // a type named before it exists
		return deeper(&flow.Expr{Op: flow.Name, S: t.S, Pos: t.Pos})
	case flow.Binary: // X | None
		if t.S == "|" {
			return union(deeper(t.X), deeper(t.Y), t.X, t.Y)
		}
	case flow.Index:
		return l.generic(in, t, v, deeper)
	case flow.Name, flow.Attr:
		if harmless[t.S] {
			return flow.OfCaller()
		}
		if t.S == "Path" || t.S == "FilePath" || t.S == "DirectoryPath" {
			return v.WithNative("pathlib.Path()")
		}
		cls := in.EvalAs(at, t)
		if cls.IsClass() {
			return l.instance(in, at, cls, v, tool, pointer, pos, depth)
		}
	case flow.Call: // constr(pattern=…)
		return l.fieldLabels(in, t, v)
	}
	return v
}

func union(x, y flow.Value, tx, ty *flow.Expr) flow.Value {
	if tx.Op == flow.Nil {
		return y
	}
	if ty.Op == flow.Nil {
		return x
	}
	if !x.Tainted() && !x.HasObject() {
		return y
	}
	return x
}

// generic is Optional[X], Annotated[X, …], Literal[…], list[X] and their like.
func (l *lang) generic(in *flow.Interp, t *flow.Expr, v flow.Value, deeper func(*flow.Expr) flow.Value) flow.Value {
	first := t.Y
	var rest []*flow.Expr
	if t.Y != nil && t.Y.Op == flow.Tuple && len(t.Y.List) > 0 {
		first, rest = t.Y.List[0], t.Y.List[1:]
	}
	switch t.X.S {
	case "Literal":
		return in.Derive(flow.Whole, flow.Closed, t.Pos, "", v)
	case "Annotated":
		v = deeper(first)
		for _, r := range rest {
			v = l.fieldLabels(in, r, v)
		}
		return v
	case "Optional", "Required", "NotRequired", "Final":
		return deeper(first)
	case "Union":
		for _, r := range rest {
			if got := deeper(r); r.Op != flow.Nil && !harmless[r.S] {
				return flow.Either(deeper(first), got)
			}
		}
		return deeper(first)
	case "list", "List", "Sequence", "set", "Set", "tuple", "Tuple", "Iterable":
		if first != nil {
			return in.Elsewhere(deeper(first))
		}
	}
	return v
}

// instance is an argument that is an object of a class: each field is a source. A member of an
// enumeration is one of a list.
func (l *lang) instance(in *flow.Interp, at, cls, v flow.Value, tool, pointer string, pos flow.Pos, depth int) flow.Value {
	for _, b := range cls.NativeBases() {
		if strings.HasSuffix(b, "Enum") {
			return in.Derive(flow.Whole, flow.Closed, pos, "", v)
		}
	}
	inst := in.Instance(cls)
	for _, def := range cls.ClassDefs() {
		for _, s := range def.Body {
			if s.Op == flow.Assign && s.Define && s.Targets[0].Op == flow.Name && !in.HasField(inst, s.Targets[0].S) {
				name := s.Targets[0].S
				child := pointer + "/" + name
				in.ReadAt(tool, child, s.Pos)
				f := l.typed(in, at, s.Type, tool, child, s.X, s.Pos, depth+1)
				in.SetField(inst, name, f)
			}
		}
	}
	l.validate(in, cls, inst, pos)
	return inst
}

// fieldLabels is a value with the labels that Field(pattern=…) and its like guarantee.
func (l *lang) fieldLabels(in *flow.Interp, e *flow.Expr, v flow.Value) flow.Value {
	if e == nil || e.Op != flow.Call || !v.Tainted() {
		return v
	}
	for i, n := range e.Names {
		if (n == "pattern" || n == "regex") && e.List[i].Op == flow.Str {
			yes, _ := flow.PatternLabels(e.List[i].S, false, false)
			return in.Derive(flow.Whole, yes, e.Pos, "", v)
		}
	}
	return v
}

// validate runs the validators of a model: an exception refuses the value, a result replaces it.
func (l *lang) validate(in *flow.Interp, cls, inst flow.Value, pos flow.Pos) {
	for _, def := range cls.ClassDefs() {
		for _, s := range def.Body {
			if s.Op != flow.Def {
				continue
			}
			for _, d := range s.Fn.Decorators {
				l.validator(in, d, s.Fn, cls, inst, pos)
			}
		}
	}
}

func (l *lang) validator(in *flow.Interp, d *flow.Expr, fn *flow.Func, cls, inst flow.Value, pos flow.Pos) {
	if d.Op != flow.Call {
		return
	}
	f := in.Method(cls, fn)
	switch d.X.S {
	case "field_validator", "validator":
		for i, x := range d.List {
			if x.Op != flow.Str || i < len(d.Names) && d.Names[i] != "" {
				continue
			}
			v := in.Field(inst, x.S)
			if got := in.Invoke(f, []flow.Value{cls, v}, pos); got.Tainted() || got.HasObject() {
				in.SetField(inst, x.S, got)
			}
		}
	case "model_validator", "root_validator":
		in.Invoke(f, []flow.Value{inst}, pos)
	}
}

// Construct implements [flow.Lang]: a model is made of its keywords, and validates them.
func (l *lang) Construct(c *flow.CallSite, class flow.Value) (flow.Value, bool) {
	if !isModel(class) {
		return flow.Value{}, false
	}
	inst := c.In.Instance(class)
	for _, name := range class.Declared() {
		if v, ok := c.Given(-1, name); ok {
			c.In.SetField(inst, name, v)
		}
	}
	l.validate(c.In, class, inst, c.Pos)
	return inst, true
}

func isModel(class flow.Value) bool {
	for _, b := range class.NativeBases() {
		if strings.HasSuffix(b, "BaseModel") || strings.HasSuffix(b, "BaseSettings") || strings.HasSuffix(b, "SQLModel") {
			return true
		}
	}
	return false
}
