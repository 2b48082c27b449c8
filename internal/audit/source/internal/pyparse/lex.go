// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pyparse

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

type kind uint8

const (
	eof kind = iota
	newline
	indent
	dedent
	ident
	number
	text // a string literal
	op
)

type token struct {
	kind  kind
	s     string // of a text: its value, as far as it is one
	line  int
	col   int
	parts []part // of an f-string
	bytes bool
}

// A part of an f-string is a literal, or an expression that stands in src[from:to].
type part struct {
	lit       string
	expr      bool
	from, to  int
	line, col int
	spec      []part
}

type lexer struct {
	src       string
	at        int
	line      int
	lineStart int
	indents   []int
	depth     int // of brackets
	toks      []token
	fresh     bool // at the beginning of a line
	most      int  // tokens
	errors    []error
}

type syntaxError struct {
	line int
	what string
}

func (e syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

func (l *lexer) fail(what string) { panic(syntaxError{l.line, what}) }

// operators, longest first.
var operators = []string{
	"**=", "//=", ">>=", "<<=", "...",
	"**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=", "<>",
	"+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "=", "!",
}

func (l *lexer) add(k kind, s string, from int) {
	if len(l.toks) >= l.most {
		l.fail("too many tokens")
	}
	l.toks = append(l.toks, token{kind: k, s: s, line: l.line, col: from - l.lineStart + 1})
}

// run cuts the source into tokens. A character outside of the language is passed over.
func (l *lexer) run() {
	l.indents = []int{0}
	l.fresh = true
	for l.at < len(l.src) {
		if l.fresh && l.depth == 0 {
			if l.indentation() {
				continue
			}
		}
		l.next()
	}
	if n := len(l.toks); n > 0 && l.toks[n-1].kind != newline {
		l.add(newline, "", l.at)
	}
	for len(l.indents) > 1 {
		l.indents = l.indents[:len(l.indents)-1]
		l.add(dedent, "", l.at)
	}
	l.add(eof, "", l.at)
}

// indentation reads the blanks at the beginning of a line. It reports that the line is empty.
func (l *lexer) indentation() bool {
	width, i := 0, l.at
	for ; i < len(l.src); i++ {
		switch l.src[i] {
		case ' ':
			width++
			continue
		case '\t':
			width += 8 - width%8
			continue
		case '\f':
			width = 0
			continue
		}
		break
	}
	if i >= len(l.src) {
		l.at = i
		return true
	}
	switch l.src[i] {
	case '#':
		for i < len(l.src) && l.src[i] != '\n' {
			i++
		}
		l.at = i
		l.feed()
		return true
	case '\n', '\r':
		l.at = i
		l.feed()
		return true
	}
	l.at = i
	l.fresh = false
	l.level(width)
	return false
}

func (l *lexer) level(width int) {
	top := l.indents[len(l.indents)-1]
	if width > top {
		if len(l.indents) >= 100 {
			l.fail("too deeply indented")
		}
		l.indents = append(l.indents, width)
		l.add(indent, "", l.at)
		return
	}
	for width < l.indents[len(l.indents)-1] {
		l.indents = l.indents[:len(l.indents)-1]
		l.add(dedent, "", l.at)
	}
}

// feed passes the end of a line.
func (l *lexer) feed() {
	if l.at < len(l.src) && l.src[l.at] == '\r' {
		l.at++
		if l.at < len(l.src) && l.src[l.at] != '\n' {
			l.line++
			l.lineStart = l.at
			return
		}
	}
	if l.at < len(l.src) && l.src[l.at] == '\n' {
		l.at++
	}
	l.line++
	l.lineStart = l.at
}

func (l *lexer) next() {
	c := l.src[l.at]
	switch {
	case c == ' ' || c == '\t' || c == '\f':
		l.at++
	case c == '#':
		for l.at < len(l.src) && l.src[l.at] != '\n' && l.src[l.at] != '\r' {
			l.at++
		}
	case c == '\n' || c == '\r':
		if l.depth == 0 {
			l.add(newline, "", l.at)
			l.fresh = true
		}
		l.feed()
	case c == '\\' && l.at+1 < len(l.src) && (l.src[l.at+1] == '\n' || l.src[l.at+1] == '\r'):
		l.at++
		l.feed()
	case c == '"' || c == '\'':
		l.text("", l.at)
	case c >= '0' && c <= '9' || c == '.' && l.at+1 < len(l.src) && l.src[l.at+1] >= '0' && l.src[l.at+1] <= '9':
		l.number()
	case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf:
		l.word()
	default:
		l.operator()
	}
}

func (l *lexer) number() {
	from := l.at
	for l.at < len(l.src) {
		c := l.src[l.at]
		if c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			l.at++
			continue
		}
		hex := l.at-from > 1 && (l.src[from+1]|32) == 'x'
		if (c == '+' || c == '-') && (l.src[l.at-1]|32) == 'e' && !hex {
			l.at++
			continue
		}
		break
	}
	l.add(number, l.src[from:l.at], from)
}

