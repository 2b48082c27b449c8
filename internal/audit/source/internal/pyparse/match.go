// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pyparse

import "github.com/toolvet/toolvet/internal/audit/source/internal/flow"

// isMatch reports whether "match" begins a match statement here: the line ends in a colon, and
// the block below begins with "case".
func (p *parser) isMatch() bool {
	depth := 0
	for i := p.at; i < len(p.toks); i++ {
		t := p.toks[i]
		switch {
		case t.kind == newline:
			return p.toks[i-1].kind == op && p.toks[i-1].s == ":" && depth == 0 &&
				i+2 < len(p.toks) && p.toks[i+1].kind == indent && p.toks[i+2].s == "case"
		case t.kind == eof:
			return false
		case t.kind == op && (t.s == "(" || t.s == "[" || t.s == "{"):
			depth++
		case t.kind == op && (t.s == ")" || t.s == "]" || t.s == "}"):
			depth--
		}
	}
	return false
}

// match becomes a chain of ifs.
func (p *parser) match() *flow.Stmt {
	pos := p.pos()
	p.next()
	subject := p.exprList()
	p.expectOp(":")
	p.next() // the end of the line
	p.next() // the indentation
	tmp := &flow.Expr{Op: flow.Name, Pos: pos, S: "match " + pos.File + string(rune(pos.Line))}
	out := &flow.Stmt{Op: flow.Block, Pos: pos, Body: one(&flow.Stmt{Op: flow.Assign, Pos: pos, Targets: []*flow.Expr{tmp}, X: subject})}
	tail := &out.Body
	for p.isWord("case") {
		at := p.pos()
		p.next()
		var binds []*flow.Stmt
		cond := p.patterns(tmp, &binds)
		if p.acceptWord("if") {
			guard := p.named()
			cond = conj(cond, guard, at)
		}
		s := &flow.Stmt{Op: flow.If, Pos: at, S: "case", X: cond}
		if cond == nil {
			s.X = &flow.Expr{Op: flow.True, Pos: at}
		}
		*tail = append(*tail, binds...)
		*tail = append(*tail, s)
		s.Body = p.suite()
		tail = &s.Else
	}
	if p.tok().kind == dedent {
		p.next()
	}
	return out
}

func conj(a, b *flow.Expr, pos flow.Pos) *flow.Expr {
	if a == nil {
		return b
	}
	return &flow.Expr{Op: flow.And, Pos: pos, X: a, Y: b}
}

// patterns are those of a case without brackets.
func (p *parser) patterns(subject *flow.Expr, binds *[]*flow.Stmt) *flow.Expr {
	cond := p.pattern(subject, binds)
	if !p.isOp(",") {
		return cond
	}
	for p.acceptOp(",") {
		if p.isOp(":") || p.isWord("if") {
			break
		}
		p.pattern(elementOf(subject), binds)
	}
	return unknown(subject)
}

func unknown(x *flow.Expr) *flow.Expr {
	return &flow.Expr{Op: flow.Unknown, Pos: x.Pos}
}

func elementOf(x *flow.Expr) *flow.Expr {
	return &flow.Expr{Op: flow.Index, Pos: x.Pos, X: x, Y: unknown(x)}
}

// pattern is a condition on the subject, nil if it is always met. Its names are bound.
func (p *parser) pattern(subject *flow.Expr, binds *[]*flow.Stmt) *flow.Expr {
	p.enter()
	defer func() { p.depth-- }()
	cond := p.closed(subject, binds)
	for p.acceptOp("|") {
		other := p.closed(subject, binds)
		if cond != nil && other != nil {
			cond = &flow.Expr{Op: flow.Or, Pos: subject.Pos, X: cond, Y: other}
		} else {
			cond = nil
		}
	}
	if p.acceptWord("as") {
		p.bind(subject, binds)
	}
	return cond
}

func (p *parser) bind(subject *flow.Expr, binds *[]*flow.Stmt) {
	pos := p.pos()
	n := p.name()
	if n != "_" {
		*binds = append(*binds, &flow.Stmt{Op: flow.Assign, Pos: pos, Targets: []*flow.Expr{nameAt(pos, n)}, X: subject})
	}
}

func (p *parser) closed(subject *flow.Expr, binds *[]*flow.Stmt) *flow.Expr {
	t := p.tok()
	switch {
	case t.kind == op && (t.s == "(" || t.s == "["):
		return p.sequencePattern(subject, binds)
	case t.kind == op && t.s == "{":
		return p.mappingPattern(subject, binds)
	case t.kind == op && t.s == "*":
		p.next()
		p.bind(subject, binds)
		return nil
	case t.kind == ident && !keywords[t.s] && p.peek(1).s != "." && p.peek(1).s != "(":
		p.bind(subject, binds)
		return nil
	case t.kind == ident && !keywords[t.s]:
		return p.valuePattern(subject, binds)
	}
	x := p.bitAnd()
	return &flow.Expr{Op: flow.Compare, Pos: x.Pos, S: "==", X: subject, Y: x}
}

// bitAnd is an expression without "|", because "|" divides patterns.
func (p *parser) bitAnd() *flow.Expr { return p.level(1) }

// valuePattern is a dotted name, or a class with patterns of its attributes.
func (p *parser) valuePattern(subject *flow.Expr, binds *[]*flow.Stmt) *flow.Expr {
	pos := p.pos()
	x := nameAt(pos, p.name())
	for p.acceptOp(".") {
		at := p.pos()
		n := p.name()
		x = &flow.Expr{Op: flow.Attr, Pos: at, X: x, S: n}
	}
	if !p.acceptOp("(") {
		return &flow.Expr{Op: flow.Compare, Pos: pos, S: "==", X: subject, Y: x}
	}
	for !p.isOp(")") {
		inner := subject
		if p.tok().kind == ident && p.peek(1).s == "=" {
			n := p.name()
			p.next()
			inner = &flow.Expr{Op: flow.Attr, Pos: pos, X: subject, S: n}
		}
		p.pattern(inner, binds)
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(")")
	return unknown(subject)
}

func (p *parser) sequencePattern(subject *flow.Expr, binds *[]*flow.Stmt) *flow.Expr {
	end := ")"
	if p.isOp("[") {
		end = "]"
	}
	p.next()
	n := 0
	var cond *flow.Expr
	comma := false
	for !p.isOp(end) {
		cond = p.pattern(subject, binds)
		n++
		if !p.acceptOp(",") {
			break
		}
		comma = true
	}
	p.expectOp(end)
	if n == 1 && !comma && end == ")" {
		return cond
	}
	return unknown(subject)
}

func (p *parser) mappingPattern(subject *flow.Expr, binds *[]*flow.Stmt) *flow.Expr {
	p.next()
	for !p.isOp("}") {
		if p.acceptOp("**") {
			p.bind(subject, binds)
		} else {
			key := p.bitAnd()
			p.expectOp(":")
			p.pattern(&flow.Expr{Op: flow.Index, Pos: key.Pos, X: subject, Y: key}, binds)
		}
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp("}")
	return unknown(subject)
}
