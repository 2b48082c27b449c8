// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package pyparse reads Python 3 source into the statements of package flow. It reads every
// version of the language's syntax up to 3.14, and goes on behind a statement that it does not
// understand. It is not a checker: some of what it reads is no Python.
package pyparse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

const (
	maxDepth  = 200     // of nested expressions and statements
	maxTokens = 1 << 20 // of a file
	maxErrors = 100
)

type parser struct {
	src    string
	file   string
	toks   []token
	at     int
	depth  int
	fns    []*flow.Func
	errors []error
	most   int
}

// Parse reads a file. It passes over statements that it does not understand, and lists them in
// the errors; body is nil only if nothing could be read.
func Parse(file, src string) (body []*flow.Stmt, errs []error) {
	defer func() {
		if e, ok := recover().(syntaxError); ok {
			errs = append(errs, e)
		}
	}()
	src = strings.TrimPrefix(src, "\ufeff")
	l := &lexer{src: src, line: 1, most: maxTokens}
	l.run()
	p := &parser{src: src, file: file, toks: l.toks, most: maxTokens, errors: l.errors}
	for p.tok().kind != eof {
		body = append(body, p.statement()...)
	}
	return body, p.errors
}

func (p *parser) tok() token { return p.toks[p.at] }

func (p *parser) peek(n int) token {
	if p.at+n < len(p.toks) {
		return p.toks[p.at+n]
	}
	return token{kind: eof}
}

func (p *parser) next() {
	if p.at < len(p.toks)-1 {
		p.at++
	}
}

func (p *parser) fail(what string) {
	panic(syntaxError{p.tok().line, what})
}

func (p *parser) isOp(s string) bool {
	t := p.tok()
	return t.kind == op && t.s == s
}