func (l *lexer) word() {
	from := l.at
	for l.at < len(l.src) {
		c := l.src[l.at]
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf {
			l.at++
			continue
		}
		break
	}
	s := l.src[from:l.at]
	if l.at < len(l.src) && (l.src[l.at] == '"' || l.src[l.at] == '\'') && len(s) <= 2 && strings.Trim(strings.ToLower(s), "rbuft") == "" {
		l.text(strings.ToLower(s), from)
		return
	}
	l.add(ident, s, from)
}

func (l *lexer) operator() {
	for _, o := range operators {
		if strings.HasPrefix(l.src[l.at:], o) {
			l.add(op, o, l.at)
			l.at += len(o)
			switch o {
			case "(", "[", "{":
				l.depth++
			case ")", "]", "}":
				l.depth = max(0, l.depth-1)
			}
			return
		}
	}
	l.at++ // no character of the language
}

// text reads a string literal, with its quote at l.at.
func (l *lexer) text(prefix string, from int) {
	t := token{kind: text, line: l.line, col: from - l.lineStart + 1, bytes: strings.Contains(prefix, "b")}
	parts := l.recovering(prefix)
	if strings.ContainsAny(prefix, "ft") {
		t.parts = parts
		if t.parts == nil {
			t.parts = []part{}
		}
	} else if len(parts) > 0 {
		t.s = parts[0].lit
	}
	if len(l.toks) >= l.most {
		l.fail("too many tokens")
	}
	l.toks = append(l.toks, t)
}

// recovering reads a literal. If it does not end, its line is passed over.
func (l *lexer) recovering(prefix string) (parts []part) {
	at, line, start := l.at, l.line, l.lineStart
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		e, ok := r.(syntaxError)
		if !ok || len(l.errors) >= maxErrors {
			panic(r)
		}
		l.errors = append(l.errors, e)
		l.at, l.line, l.lineStart = at, line, start
		for l.at < len(l.src) && l.src[l.at] != '\n' && l.src[l.at] != '\r' {
			l.at++
		}
		parts = nil
	}()
	return l.quoted(prefix, 0)
}

// quoted reads a literal from its opening quote to the one that closes it.
func (l *lexer) quoted(prefix string, nesting int) []part {
	if nesting > 8 {
		l.fail("strings are nested too deeply")
	}
	q := l.src[l.at : l.at+1]
	if strings.HasPrefix(l.src[l.at:], strings.Repeat(q, 3)) {
		q = l.src[l.at : l.at+3]
	}
	l.at += len(q)
	format, raw := strings.ContainsAny(prefix, "ft"), strings.Contains(prefix, "r")
	var parts []part
	var b strings.Builder
	for {
		if l.at >= len(l.src) {
			l.fail("a string is not closed")
		}
		c := l.src[l.at]
		switch {
		case strings.HasPrefix(l.src[l.at:], q):
			l.at += len(q)
			if b.Len() > 0 || !format {
				parts = append(parts, part{lit: b.String()})
			}
			return parts
		case c == '\\':
			l.escape(&b, raw)
		case c == '\n' || c == '\r':
			if len(q) == 1 {
				l.fail("a string is not closed")
			}
			b.WriteByte('\n')
			l.feed()
		case format && (strings.HasPrefix(l.src[l.at:], "{{") || strings.HasPrefix(l.src[l.at:], "}}")):
			b.WriteByte(c)
			l.at += 2
		case format && c == '{':
			if b.Len() > 0 {
				parts = append(parts, part{lit: b.String()})
				b.Reset()
			}
			parts = append(parts, l.hole(q, nesting))
		default:
			b.WriteByte(c)
			l.at++
		}
	}
}

