// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A lowerer turns the functions of a program into those of package flow, each when it is needed.
type lowerer struct {
	p       *program
	funcs   map[*types.Func]*flow.Func
	decls   map[*types.Func]declaration
	globals map[types.Object]*flow.Expr // first values of package variables
	named   []*types.Named              // types of the program, for calls through interfaces
	impls   map[string][]*flow.Func
}

type declaration struct {
	pkg  *pkg
	decl *ast.FuncDecl
}

func newLowerer(p *program) *lowerer {
	l := &lowerer{p: p, funcs: map[*types.Func]*flow.Func{}, decls: map[*types.Func]declaration{}, globals: map[types.Object]*flow.Expr{}, impls: map[string][]*flow.Func{}}
	for _, q := range p.pkgs {
		if q.info == nil {
			continue
		}
		for _, f := range q.files {
			for _, d := range f.Decls {
				l.declare(q, d)
			}
		}
	}
	return l
}

func (l *lowerer) declare(q *pkg, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if fn, ok := q.info.Defs[d.Name].(*types.Func); ok {
			l.decls[fn] = declaration{q, d}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				l.global(q, s)
			case *ast.TypeSpec:
				if tn, ok := q.info.Defs[s.Name].(*types.TypeName); ok {
					if n, ok := tn.Type().(*types.Named); ok && !types.IsInterface(n) {
						l.named = append(l.named, n)
					}
				}
			}
		}
	}
}

func (l *lowerer) global(q *pkg, s *ast.ValueSpec) {
	b := &body{l: l, q: q}
	for i, name := range s.Names {
		obj := q.info.Defs[name]
		if obj == nil {
			continue
		}
		switch {
		case len(s.Values) == len(s.Names):
			l.globals[obj] = b.lazily(s.Values[i])
		case len(s.Values) == 1:
			l.globals[obj] = &flow.Expr{Op: flow.Index, Pos: b.pos(s.Pos()), X: b.lazily(s.Values[0]), Y: &flow.Expr{Op: flow.Num, S: strconv.Itoa(i)}}
		default:
			l.globals[obj] = b.zero(obj.Type(), s.Type, s.Pos())
		}
	}
}

// lazily lowers an expression now, and functions in it when they are called.
func (b *body) lazily(e ast.Expr) *flow.Expr { return b.expr(e) }

// fn is a function of the program, lowered.
func (l *lowerer) fn(f *types.Func) *flow.Func {
	f = f.Origin()
	if got, ok := l.funcs[f]; ok {
		return got
	}
	d, ok := l.decls[f]
	if !ok || d.decl.Body == nil {
		return nil
	}
	b := &body{l: l, q: d.pkg}
	out := &flow.Func{Name: f.Name(), Pos: b.pos(d.decl.Name.Pos()), End: b.pos(d.decl.End()).Line}
	l.funcs[f] = out
	if d.decl.Recv != nil {
		out.Name = typeName(f.Signature().Recv().Type()) + "." + f.Name()
		b.params(out, d.decl.Recv)
	}
	b.signature(out, d.decl.Type)
	out.Body = b.block(d.decl.Body.List)
	return out
}

// typeName is the name of a type with its package, pointers taken off; empty if it has none.
func typeName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return ""
	}
	if n.Obj().Pkg() == nil {
		return n.Obj().Name()
	}
	return canonical(n.Obj().Pkg().Path()) + "." + n.Obj().Name()
}

var majorVersion = lazyregexp.New(`/v[0-9]+(/|$)`)

// canonical is one path for the versions of a module, and a short one for the SDKs.
func canonical(path string) string {
	path = majorVersion.ReplaceAllString(path, "$1")
	path = strings.TrimSuffix(path, "/")
	path = strings.Replace(path, "github.com/mark3labs/mcp-go/", "mcp-go/", 1)
	return strings.Replace(path, "github.com/modelcontextprotocol/go-sdk/", "go-sdk/", 1)
}

// A body lowers the code of one function.
type body struct {
	l       *lowerer
	q       *pkg
	results []flow.Param
}

func (b *body) pos(p token.Pos) flow.Pos {
	at := b.l.p.fset.Position(p)
	return flow.Pos{File: at.Filename, Line: at.Line, Col: at.Column}
}

func (b *body) params(fn *flow.Func, list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		native := b.nativeOf(f.Type)
		star := 0
		if _, ok := f.Type.(*ast.Ellipsis); ok {
			star = 1
		}
		names := f.Names
		if len(names) == 0 {
			names = []*ast.Ident{nil}
		}
		for _, n := range names {
			fn.Params = append(fn.Params, flow.Param{Name: name(n), Key: b.key(n), Star: star, Native: native})
		}
	}
}

func name(n *ast.Ident) string {
	if n == nil {
		return "_"
	}
	return n.Name
}

// key is the identity of a variable; each blank one has its own.
func (b *body) key(n *ast.Ident) any {
	if n != nil {
		if o := b.q.info.Defs[n]; o != nil {
			return o
		}
		if o := b.q.info.Uses[n]; o != nil {
			return o
		}
	}
	return new(int)
}

func (b *body) signature(fn *flow.Func, t *ast.FuncType) {
	b.params(fn, t.Params)
	if t.Results == nil {
		return
	}
	for _, f := range t.Results.List {
		for _, n := range f.Names {
			fn.Results = append(fn.Results, flow.Param{Name: n.Name, Key: b.key(n)})
		}
	}
	b.results = fn.Results
}

