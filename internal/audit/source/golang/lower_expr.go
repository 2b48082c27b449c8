// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

func (b *body) exprs(list []ast.Expr) []*flow.Expr {
	out := make([]*flow.Expr, len(list))
	for i, e := range list {
		out[i] = b.expr(e)
	}
	return out
}

// expr lowers an expression.
func (b *body) expr(e ast.Expr) *flow.Expr {
	if e == nil {
		return nil
	}
	if c := b.constant(e); c != nil {
		return c
	}
	out := b.exprOp(e)
	if out.Type == "" {
		switch e.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.CompositeLit, *ast.BinaryExpr:
			out.Type = b.native(b.typeOf(e))
			if out.Type == "bool" { // conditions are looked at, not followed
				out.Type = ""
			}
		}
	}
	return out
}

func (b *body) exprOp(e ast.Expr) *flow.Expr {
	pos := b.pos(e.Pos())
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return &flow.Expr{Op: flow.Str, Pos: pos, S: s}
		}
		return &flow.Expr{Op: flow.Num, Pos: pos, S: e.Value}
	case *ast.Ident:
		return b.ident(e)
	case *ast.ParenExpr:
		return b.expr(e.X)
	case *ast.SelectorExpr:
		return b.selector(e)
	case *ast.CallExpr:
		return b.call(e)
	case *ast.CompositeLit:
		return b.composite(e)
	case *ast.FuncLit:
		return b.funcLit(e)
	case *ast.UnaryExpr:
		return b.unary(e)
	case *ast.BinaryExpr:
		return b.binary(e)
	case *ast.StarExpr:
		return &flow.Expr{Op: flow.Deref, Pos: pos, X: b.expr(e.X)}
	case *ast.IndexExpr:
		return b.index(e)
	case *ast.IndexListExpr:
		return b.expr(e.X)
	case *ast.SliceExpr:
		return &flow.Expr{Op: flow.Slice, Pos: pos, X: b.expr(e.X)}
	case *ast.TypeAssertExpr:
		return &flow.Expr{Op: flow.Same, Pos: pos, X: b.expr(e.X), Type: b.nativeOf(e.Type)}
	}
	return &flow.Expr{Op: flow.Unknown, Pos: pos}
}

func (b *body) ident(e *ast.Ident) *flow.Expr {
	pos := b.pos(e.Pos())
	obj := b.q.info.Uses[e]
	if obj == nil {
		obj = b.q.info.Defs[e]
	}
	switch obj := obj.(type) {
	case *types.Nil:
		return &flow.Expr{Op: flow.Nil, Pos: pos}
	case *types.Var:
		return &flow.Expr{Op: flow.Name, Pos: pos, S: e.Name, Key: obj}
	case *types.Func:
		if fn := b.l.fn(obj); fn != nil {
			return &flow.Expr{Op: flow.FuncRef, Pos: pos, Fn: fn}
		}
	case *types.PkgName:
		return &flow.Expr{Op: flow.Native, Pos: pos, S: canonical(obj.Imported().Path())}
	case nil:
		if e.Name == "_" {
			return &flow.Expr{Op: flow.Name, Pos: pos, S: "_", Key: new(int)}
		}
	}
	return &flow.Expr{Op: flow.Native, Pos: pos, S: e.Name}
}

