// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/ast"
	"go/types"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// call lowers a call, a conversion, or one of the built-in functions.
func (b *body) call(e *ast.CallExpr) *flow.Expr {
	pos := b.pos(e.Pos())
	fun := ast.Unparen(e.Fun)
	if tv, ok := b.q.info.Types[fun]; ok && tv.IsType() && len(e.Args) == 1 {
		return &flow.Expr{Op: flow.Same, Pos: pos, X: b.expr(e.Args[0]), Type: b.native(tv.Type)}
	}
	switch f := fun.(type) { // an instance of a generic function
	case *ast.IndexExpr:
		if tv, ok := b.q.info.Types[f.Index]; !ok || tv.IsType() || b.typeOf(f.X) == nil {
			fun = f.X
		}
	case *ast.IndexListExpr:
		fun = f.X
	case *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.FuncType, *ast.ChanType:
		if len(e.Args) == 1 {
			return &flow.Expr{Op: flow.Same, Pos: pos, X: b.expr(e.Args[0])}
		}
	}
	if id, ok := fun.(*ast.Ident); ok {
		if obj, ok := b.q.info.Uses[id].(*types.Builtin); ok {
			return b.builtin(e, obj.Name())
		}
	}
	out := &flow.Expr{Op: flow.Call, Pos: pos}
	b.args(out, e)
	if s, ok := fun.(*ast.SelectorExpr); ok {
		if sel, ok := b.q.info.Selections[s]; ok {
			if f, ok := sel.Obj().(*types.Func); ok && sel.Kind() == types.MethodVal && b.method(out, s, sel, f) {
				return out
			}
		}
	}
	out.X = b.expr(fun)
	return out
}

func (b *body) args(out *flow.Expr, e *ast.CallExpr) {
	for i, a := range e.Args {
		b.typed(a)
		name := ""
		if e.Ellipsis.IsValid() && i == len(e.Args)-1 {
			name = "*"
		}
		if _, several := b.typeOf(a).(*types.Tuple); several {
			name = "*"
		}
		out.Names, out.List = append(out.Names, name), append(out.List, b.expr(a))
	}
}

// method is a call of a method of a known type. It reports false for a method of the program:
// that is called like a function.
func (b *body) method(out *flow.Expr, s *ast.SelectorExpr, sel *types.Selection, f *types.Func) bool {
	if b.l.fn(f) != nil {
		return false
	}
	x, _ := b.embedded(s, sel)
	recv := f.Signature().Recv()
	if recv == nil {
		return false
	}
	full := typeName(recv.Type()) + "." + f.Name()
	if iface, ok := recv.Type().Underlying().(*types.Interface); ok {
		out.Op, out.X, out.S, out.Tag = flow.Method, x, f.Name(), full
		out.Impls = b.l.implementations(iface, f.Name(), full)
		return true
	}
	out.S, out.X = full, x
	return true
}

const maxImpls = 8

// implementations are the methods of the program that a call through an interface may reach.
func (l *lowerer) implementations(iface *types.Interface, name, full string) []*flow.Func {
	if got, ok := l.impls[full]; ok {
		return got
	}
	l.impls[full] = nil
	var out []*flow.Func
	for _, n := range l.named {
		if len(out) >= maxImpls || n.TypeParams().Len() > 0 {
			continue
		}
		p := types.NewPointer(n)
		if !types.Implements(p, iface) {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(p, true, n.Obj().Pkg(), name)
		if f, ok := obj.(*types.Func); ok {
			if fn := l.fn(f); fn != nil {
				out = append(out, fn)
			}
		}
	}
	l.impls[full] = out
	return out
}

func (b *body) builtin(e *ast.CallExpr, name string) *flow.Expr {
	pos := b.pos(e.Pos())
	switch name {
	case "append", "copy":
		out := &flow.Expr{Op: flow.Call, Pos: pos, S: "builtin." + name}
		b.args(out, e)
		return out
	case "make":
		if _, ok := underlying(b.typeOf(e.Args[0])).(*types.Map); ok {
			return &flow.Expr{Op: flow.Dict, Pos: pos}
		}
		return &flow.Expr{Op: flow.List, Pos: pos}
	case "new":
		return b.zero(b.typeOf(e.Args[0]), e.Args[0], e.Pos())
	case "len", "cap":
		return &flow.Expr{Op: flow.Call, Pos: pos, S: "builtin.len", List: b.exprs(e.Args)}
	}
	return &flow.Expr{Op: flow.Unknown, Pos: pos, List: b.exprs(e.Args)}
}

func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}
