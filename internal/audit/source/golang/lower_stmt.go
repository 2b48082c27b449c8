// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

func (b *body) block(list []ast.Stmt) []*flow.Stmt {
	var out []*flow.Stmt
	for _, s := range list {
		out = append(out, b.stmt(s)...)
	}
	return out
}

func one(s *flow.Stmt) []*flow.Stmt { return []*flow.Stmt{s} }

// stmt lowers a statement.
func (b *body) stmt(s ast.Stmt) []*flow.Stmt {
	if s == nil {
		return nil
	}
	pos := b.pos(s.Pos())
	switch s := s.(type) {
	case *ast.ExprStmt:
		return one(b.exprStmt(s.X))
	case *ast.AssignStmt:
		return one(b.assign(s))
	case *ast.DeclStmt:
		return b.decl(s)
	case *ast.BlockStmt:
		return b.block(s.List)
	case *ast.IfStmt:
		out := b.stmt(s.Init)
		i := &flow.Stmt{Op: flow.If, Pos: pos, X: b.expr(s.Cond), Body: b.block(s.Body.List)}
		i.Else = b.stmt(s.Else)
		return append(out, i)
	case *ast.ForStmt:
		out := b.stmt(s.Init)
		w := &flow.Stmt{Op: flow.While, Pos: pos, X: &flow.Expr{Op: flow.True, Pos: pos}}
		if s.Cond != nil {
			w.X = b.expr(s.Cond)
		}
		w.Body = append(b.block(s.Body.List), b.stmt(s.Post)...)
		return append(out, w)
	case *ast.RangeStmt:
		return one(b.rangeStmt(s))
	case *ast.ReturnStmt:
		return one(b.ret(s))
	case *ast.SwitchStmt:
		return b.switchStmt(s)
	case *ast.TypeSwitchStmt:
		return b.typeSwitch(s)
	case *ast.SelectStmt:
		return b.selectStmt(s)
	case *ast.DeferStmt:
		return one(&flow.Stmt{Op: flow.Eval, Pos: pos, X: b.call(s.Call)})
	case *ast.GoStmt:
		return one(&flow.Stmt{Op: flow.Eval, Pos: pos, X: b.call(s.Call)})
	case *ast.LabeledStmt:
		return b.stmt(s.Stmt)
	case *ast.SendStmt:
		target := &flow.Expr{Op: flow.Index, Pos: pos, X: b.expr(s.Chan)}
		return one(&flow.Stmt{Op: flow.Assign, Pos: pos, Targets: []*flow.Expr{target}, X: b.expr(s.Value)})
	case *ast.BranchStmt:
		switch s.Tok {
		case token.BREAK:
			return one(&flow.Stmt{Op: flow.Break, Pos: pos})
		case token.CONTINUE:
			return one(&flow.Stmt{Op: flow.Continue, Pos: pos})
		}
	}
	return nil
}

// ending are functions of libraries that do not return.
var ending = map[string]bool{"os.Exit": true, "log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true, "log.Panic": true, "log.Panicf": true, "runtime.Goexit": true}

func (b *body) exprStmt(e ast.Expr) *flow.Stmt {
	pos := b.pos(e.Pos())
	x := b.expr(e)
	op := flow.Eval
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "panic" {
			if _, builtin := b.q.info.Uses[id].(*types.Builtin); builtin {
				op = flow.Raise
			}
		}
		if x.X != nil && x.X.Op == flow.Native && ending[x.X.S] {
			op = flow.Raise
		}
	}
	return &flow.Stmt{Op: op, Pos: pos, X: x}
}