func (b *body) selector(e *ast.SelectorExpr) *flow.Expr {
	pos := b.pos(e.Pos())
	if path, ok := b.imported(e.X); ok {
		switch obj := b.q.info.Uses[e.Sel].(type) {
		case *types.Func:
			if fn := b.l.fn(obj); fn != nil {
				return &flow.Expr{Op: flow.FuncRef, Pos: pos, Fn: fn}
			}
		case *types.Var:
			if b.l.p.byPath[path] != nil {
				return &flow.Expr{Op: flow.Name, Pos: pos, S: e.Sel.Name, Key: obj}
			}
		}
		return &flow.Expr{Op: flow.Native, Pos: pos, S: canonical(path) + "." + e.Sel.Name}
	}
	sel, ok := b.q.info.Selections[e]
	if !ok {
		return &flow.Expr{Op: flow.Attr, Pos: pos, X: b.expr(e.X), S: e.Sel.Name, Tag: e.Sel.Name}
	}
	x, t := b.embedded(e, sel)
	switch obj := sel.Obj().(type) {
	case *types.Var:
		a := &flow.Expr{Op: flow.Attr, Pos: pos, X: x, S: obj.Name(), Tag: fieldTag(t, obj)}
		fields := structOf(obj.Type()) != nil && b.native(obj.Type()) == ""
		a.Embedded = fields && obj.Embedded() && a.Tag == obj.Name()
		a.Nested = fields && !a.Embedded
		return a
	case *types.Func:
		if fn := b.l.fn(obj); fn != nil {
			if sel.Kind() == types.MethodExpr {
				return &flow.Expr{Op: flow.FuncRef, Pos: pos, Fn: fn}
			}
			return &flow.Expr{Op: flow.FuncRef, Pos: pos, Fn: fn, X: x}
		}
	}
	return &flow.Expr{Op: flow.Attr, Pos: pos, X: x, S: e.Sel.Name, Tag: e.Sel.Name}
}

// embedded is the operand of a selector, with the embedded fields on the way, and its type.
func (b *body) embedded(e *ast.SelectorExpr, sel *types.Selection) (*flow.Expr, types.Type) {
	x, t := b.expr(e.X), sel.Recv()
	index := sel.Index()
	for _, i := range index[:len(index)-1] {
		s := structOf(t)
		if s == nil || i >= s.NumFields() {
			return x, t
		}
		f := s.Field(i)
		x = &flow.Expr{Op: flow.Attr, Pos: x.Pos, X: x, S: f.Name(), Tag: "", Type: b.native(f.Type())}
		if typ := structOf(f.Type()); typ != nil && s.Tag(i) == "" {
			x.Embedded = true
		}
		t = f.Type()
	}
	return x, t
}

func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}

func fieldTag(t types.Type, field *types.Var) string {
	if s := structOf(t); s != nil {
		for i := range s.NumFields() {
			if s.Field(i).Name() == field.Name() {
				return jsonName(field, s.Tag(i))
			}
		}
	}
	return field.Name()
}

func (b *body) unary(e *ast.UnaryExpr) *flow.Expr {
	pos := b.pos(e.Pos())
	x := b.expr(e.X)
	switch e.Op {
	case token.AND:
		if x.Op == flow.Struct || x.Op == flow.Dict || x.Op == flow.List {
			return x
		}
		return &flow.Expr{Op: flow.Addr, Pos: pos, X: x}
	case token.NOT:
		return &flow.Expr{Op: flow.Not, Pos: pos, X: x}
	case token.ARROW:
		return &flow.Expr{Op: flow.Index, Pos: pos, X: x, Y: &flow.Expr{Op: flow.Unknown, Pos: pos}}
	}
	return &flow.Expr{Op: flow.Unknown, Pos: pos, List: []*flow.Expr{x}}
}

func (b *body) binary(e *ast.BinaryExpr) *flow.Expr {
	out := &flow.Expr{Pos: b.pos(e.Pos()), S: e.Op.String(), X: b.expr(e.X), Y: b.expr(e.Y)}
	switch e.Op {
	case token.LAND:
		out.Op = flow.And
	case token.LOR:
		out.Op = flow.Or
	case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
		out.Op = flow.Compare
	default:
		out.Op = flow.Binary
	}
	return out
}

