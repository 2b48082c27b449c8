// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pyparse

import (
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// binary operators by how tightly they bind; those of a row bind alike.
var binary = [][]string{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}}

func (p *parser) pos() flow.Pos {
	t := p.tok()
	return flow.Pos{File: p.file, Line: t.line, Col: t.col}
}

// enter bounds the nesting of expressions and statements.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail("nested too deeply")
	}
}

// exprList is one expression, or a tuple of several without brackets.
func (p *parser) exprList() *flow.Expr {
	pos := p.pos()
	x := p.starExpr()
	if !p.isOp(",") {
		return x
	}
	t := &flow.Expr{Op: flow.Tuple, Pos: pos, List: []*flow.Expr{x}}
	for p.acceptOp(",") {
		if p.endOfExpr() {
			break
		}
		t.List = append(t.List, p.starExpr())
	}
	return t
}

// endOfExpr reports whether no expression begins here.
func (p *parser) endOfExpr() bool {
	t := p.tok()
	switch t.kind {
	case newline, eof, dedent, indent:
		return true
	case op:
		switch t.s {
		case ")", "]", "}", ":", "=", ";", ",":
			return true
		}
		return strings.HasSuffix(t.s, "=") && t.s != "=="
	case ident:
		return t.s == "in" || t.s == "for" || t.s == "if" || t.s == "else"
	}
	return false
}

func (p *parser) starExpr() *flow.Expr {
	if p.isOp("*") {
		pos := p.pos()
		p.next()
		return &flow.Expr{Op: flow.Spread, Pos: pos, X: p.bitOr()}
	}
	return p.named()
}

// named is an expression that may be an assignment, too.
func (p *parser) named() *flow.Expr {
	x := p.expr()
	if p.isOp(":=") {
		pos := p.pos()
		p.next()
		return &flow.Expr{Op: flow.Let, Pos: pos, X: x, Y: p.expr()}
	}
	return x
}

func (p *parser) expr() *flow.Expr {
	p.enter()
	defer func() { p.depth-- }()
	if p.isWord("lambda") {
		return p.lambda()
	}
	x := p.or()
	if !p.isWord("if") {
		return x
	}
	pos := p.pos()
	p.next()
	cond := p.or()
	p.expectWord("else")
	return &flow.Expr{Op: flow.Cond, Pos: pos, X: x, Y: cond, Z: p.expr()}
}

func (p *parser) lambda() *flow.Expr {
	pos := p.pos()
	p.next()
	fn := &flow.Func{Name: "lambda", Pos: pos}
	p.params(fn, ":", false)
	p.expectOp(":")
	p.fns = append(p.fns, fn)
	body := p.expr()
	p.fns = p.fns[:len(p.fns)-1]
	fn.Body = []*flow.Stmt{{Op: flow.Return, Pos: body.Pos, X: body}}
	fn.End = p.last()
	return &flow.Expr{Op: flow.Lambda, Pos: pos, Fn: fn}
}

func (p *parser) or() *flow.Expr {
	x := p.and()
	for p.isWord("or") {
		pos := p.pos()
		p.next()
		x = &flow.Expr{Op: flow.Or, Pos: pos, X: x, Y: p.and()}
	}
	return x
}

func (p *parser) and() *flow.Expr {
	x := p.not()
	for p.isWord("and") {
		pos := p.pos()
		p.next()
		x = &flow.Expr{Op: flow.And, Pos: pos, X: x, Y: p.not()}
	}
	return x
}

func (p *parser) not() *flow.Expr {
	if !p.isWord("not") {
		return p.comparison()
	}
	p.enter()
	defer func() { p.depth-- }()
	pos := p.pos()
	p.next()
	return &flow.Expr{Op: flow.Not, Pos: pos, X: p.not()}
}

func (p *parser) comparison() *flow.Expr {
	x := p.bitOr()
	var out *flow.Expr
	for {
		s := p.comparator()
		if s == "" {
			break
		}
		pos := x.Pos
		y := p.bitOr()
		c := &flow.Expr{Op: flow.Compare, Pos: pos, S: s, X: x, Y: y}
		if out == nil {
			out = c
		} else {
			out = &flow.Expr{Op: flow.And, Pos: pos, X: out, Y: c}
		}
		x = y
	}
	if out != nil {
		return out
	}
	return x
}

