// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pyparse

import (
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

func (p *parser) simpleLine() []*flow.Stmt {
	var out []*flow.Stmt
	for {
		out = append(out, p.simple()...)
		if !p.acceptOp(";") || p.tok().kind == newline {
			break
		}
	}
	if k := p.tok().kind; k != newline && k != eof {
		p.fail("the statement does not end here")
	}
	p.next()
	return out
}

func (p *parser) simple() []*flow.Stmt {
	pos := p.pos()
	if p.tok().kind == ident {
		switch p.tok().s {
		case "pass":
			p.next()
			return nil
		case "break":
			p.next()
			return one(&flow.Stmt{Op: flow.Break, Pos: pos})
		case "continue":
			p.next()
			return one(&flow.Stmt{Op: flow.Continue, Pos: pos})
		case "return":
			p.next()
			s := &flow.Stmt{Op: flow.Return, Pos: pos}
			if !p.endOfExpr() {
				s.X = p.exprList()
			}
			return one(s)
		case "raise":
			p.next()
			s := &flow.Stmt{Op: flow.Raise, Pos: pos}
			if !p.endOfExpr() {
				s.X = p.expr()
				if p.acceptWord("from") {
					p.expr()
				}
			}
			return one(s)
		case "global", "nonlocal":
			return one(p.outer())
		case "import":
			return p.importStmt()
		case "from":
			return p.fromImport()
		case "assert":
			p.next()
			s := &flow.Stmt{Op: flow.Assert, Pos: pos, X: p.expr()}
			if p.acceptOp(",") {
				p.expr()
			}
			return one(s)
		case "del":
			p.next()
			p.exprList()
			return nil
		case "type":
			if p.peek(1).kind == ident && !keywords[p.peek(1).s] {
				return p.typeAlias()
			}
		}
	}
	return one(p.exprStmt())
}

func (p *parser) typeAlias() []*flow.Stmt {
	p.next()
	p.name()
	p.typeParams()
	p.expectOp("=")
	p.expr()
	return nil
}

func (p *parser) outer() *flow.Stmt {
	s := &flow.Stmt{Op: flow.Outer, Pos: p.pos()}
	p.next()
	for {
		s.Names = append(s.Names, p.name())
		if !p.acceptOp(",") {
			return s
		}
	}
}

func (p *parser) dotted() string {
	var b strings.Builder
	for p.isOp(".") || p.isOp("...") {
		b.WriteString(p.tok().s)
		p.next()
	}
	if p.tok().kind == ident && p.tok().s != "import" {
		b.WriteString(p.name())
		for p.acceptOp(".") {
			b.WriteString("." + p.name())
		}
	}
	return b.String()
}

func nameAt(pos flow.Pos, s string) *flow.Expr {
	return &flow.Expr{Op: flow.Name, Pos: pos, S: s}
}

func (p *parser) importStmt() []*flow.Stmt {
	pos := p.pos()
	p.next()
	var out []*flow.Stmt
	for {
		mod := p.dotted()
		s := &flow.Stmt{Op: flow.Import, Pos: pos, S: mod}
		if p.acceptWord("as") {
			s.Targets = []*flow.Expr{nameAt(pos, p.name())}
		} else {
			first, _, _ := strings.Cut(mod, ".")
			s.Targets = []*flow.Expr{nameAt(pos, first)}
			if first != mod {
				s.Type = &flow.Expr{Op: flow.Str, S: first} // the package is bound
			}
		}
		out = append(out, s)
		if !p.acceptOp(",") {
			return out
		}
	}
}

func (p *parser) fromImport() []*flow.Stmt {
	s := &flow.Stmt{Op: flow.Import, Pos: p.pos()}
	p.next()
	s.S = p.dotted()
	p.expectWord("import")
	if p.acceptOp("*") {
		s.Names = []string{"*"}
		return one(s)
	}
	bracket := p.acceptOp("(")
	for {
		at := p.pos()
		n := p.name()
		s.Names = append(s.Names, n)
		if p.acceptWord("as") {
			n = p.name()
		}
		s.Targets = append(s.Targets, nameAt(at, n))
		if !p.acceptOp(",") || bracket && p.isOp(")") {
			break
		}
	}
	if bracket {
		p.expectOp(")")
	}
	return one(s)
}

// exprStmt is an expression, or an assignment of any kind.
func (p *parser) exprStmt() *flow.Stmt {
	pos := p.pos()
	x := p.valueList()
	t := p.tok()
	switch {
	case p.acceptOp(":"):
		s := &flow.Stmt{Op: flow.Assign, Pos: pos, Define: true, Targets: []*flow.Expr{x}, Type: p.expr()}
		if p.acceptOp("=") {
			s.X = p.valueList()
		}
		return s
	case p.isOp("="):
		s := &flow.Stmt{Op: flow.Assign, Pos: pos}
		for p.acceptOp("=") {
			s.Targets = append(s.Targets, x)
			x = p.valueList()
		}
		s.X = x
		return s
	case t.kind == op && len(t.s) > 1 && strings.HasSuffix(t.s, "=") && t.s != "==" && t.s != "<=" && t.s != ">=" && t.s != "!=" && t.s != ":=":
		p.next()
		return &flow.Stmt{Op: flow.Assign, Pos: pos, S: strings.TrimSuffix(t.s, "="), Targets: []*flow.Expr{x}, X: p.valueList()}
	}
	return &flow.Stmt{Op: flow.Eval, Pos: pos, X: x}
}

func (p *parser) valueList() *flow.Expr {
	if p.isWord("yield") {
		return p.yield()
	}
	return p.exprList()
}