// index is an element; in a table of booleans, it is whether the table has the key.
func (b *body) index(e *ast.IndexExpr) *flow.Expr {
	pos := b.pos(e.Pos())
	t := b.typeOf(e.X)
	if t != nil {
		switch u := t.Underlying().(type) {
		case *types.Signature:
			return b.expr(e.X)
		case *types.Map:
			if el, ok := u.Elem().Underlying().(*types.Basic); ok && el.Info()&types.IsBoolean != 0 {
				return &flow.Expr{Op: flow.Compare, Pos: pos, S: "in", X: b.expr(e.Index), Y: b.keys(e.X)}
			}
		}
	}
	if tv, ok := b.q.info.Types[e.Index]; ok && tv.IsType() {
		return b.expr(e.X)
	}
	return &flow.Expr{Op: flow.Index, Pos: pos, X: b.expr(e.X), Y: b.expr(e.Index)}
}

func (b *body) keys(m ast.Expr) *flow.Expr {
	x := b.expr(m)
	return &flow.Expr{Op: flow.Call, Pos: x.Pos, S: "builtin.keys", List: []*flow.Expr{x}}
}

// commaOk is a pair: a value, and whether there is one.
func (b *body) commaOk(e ast.Expr) *flow.Expr {
	pos := b.pos(e.Pos())
	ok := &flow.Expr{Op: flow.Unknown, Pos: pos}
	if i, is := ast.Unparen(e).(*ast.IndexExpr); is {
		ok = &flow.Expr{Op: flow.Compare, Pos: pos, S: "in", X: b.expr(i.Index), Y: b.keys(i.X)}
	}
	return &flow.Expr{Op: flow.Tuple, Pos: pos, List: []*flow.Expr{b.expr(e), ok}}
}

func (b *body) funcLit(e *ast.FuncLit) *flow.Expr {
	fn := &flow.Func{Name: "func", Pos: b.pos(e.Pos()), End: b.pos(e.End()).Line}
	inner := &body{l: b.l, q: b.q}
	inner.signature(fn, e.Type)
	fn.Body = inner.block(e.Body.List)
	return &flow.Expr{Op: flow.Lambda, Pos: fn.Pos, Fn: fn}
}

func (b *body) composite(e *ast.CompositeLit) *flow.Expr {
	pos := b.pos(e.Pos())
	t := b.typeOf(e)
	var under types.Type
	if t != nil {
		under = t.Underlying()
		if p, ok := under.(*types.Pointer); ok {
			t = p.Elem()
			under = t.Underlying()
		}
	}
	switch u := under.(type) {
	case *types.Map:
		return b.dict(e)
	case *types.Slice, *types.Array:
		return b.listLit(e)
	case *types.Struct:
		return b.structLit(e, u, typeName(t), b.native(t))
	}
	switch e.Type.(type) {
	case *ast.MapType:
		return b.dict(e)
	case *ast.ArrayType:
		return b.listLit(e)
	}
	native := b.nativeOf(e.Type)
	out := b.structLit(e, nil, native, native)
	out.Pos = pos
	return out
}

func (b *body) dict(e *ast.CompositeLit) *flow.Expr {
	out := &flow.Expr{Op: flow.Dict, Pos: b.pos(e.Pos())}
	for _, el := range e.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			out.Keys, out.List = append(out.Keys, b.expr(kv.Key)), append(out.List, b.expr(kv.Value))
		}
	}
	return out
}

func (b *body) listLit(e *ast.CompositeLit) *flow.Expr {
	out := &flow.Expr{Op: flow.List, Pos: b.pos(e.Pos())}
	for _, el := range e.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			el = kv.Value
		}
		out.List = append(out.List, b.expr(el))
	}
	return out
}

func (b *body) structLit(e *ast.CompositeLit, t *types.Struct, name, native string) *flow.Expr {
	out := &flow.Expr{Op: flow.Struct, Pos: b.pos(e.Pos()), S: name, Type: native}
	for i, el := range e.Elts {
		field := strconv.Itoa(i)
		if t != nil && i < t.NumFields() {
			field = t.Field(i).Name()
		}
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			el = kv.Value
			if id, ok := kv.Key.(*ast.Ident); ok {
				field = id.Name
			}
		}
		out.Names, out.List = append(out.Names, field), append(out.List, b.expr(el))
	}
	return out
}