// comparator reads one of the comparing operators, or nothing.
func (p *parser) comparator() string {
	t := p.tok()
	switch {
	case t.kind == op:
		switch t.s {
		case "==", "!=", "<", ">", "<=", ">=", "<>":
			p.next()
			return t.s
		}
	case p.isWord("in"):
		p.next()
		return "in"
	case p.isWord("not") && p.peek(1).s == "in":
		p.next()
		p.next()
		return "not in"
	case p.isWord("is"):
		p.next()
		if p.acceptWord("not") {
			return "is not"
		}
		return "is"
	}
	return ""
}

func (p *parser) bitOr() *flow.Expr { return p.level(0) }

func (p *parser) level(i int) *flow.Expr {
	if i == len(binary) {
		return p.unary()
	}
	x := p.level(i + 1)
	for {
		t := p.tok()
		if t.kind != op || !contains(binary[i], t.s) {
			return x
		}
		pos := p.pos()
		p.next()
		x = &flow.Expr{Op: flow.Binary, Pos: pos, S: t.s, X: x, Y: p.level(i + 1)}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (p *parser) unary() *flow.Expr {
	t := p.tok()
	if t.kind == op && (t.s == "-" || t.s == "+" || t.s == "~") {
		p.enter()
		defer func() { p.depth-- }()
		pos := p.pos()
		p.next()
		x := p.unary()
		if x.Op == flow.Num && t.s == "-" {
			return &flow.Expr{Op: flow.Num, Pos: pos, S: "-" + x.S}
		}
		return &flow.Expr{Op: flow.Unknown, Pos: pos, List: []*flow.Expr{x}}
	}
	x := p.await()
	if p.isOp("**") {
		pos := p.pos()
		p.next()
		p.enter()
		defer func() { p.depth-- }()
		return &flow.Expr{Op: flow.Binary, Pos: pos, S: "**", X: x, Y: p.unary()}
	}
	return x
}

func (p *parser) await() *flow.Expr {
	if p.isWord("await") && !p.endOf(p.peek(1)) {
		pos := p.pos()
		p.next()
		return &flow.Expr{Op: flow.Same, Pos: pos, X: p.primary()}
	}
	return p.primary()
}

func (p *parser) endOf(t token) bool {
	return t.kind == newline || t.kind == eof || t.kind == op && (t.s == "=" || t.s == "." || t.s == ")" || t.s == ",")
}

// primary is an atom with the calls, attributes and subscripts behind it.
func (p *parser) primary() *flow.Expr {
	x := p.atom()
	for n := 0; ; n++ {
		if n > 2000 {
			p.fail("chained too long")
		}
		pos := x.Pos
		switch {
		case p.acceptOp("."):
			x = &flow.Expr{Op: flow.Attr, Pos: pos, X: x, S: p.name()}
		case p.isOp("("):
			p.next()
			x = p.callArgs(&flow.Expr{Op: flow.Call, Pos: pos, X: x})
		case p.isOp("["):
			p.next()
			x = p.subscript(&flow.Expr{Op: flow.Index, Pos: pos, X: x})
		default:
			return x
		}
	}
}

func (p *parser) callArgs(c *flow.Expr) *flow.Expr {
	add := func(name string, x *flow.Expr) {
		c.Names, c.List = append(c.Names, name), append(c.List, x)
	}
	for !p.isOp(")") {
		switch {
		case p.acceptOp("**"):
			add("**", p.expr())
		case p.acceptOp("*"):
			add("*", p.expr())
		case p.tok().kind == ident && p.peek(1).kind == op && p.peek(1).s == "=":
			name := p.name()
			p.next()
			add(name, p.expr())
		default:
			x := p.named()
			if p.isWord("for") || p.isWord("async") {
				x = p.comprehension(x)
			}
			add("", x)
		}
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(")")
	return c
}

func (p *parser) subscript(x *flow.Expr) *flow.Expr {
	var items []*flow.Expr
	sliced, tuple := false, false
	for !p.isOp("]") {
		switch {
		case p.acceptOp(":"):
			sliced = true
			continue
		case p.acceptOp(","):
			tuple = true
			continue
		}
		items = append(items, p.starExpr())
		if !p.isOp(":") && !p.isOp(",") {
			break
		}
	}
	p.expectOp("]")
	switch {
	case sliced:
		x.Op, x.List = flow.Slice, items
	case tuple:
		x.Y = &flow.Expr{Op: flow.Tuple, Pos: x.Pos, List: items}
	case len(items) == 1:
		x.Y = items[0]
	default:
		p.fail("nothing in the brackets")
	}
	return x
}

// comprehension reads the clauses behind x.
func (p *parser) comprehension(x *flow.Expr) *flow.Expr {
	c := &flow.Expr{Op: flow.Comp, Pos: x.Pos, X: x}
	for p.isWord("for") || p.isWord("async") {
		p.acceptWord("async")
		p.expectWord("for")
		var cl flow.Clause
		cl.Target = p.targets()
		p.expectWord("in")
		cl.In = p.or()
		for p.acceptWord("if") {
			cl.Ifs = append(cl.Ifs, p.conditionOfComp())
		}
		c.Clauses = append(c.Clauses, cl)
	}
	return c
}

func (p *parser) conditionOfComp() *flow.Expr {
	if p.isWord("lambda") {
		return p.lambda()
	}
	x := p.or()
	if p.isOp(":=") {
		p.next()
		return &flow.Expr{Op: flow.Let, Pos: x.Pos, X: x, Y: p.or()}
	}
	return x
}

// targets are the targets of a for statement.
func (p *parser) targets() *flow.Expr {
	pos := p.pos()
	var list []*flow.Expr
	tuple := false
	for {
		if p.isOp("*") {
			at := p.pos()
			p.next()
			list = append(list, &flow.Expr{Op: flow.Spread, Pos: at, X: p.bitOr()})
		} else {
			list = append(list, p.bitOr())
		}
		if !p.acceptOp(",") {
			break
		}
		tuple = true
		if p.isWord("in") {
			break
		}
	}
	if !tuple {
		return list[0]
	}
	return &flow.Expr{Op: flow.Tuple, Pos: pos, List: list}
}

func (p *parser) atom() *flow.Expr {
	t := p.tok()
	pos := p.pos()
	switch t.kind {
	case number:
		p.next()
		return &flow.Expr{Op: flow.Num, Pos: pos, S: t.s}
	case text:
		return p.strings()
	case ident:
		return p.word()
	case op:
		switch t.s {
		case "(":
			return p.parens()
		case "[":
			p.next()
			return p.elements(&flow.Expr{Op: flow.List, Pos: pos}, "]")
		case "{":
			p.next()
			return p.braces(pos)
		case "...":
			p.next()
			return &flow.Expr{Op: flow.Unknown, Pos: pos}
		}
	}
	p.fail("no expression begins here")
	return nil
}

var keywords = func() map[string]bool {
	out := map[string]bool{}
	for _, k := range strings.Fields("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield") {
		out[k] = true
	}
	return out
}()

func (p *parser) word() *flow.Expr {
	t := p.tok()
	pos := p.pos()
	switch t.s {
	case "True":
		p.next()
		return &flow.Expr{Op: flow.True, Pos: pos}
	case "False":
		p.next()
		return &flow.Expr{Op: flow.False, Pos: pos}
	case "None":
		p.next()
		return &flow.Expr{Op: flow.Nil, Pos: pos}
	case "yield":
		return p.yield()
	case "await":
		p.next()
		return &flow.Expr{Op: flow.Same, Pos: pos, X: p.primary()}
	}
	if keywords[t.s] {
		p.fail("unexpected " + t.s)
	}
	p.next()
	return &flow.Expr{Op: flow.Name, Pos: pos, S: t.s}
}
