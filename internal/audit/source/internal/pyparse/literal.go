// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pyparse

import (
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

func (p *parser) yield() *flow.Expr {
	pos := p.pos()
	p.next()
	c := &flow.Expr{Op: flow.Call, Pos: pos, X: &flow.Expr{Op: flow.Native, Pos: pos, S: "yield"}}
	if n := len(p.fns); n > 0 {
		p.fns[n-1].Generator = true
	}
	if p.acceptWord("from") {
		x := p.expr()
		c.List = []*flow.Expr{{Op: flow.Index, Pos: pos, X: x, Y: &flow.Expr{Op: flow.Unknown, Pos: pos}}}
		return c
	}
	if !p.endOfExpr() {
		c.List = []*flow.Expr{p.exprList()}
	}
	return c
}

func (p *parser) parens() *flow.Expr {
	pos := p.pos()
	p.next()
	if p.acceptOp(")") {
		return &flow.Expr{Op: flow.Tuple, Pos: pos}
	}
	if p.isWord("yield") {
		x := p.yield()
		p.expectOp(")")
		return x
	}
	x := p.starExpr()
	switch {
	case p.isWord("for") || p.isWord("async"):
		x = p.comprehension(x)
	case p.isOp(","):
		t := &flow.Expr{Op: flow.Tuple, Pos: pos, List: []*flow.Expr{x}}
		p.next()
		return p.elements(t, ")")
	}
	p.expectOp(")")
	return x
}

// elements reads the elements of a list or tuple up to its bracket.
func (p *parser) elements(out *flow.Expr, end string) *flow.Expr {
	for !p.isOp(end) {
		x := p.starExpr()
		if len(out.List) == 0 && out.Op == flow.List && (p.isWord("for") || p.isWord("async")) {
			c := p.comprehension(x)
			p.expectOp(end)
			return c
		}
		out.List = append(out.List, x)
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(end)
	return out
}

// braces reads a dict or set.
func (p *parser) braces(pos flow.Pos) *flow.Expr {
	d := &flow.Expr{Op: flow.Dict, Pos: pos}
	set := &flow.Expr{Op: flow.List, Pos: pos}
	for !p.isOp("}") {
		if p.acceptOp("**") {
			d.Keys, d.List = append(d.Keys, nil), append(d.List, p.bitOr())
			if !p.acceptOp(",") {
				break
			}
			continue
		}
		x := p.starExpr()
		var v *flow.Expr
		if p.acceptOp(":") {
			v = p.expr()
		}
		if p.isWord("for") || p.isWord("async") {
			if v != nil {
				x = v
			}
			c := p.comprehension(x)
			p.expectOp("}")
			return c
		}
		if v != nil {
			d.Keys, d.List = append(d.Keys, x), append(d.List, v)
		} else {
			set.List = append(set.List, x)
		}
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp("}")
	if len(set.List) > 0 {
		return set
	}
	return d
}

// strings reads literals that stand side by side.
func (p *parser) strings() *flow.Expr {
	pos := p.pos()
	var parts []*flow.Expr
	plain := true
	var b strings.Builder
	for p.tok().kind == text {
		t := p.tok()
		if t.parts == nil {
			b.WriteString(t.s)
			parts = append(parts, &flow.Expr{Op: flow.Str, Pos: pos, S: t.s})
		} else {
			plain = false
			parts = append(parts, p.holes(t.parts, pos)...)
		}
		p.next()
	}
	if plain {
		return &flow.Expr{Op: flow.Str, Pos: pos, S: b.String()}
	}
	return &flow.Expr{Op: flow.Format, Pos: pos, List: parts}
}

// holes are the expressions of an f-string, and the texts in between.
func (p *parser) holes(parts []part, pos flow.Pos) []*flow.Expr {
	var out []*flow.Expr
	for _, h := range parts {
		if !h.expr {
			out = append(out, &flow.Expr{Op: flow.Str, Pos: pos, S: h.lit})
			continue
		}
		out = append(out, p.hole(h))
		for _, s := range h.spec {
			if s.expr {
				p.hole(s)
			}
		}
	}
	return out
}

func (p *parser) hole(h part) *flow.Expr {
	p.enter()
	defer func() { p.depth-- }()
	src := strings.TrimRight(p.src[h.from:h.to], " \t\n\r")
	eq := strings.TrimSuffix(src, "=") // f"{x=}"
	if eq != src && !strings.HasSuffix(eq, "=") && !strings.HasSuffix(eq, "!") && !strings.HasSuffix(eq, "<") && !strings.HasSuffix(eq, ">") {
		src = eq
	}
	l := &lexer{src: p.src[:h.from+len(src)], at: h.from, line: h.line, lineStart: h.from - h.col + 1, depth: 1, most: p.most}
	l.run()
	sub := &parser{src: p.src, file: p.file, toks: l.toks, fns: p.fns, depth: p.depth, most: p.most}
	x := sub.exprList()
	if k := sub.tok().kind; k != newline && k != eof {
		sub.fail("more than an expression")
	}
	return x
}