// nativeOf is the library's type in a type expression, numbers and booleans included.
func (b *body) nativeOf(t ast.Expr) string {
	if t == nil {
		return ""
	}
	if tv, ok := b.q.info.Types[t]; ok && tv.Type != nil && tv.Type != types.Typ[types.Invalid] {
		if n := b.native(tv.Type); n != "" {
			return n
		}
	}
	switch t := t.(type) {
	case *ast.StarExpr:
		return b.nativeOf(t.X)
	case *ast.ParenExpr:
		return b.nativeOf(t.X)
	case *ast.IndexExpr:
		return b.nativeOf(t.X)
	case *ast.IndexListExpr:
		return b.nativeOf(t.X)
	case *ast.SelectorExpr:
		if path, ok := b.imported(t.X); ok && b.l.p.byPath[path] == nil {
			return canonical(path) + "." + t.Sel.Name
		}
	}
	return ""
}

// imported is the path of the package named by an expression.
func (b *body) imported(x ast.Expr) (string, bool) {
	id, ok := x.(*ast.Ident)
	if !ok {
		return "", false
	}
	if p, ok := b.q.info.Uses[id].(*types.PkgName); ok {
		return p.Imported().Path(), true
	}
	return "", false
}

// native is a type of a library; "number" and "bool" are basic ones.
func (b *body) native(t types.Type) string {
	if t == nil {
		return ""
	}
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		return b.native(u.Elem())
	case *types.Named:
		if u.Obj().Pkg() != nil && b.l.p.byPath[u.Obj().Pkg().Path()] == nil {
			return typeName(u)
		}
		if basic, ok := u.Underlying().(*types.Basic); ok && basic.Info()&(types.IsNumeric|types.IsBoolean) != 0 {
			return basicName(basic)
		}
	case *types.Basic:
		return basicName(u)
	}
	return ""
}

func basicName(t *types.Basic) string {
	switch {
	case t.Info()&types.IsBoolean != 0:
		return "bool"
	case t.Kind() == types.Int32 || t.Kind() == types.Uint8: // characters of a text
		return ""
	case t.Info()&types.IsNumeric != 0:
		return "number"
	}
	return ""
}

func (b *body) typeOf(e ast.Expr) types.Type {
	if tv, ok := b.q.info.Types[e]; ok {
		return tv.Type
	}
	return nil
}

// typed checks an argument of an unknown function; the type checker passes those over.
func (b *body) typed(e ast.Expr) {
	if _, done := b.q.info.Types[e]; done || b.q.types == nil {
		return
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && b.q.info.Uses[id] != nil {
		return
	}
	defer func() { _ = recover() }()                                 // an expression that cannot be checked stays as it is
	_ = types.CheckExpr(b.l.p.fset, b.q.types, e.Pos(), e, b.q.info) // errors are expected where imports are missing
}

// constant is an expression with a known value, or nil.
func (b *body) constant(e ast.Expr) *flow.Expr {
	tv, ok := b.q.info.Types[e]
	if !ok || tv.Value == nil {
		return nil
	}
	pos := b.pos(e.Pos())
	switch tv.Value.Kind() {
	case constant.String:
		return &flow.Expr{Op: flow.Str, Pos: pos, S: constant.StringVal(tv.Value)}
	case constant.Bool:
		if constant.BoolVal(tv.Value) {
			return &flow.Expr{Op: flow.True, Pos: pos}
		}
		return &flow.Expr{Op: flow.False, Pos: pos}
	case constant.Int:
		if t, ok := types.Unalias(tv.Type).(*types.Basic); ok && (t.Kind() == types.Int32 || t.Kind() == types.UntypedRune || t.Kind() == types.Uint8) {
			if n, exact := constant.Int64Val(tv.Value); exact && n > 0 && n < 1<<20 {
				return &flow.Expr{Op: flow.Str, Pos: pos, S: string(rune(n))}
			}
		}
	}
	return &flow.Expr{Op: flow.Num, Pos: pos, S: tv.Value.ExactString()}
}

// jsonName is the name of a field of a struct in JSON.
func jsonName(field *types.Var, tag string) string {
	name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	if name == "-" {
		return ""
	}
	if name == "" {
		return field.Name()
	}
	return name
}

// zero is the value of a variable without an initial one.
func (b *body) zero(t types.Type, syntax ast.Expr, at token.Pos) *flow.Expr {
	pos := b.pos(at)
	if t == nil {
		return &flow.Expr{Op: flow.Unknown, Pos: pos}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return &flow.Expr{Op: flow.False, Pos: pos}
		case u.Info()&types.IsString != 0:
			return &flow.Expr{Op: flow.Str, Pos: pos}
		case u.Info()&types.IsNumeric != 0:
			return &flow.Expr{Op: flow.Num, Pos: pos, S: "0"}
		case u.Kind() == types.Invalid:
			return &flow.Expr{Op: flow.Struct, Pos: pos, Type: b.nativeOf(syntax)}
		}
	case *types.Struct:
		return &flow.Expr{Op: flow.Struct, Pos: pos, S: typeName(t), Type: b.native(t)}
	case *types.Slice, *types.Array:
		return &flow.Expr{Op: flow.List, Pos: pos}
	case *types.Pointer, *types.Interface, *types.Map, *types.Signature, *types.Chan:
		return &flow.Expr{Op: flow.Nil, Pos: pos}
	}
	return &flow.Expr{Op: flow.Unknown, Pos: pos}
}