func (b *body) assign(s *ast.AssignStmt) *flow.Stmt {
	out := &flow.Stmt{Op: flow.Assign, Pos: b.pos(s.Pos()), Define: s.Tok == token.DEFINE}
	if s.Tok != token.DEFINE && s.Tok != token.ASSIGN {
		op := s.Tok.String()
		out.S = op[:len(op)-1]
	}
	lhs := b.exprs(s.Lhs)
	switch {
	case len(lhs) == 1:
		out.Targets, out.X = lhs, b.expr(s.Rhs[0])
	case len(s.Rhs) == len(lhs):
		out.Targets = []*flow.Expr{{Op: flow.Tuple, Pos: out.Pos, List: lhs}}
		out.X = &flow.Expr{Op: flow.Tuple, Pos: out.Pos, List: b.exprs(s.Rhs)}
	default:
		out.Targets = []*flow.Expr{{Op: flow.Tuple, Pos: out.Pos, List: lhs}}
		out.X = b.several(s.Rhs[0], len(lhs))
	}
	return out
}

// several is an expression with several values.
func (b *body) several(e ast.Expr, n int) *flow.Expr {
	switch x := ast.Unparen(e).(type) {
	case *ast.IndexExpr, *ast.TypeAssertExpr:
		return b.commaOk(e)
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			return b.commaOk(e)
		}
	}
	_ = n
	return b.expr(e)
}

func (b *body) decl(s *ast.DeclStmt) []*flow.Stmt {
	g, ok := s.Decl.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return nil
	}
	var out []*flow.Stmt
	for _, spec := range g.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		var targets []*flow.Expr
		for _, n := range v.Names {
			targets = append(targets, b.variable(n))
		}
		pos := b.pos(v.Pos())
		switch {
		case len(v.Values) == len(v.Names):
			for i, t := range targets {
				out = append(out, &flow.Stmt{Op: flow.Assign, Pos: pos, Define: true, Targets: []*flow.Expr{t}, X: b.expr(v.Values[i])})
			}
		case len(v.Values) == 1:
			t := &flow.Expr{Op: flow.Tuple, Pos: pos, List: targets}
			out = append(out, &flow.Stmt{Op: flow.Assign, Pos: pos, Define: true, Targets: []*flow.Expr{t}, X: b.several(v.Values[0], len(targets))})
		default:
			for i, t := range targets {
				var typ types.Type
				if o := b.q.info.Defs[v.Names[i]]; o != nil {
					typ = o.Type()
				}
				out = append(out, &flow.Stmt{Op: flow.Assign, Pos: pos, Define: true, Targets: []*flow.Expr{t}, X: b.zero(typ, v.Type, v.Pos())})
			}
		}
	}
	return out
}

func (b *body) variable(n *ast.Ident) *flow.Expr {
	return &flow.Expr{Op: flow.Name, Pos: b.pos(n.Pos()), S: n.Name, Key: b.key(n)}
}

func (b *body) rangeStmt(s *ast.RangeStmt) *flow.Stmt {
	out := &flow.Stmt{Op: flow.For, Pos: b.pos(s.Pos()), S: "pairs", Define: s.Tok == token.DEFINE, X: b.expr(s.X), Targets: []*flow.Expr{nil, nil}}
	if s.Key != nil {
		out.Targets[0] = b.expr(s.Key)
	}
	if s.Value != nil {
		out.Targets[1] = b.expr(s.Value)
	}
	switch underlying(b.typeOf(s.X)).(type) {
	case *types.Chan, *types.Signature: // the first variable is the element
		if s.Value == nil && out.Targets[0] != nil {
			out.S, out.Targets = "", out.Targets[:1]
		}
	}
	out.Body = b.block(s.Body.List)
	return out
}

func (b *body) ret(s *ast.ReturnStmt) *flow.Stmt {
	out := &flow.Stmt{Op: flow.Return, Pos: b.pos(s.Pos())}
	switch {
	case len(s.Results) == 1:
		out.X = b.expr(s.Results[0])
	case len(s.Results) > 1:
		out.X = &flow.Expr{Op: flow.Tuple, Pos: out.Pos, List: b.exprs(s.Results)}
	case len(b.results) > 0:
		t := &flow.Expr{Op: flow.Tuple, Pos: out.Pos}
		for _, r := range b.results {
			t.List = append(t.List, &flow.Expr{Op: flow.Name, Pos: out.Pos, S: r.Name, Key: r.Key})
		}
		out.X = t
		if len(t.List) == 1 {
			out.X = t.List[0]
		}
	}
	return out
}