var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '0': 0, '\\': '\\', '\'': '\'', '"': '"', 'a': 7, 'b': 8, 'f': 12, 'v': 11}

func (l *lexer) escape(b *strings.Builder, raw bool) {
	if l.at+1 >= len(l.src) {
		l.fail("a string is not closed")
	}
	c := l.src[l.at+1]
	switch {
	case c == '\n' || c == '\r':
		if raw {
			b.WriteString("\\\n")
		}
		l.at++
		l.feed()
		return
	case raw:
		b.WriteByte('\\')
		b.WriteByte(c)
	default:
		if e, ok := escapes[c]; ok {
			b.WriteByte(e)
		} else {
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	l.at += 2
}

// hole reads "{expression!r:spec}" of an f-string.
func (l *lexer) hole(q string, nesting int) part {
	l.at++
	p := part{expr: true, from: l.at, line: l.line, col: l.at - l.lineStart + 1}
	depth := 0
	for {
		if l.at >= len(l.src) {
			l.fail("an f-string is not closed")
		}
		c := l.src[l.at]
		switch {
		case c == '\'' || c == '"':
			l.quoted(l.prefixBefore(), nesting+1)
			continue
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}' && depth > 0:
			depth--
		case c == '}':
			p.to = l.at
			l.at++
			return p
		case c == '!' && depth == 0 && !strings.HasPrefix(l.src[l.at:], "!="):
			p.to = l.at
			return l.conversion(p, q, nesting)
		case c == ':' && depth == 0:
			p.to = l.at
			l.at++
			p.spec = l.spec(q, nesting)
			return p
		case c == '\n' || c == '\r':
			l.feed()
			continue
		case c == '#':
			for l.at < len(l.src) && l.src[l.at] != '\n' && len(q) == 3 {
				l.at++
			}
			if len(q) == 3 {
				continue
			}
		}
		l.at++
	}
}

// prefixBefore is the prefix of the string within an f-string that begins at l.at.
func (l *lexer) prefixBefore() string {
	i := l.at
	for i > 0 && l.at-i < 2 && strings.IndexByte("rRbBuUfFtT", l.src[i-1]) >= 0 {
		i--
	}
	if i > 0 {
		c := l.src[i-1]
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return ""
		}
	}
	return strings.ToLower(l.src[i:l.at])
}

func (l *lexer) conversion(p part, q string, nesting int) part {
	for l.at < len(l.src) && l.src[l.at] != '}' && l.src[l.at] != ':' && l.src[l.at] != '\n' {
		l.at++
	}
	if l.at >= len(l.src) || l.src[l.at] == '\n' {
		l.fail("an f-string is not closed")
	}
	if l.src[l.at] == ':' {
		l.at++
		p.spec = l.spec(q, nesting)
		return p
	}
	l.at++
	return p
}

// spec reads a format, up to the brace that closes the hole.
func (l *lexer) spec(q string, nesting int) []part {
	if nesting > 8 {
		l.fail("strings are nested too deeply")
	}
	var out []part
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == '}':
			l.at++
			return out
		case c == '{':
			out = append(out, l.hole(q, nesting+1))
		case strings.HasPrefix(l.src[l.at:], q):
			l.fail("an f-string is not closed")
		case c == '\n' || c == '\r':
			l.feed()
		default:
			l.at++
		}
	}
	l.fail("an f-string is not closed")
	return nil
}