func (p *parser) acceptOp(s string) bool {
	if p.isOp(s) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expectOp(s string) {
	if !p.acceptOp(s) {
		p.fail(fmt.Sprintf("%q is missing", s))
	}
}

func (p *parser) isWord(s string) bool {
	t := p.tok()
	return t.kind == ident && t.s == s
}

func (p *parser) acceptWord(s string) bool {
	if p.isWord(s) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expectWord(s string) {
	if !p.acceptWord(s) {
		p.fail(fmt.Sprintf("%q is missing", s))
	}
}

func (p *parser) name() string {
	t := p.tok()
	if t.kind != ident {
		p.fail("a name is missing")
	}
	p.next()
	return t.s
}

// statement reads a line of statements, or one with a block. If it cannot, it goes on behind it.
func (p *parser) statement() (out []*flow.Stmt) {
	start, depth, fns := p.at, p.depth, len(p.fns)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		e, ok := r.(syntaxError)
		if !ok {
			panic(r)
		}
		if len(p.errors) >= maxErrors {
			panic(e)
		}
		p.errors = append(p.errors, e)
		p.depth, p.fns = depth, p.fns[:fns]
		p.skip(start)
		out = nil
	}()
	p.enter()
	out = p.compound()
	p.depth--
	return out
}

// skip passes over a line that was not understood, and the block below it.
func (p *parser) skip(start int) {
	if p.at == start {
		p.next()
	}
	for p.tok().kind != newline && p.tok().kind != eof {
		if p.tok().kind == indent || p.tok().kind == dedent {
			break
		}
		p.next()
	}
	if p.tok().kind == newline {
		p.next()
	}
	for depth := 0; p.tok().kind == indent || depth > 0; {
		switch p.tok().kind {
		case indent:
			depth++
		case dedent:
			depth--
		case eof:
			return
		}
		p.next()
	}
}

func (p *parser) compound() []*flow.Stmt {
	t := p.tok()
	switch t.kind {
	case newline, indent, dedent:
		p.next()
		return nil
	case op:
		if t.s == "@" {
			return one(p.decorated())
		}
	case ident:
		if s := p.block(); s != nil {
			return one(s)
		}
	}
	return p.simpleLine()
}

func one(s *flow.Stmt) []*flow.Stmt { return []*flow.Stmt{s} }

// block reads a statement that has a block, or nothing.
func (p *parser) block() *flow.Stmt {
	switch p.tok().s {
	case "if":
		return p.ifStmt()
	case "while":
		return p.while()
	case "for":
		return p.forStmt()
	case "try":
		return p.try()
	case "with":
		return p.with()
	case "def":
		return p.def(nil)
	case "class":
		return p.class(nil)
	case "async":
		p.next()
		return p.block()
	case "match":
		if p.isMatch() {
			return p.match()
		}
	}
	return nil
}

func (p *parser) suite() []*flow.Stmt {
	p.expectOp(":")
	if p.tok().kind != newline {
		return p.simpleLine()
	}
	p.next()
	if p.tok().kind != indent {
		p.fail("a block is missing")
	}
	p.next()
	var out []*flow.Stmt
	for p.tok().kind != dedent && p.tok().kind != eof {
		out = append(out, p.statement()...)
	}
	if p.tok().kind == dedent {
		p.next()
	}
	return out
}

func (p *parser) ifStmt() *flow.Stmt {
	s := &flow.Stmt{Op: flow.If, Pos: p.pos()}
	p.enter()
	defer func() { p.depth-- }()
	p.next()
	s.X = p.named()
	s.Body = p.suite()
	switch {
	case p.isWord("elif"):
		s.Else = one(p.ifStmt())
	case p.acceptWord("else"):
		s.Else = p.suite()
	}
	return s
}

func (p *parser) while() *flow.Stmt {
	s := &flow.Stmt{Op: flow.While, Pos: p.pos()}
	p.next()
	s.X = p.named()
	s.Body = p.suite()
	if p.acceptWord("else") {
		s.Else = p.suite()
	}
	return s
}

func (p *parser) forStmt() *flow.Stmt {
	s := &flow.Stmt{Op: flow.For, Pos: p.pos()}
	p.next()
	s.Targets = []*flow.Expr{p.targets()}
	p.expectWord("in")
	s.X = p.exprList()
	s.Body = p.suite()
	if p.acceptWord("else") {
		s.Else = p.suite()
	}
	return s
}

func (p *parser) try() *flow.Stmt {
	s := &flow.Stmt{Op: flow.Try, Pos: p.pos()}
	p.next()
	s.Body = p.suite()
	for p.acceptWord("except") {
		p.acceptOp("*")
		var h flow.Handler
		if !p.isOp(":") {
			p.exprList()
			if p.acceptWord("as") {
				at := p.pos()
				n := p.name()
				h.Name = &flow.Expr{Op: flow.Name, Pos: at, S: n}
			}
		}
		h.Body = p.suite()
		s.Handlers = append(s.Handlers, h)
	}
	if p.acceptWord("else") {
		s.Else = p.suite()
	}
	if p.acceptWord("finally") {
		s.Final = p.suite()
	}
	return s
}

func (p *parser) with() *flow.Stmt {
	pos := p.pos()
	p.next()
	bracket := p.isOp("(") && p.withBracket()
	if bracket {
		p.next()
	}
	var items []*flow.Stmt
	for {
		s := &flow.Stmt{Op: flow.With, Pos: pos, Define: true, X: p.expr()}
		if p.acceptWord("as") {
			s.Targets = []*flow.Expr{p.bitOr()}
		}
		items = append(items, s)
		if !p.acceptOp(",") || bracket && p.isOp(")") {
			break
		}
	}
	if bracket {
		p.expectOp(")")
	}
	body := p.suite()
	for i := len(items) - 1; i >= 0; i-- {
		items[i].Body = body
		body = one(items[i])
	}
	return items[0]
}

// withBracket reports whether the bracket here contains the items of a with statement, and not an
// expression: it closes before the colon and has an "as" or a comma in it.
func (p *parser) withBracket() bool {
	depth, several := 0, false
	for i := p.at; i < len(p.toks); i++ {
		t := p.toks[i]
		if t.kind == newline || t.kind == eof {
			return false
		}
		if t.kind == ident && t.s == "as" && depth == 1 {
			several = true
		}
		if t.kind != op {
			continue
		}
		switch t.s {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
			if depth == 0 {
				return several && i+1 < len(p.toks) && p.toks[i+1].s == ":"
			}
		case ",":
			several = several || depth == 1
		}
	}
	return false
}

func (p *parser) decorated() *flow.Stmt {
	var list []*flow.Expr
	for p.acceptOp("@") {
		list = append(list, p.named())
		if p.tok().kind == newline {
			p.next()
		}
	}
	p.acceptWord("async")
	switch {
	case p.isWord("def"):
		return p.def(list)
	case p.isWord("class"):
		return p.class(list)
	}
	p.fail("nothing is decorated")
	return nil
}

func (p *parser) def(decorators []*flow.Expr) *flow.Stmt {
	p.expectWord("def")
	pos := p.pos()
	fn := &flow.Func{Name: p.name(), Pos: pos, Decorators: decorators}
	p.typeParams()
	p.expectOp("(")
	p.params(fn, ")", true)
	p.expectOp(")")
	if p.acceptOp("->") {
		fn.Returns = p.exprList()
	}
	p.fns = append(p.fns, fn)
	fn.Body = p.suite()
	p.fns = p.fns[:len(p.fns)-1]
	fn.End = p.last()
	return &flow.Stmt{Op: flow.Def, Pos: pos, Fn: fn, Targets: []*flow.Expr{{Op: flow.Name, Pos: pos, S: fn.Name}}}
}

// last is the line of the last token that was read, but for those without a text.
func (p *parser) last() int {
	at := p.at - 1
	for at > 0 && slices.Contains([]kind{newline, indent, dedent}, p.toks[at].kind) {
		at--
	}
	return p.toks[max(at, 0)].line
}

func (p *parser) typeParams() {
	if !p.isOp("[") {
		return
	}
	depth := 0
	for p.tok().kind != eof && p.tok().kind != newline {
		if p.isOp("[") {
			depth++
		}
		if p.isOp("]") {
			depth--
		}
		p.next()
		if depth == 0 {
			return
		}
	}
}

func (p *parser) params(fn *flow.Func, end string, typed bool) {
	for !p.isOp(end) {
		var q flow.Param
		switch {
		case p.acceptOp("/"):
			p.acceptOp(",")
			continue
		case p.acceptOp("**"):
			q.Star = 2
		case p.acceptOp("*"):
			if p.acceptOp(",") {
				continue
			}
			q.Star = 1
		}
		q.Name = p.name()
		if typed && p.acceptOp(":") {
			q.Type = p.starExpr()
		}
		if p.acceptOp("=") {
			q.Default = p.expr()
		}
		fn.Params = append(fn.Params, q)
		if !p.acceptOp(",") {
			break
		}
	}
}

func (p *parser) class(decorators []*flow.Expr) *flow.Stmt {
	pos := p.pos()
	p.next()
	c := &flow.ClassDef{Pos: pos, Name: p.name(), Decorators: decorators}
	p.typeParams()
	if p.acceptOp("(") {
		call := p.callArgs(&flow.Expr{Op: flow.Call, Pos: pos})
		for i, x := range call.List {
			if n := call.Names[i]; n == "" || n == "*" {
				c.Bases = append(c.Bases, x)
			}
		}
	}
	fns := p.fns
	p.fns = nil
	c.Body = p.suite()
	p.fns = fns
	return &flow.Stmt{Op: flow.Class, Pos: pos, Cls: c}
}