// A clause is one of the ways of a switch: nil conditions are the default.
type clause struct {
	cond *flow.Expr
	body []*flow.Stmt
}

// ways become a chain of ifs in a loop of one round, so that break works.
func ways(pos flow.Pos, before []*flow.Stmt, list []clause) []*flow.Stmt {
	var other []*flow.Stmt
	for _, c := range list {
		if c.cond == nil {
			other = c.body
		}
	}
	chain := other
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].cond != nil {
			chain = one(&flow.Stmt{Op: flow.If, Pos: list[i].cond.Pos, X: list[i].cond, Body: list[i].body, Else: chain})
		}
	}
	return append(before, &flow.Stmt{Op: flow.While, Pos: pos, S: "once", Body: chain})
}

func (b *body) switchStmt(s *ast.SwitchStmt) []*flow.Stmt {
	pos := b.pos(s.Pos())
	before := b.stmt(s.Init)
	var tag *flow.Expr
	if s.Tag != nil {
		tag = &flow.Expr{Op: flow.Name, Pos: pos, S: "switch", Key: new(int)}
		before = append(before, &flow.Stmt{Op: flow.Assign, Pos: pos, Define: true, Targets: []*flow.Expr{tag}, X: b.expr(s.Tag)})
	}
	var list []clause
	for _, st := range s.Body.List {
		cc := st.(*ast.CaseClause)
		c := clause{body: b.block(cc.Body)}
		for _, e := range cc.List {
			x := b.expr(e)
			if tag != nil {
				x = &flow.Expr{Op: flow.Compare, Pos: x.Pos, S: "==", X: tag, Y: x}
			}
			if c.cond != nil {
				x = &flow.Expr{Op: flow.Or, Pos: x.Pos, X: c.cond, Y: x}
			}
			c.cond = x
		}
		list = append(list, c)
	}
	return ways(pos, before, list)
}

func (b *body) typeSwitch(s *ast.TypeSwitchStmt) []*flow.Stmt {
	pos := b.pos(s.Pos())
	before := b.stmt(s.Init)
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		x = a.Rhs[0]
	case *ast.ExprStmt:
		x = a.X
	}
	v := b.expr(x)
	var list []clause
	for _, st := range s.Body.List {
		cc := st.(*ast.CaseClause)
		c := clause{body: b.block(cc.Body)}
		if obj := b.q.info.Implicits[cc]; obj != nil {
			t := &flow.Expr{Op: flow.Name, Pos: pos, S: obj.Name(), Key: obj}
			val := &flow.Expr{Op: flow.Same, Pos: pos, X: v}
			if len(cc.List) == 1 {
				val.Type = b.nativeOf(cc.List[0])
			}
			c.body = append(one(&flow.Stmt{Op: flow.Assign, Pos: pos, Define: true, Targets: []*flow.Expr{t}, X: val}), c.body...)
		}
		if cc.List != nil {
			c.cond = &flow.Expr{Op: flow.Unknown, Pos: b.pos(cc.Pos())}
		}
		list = append(list, c)
	}
	return ways(pos, before, list)
}

func (b *body) selectStmt(s *ast.SelectStmt) []*flow.Stmt {
	var list []clause
	for _, st := range s.Body.List {
		cc := st.(*ast.CommClause)
		c := clause{body: append(b.stmt(cc.Comm), b.block(cc.Body)...)}
		if cc.Comm != nil {
			c.cond = &flow.Expr{Op: flow.Unknown, Pos: b.pos(cc.Pos())}
		}
		list = append(list, c)
	}
	return ways(b.pos(s.Pos()), nil, list)
}
