// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

import "fmt"

// A node is a part of an expression.
type node struct {
	op       op
	set      set     // opChar
	subs     []*node // opCat, opAlt; one for opRepeat, opApart
	min, max int     // opRepeat; max < 0 is no limit
	anchor   bool    // opEmpty: an assertion such as ^, which some engines do not repeat
	look     bool    // opApart: lookahead or lookbehind, which takes no text
	behind   bool    // opApart: lookbehind
}

type op int

const (
	opEmpty  op = iota
	opChar      // one character of a set
	opCat       // one after the other
	opAlt       // one of several
	opRepeat    //
	opApart     // matched for itself, without going back into it: lookaround and atomic groups
	opRecall    // what a group matched before, or a recursion: unknown text
)

// A parseFault says where an expression ends to be one. It never quotes it.
type parseFault struct {
	at  int // characters before the place
	why string
}

func (f *parseFault) Error() string { return fmt.Sprintf("%s (at character %d)", f.why, f.at+1) }

// maxDepth bounds the nesting of groups.
const maxDepth = 100

// A parser reads an expression as an engine does.
type parser struct {
	engine   engine
	text     []rune
	pos      int
	depth    int
	extended bool // flag x: white space and comments do not count
	dotAll   bool // flag s: . matches line breaks
	fold     bool // flag i, somewhere
	groups   int  // that have been opened
	total    int  // all groups of the expression
	names    map[string]bool
	recalls  []recall
}

// A recall is a reference to a group, to be looked up in the end.
type recall struct {
	at     int
	name   string
	number int
}

// parse reads a whole expression.
func parse(s string, e engine) (*node, *parseFault) {
	p := &parser{engine: e, text: []rune(s), names: map[string]bool{}}
	p.survey()
	n, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.text) {
		return nil, p.fail("a closing parenthesis without an opening one")
	}
	if err := p.lookUp(); err != nil {
		return nil, err
	}
	if p.fold {
		foldCase(n)
	}
	return n, nil
}

// survey counts groups ahead, because \9 means a group or a character accordingly.
func (p *parser) survey() {
	class := false
	for i := 0; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
			if i+1 < len(p.text) && p.text[i+1] == '^' {
				i++
			}
			if i+1 < len(p.text) && p.text[i+1] == ']' && p.engine != ecma {
				i++
			}
		case c == '(':
			if p.captures(i + 1) {
				p.total++
			}
		}
	}
}

// captures reports whether a group that starts before i is numbered.
func (p *parser) captures(i int) bool {
	at := func(k int) rune {
		if i+k < len(p.text) {
			return p.text[i+k]
		}
		return 0
	}
	switch {
	case at(0) == '*' && p.engine == pcre:
		return false
	case at(0) != '?':
		return true
	case at(1) == '<':
		return at(2) != '=' && at(2) != '!'
	case at(1) == 'P':
		return at(2) == '<'
	}
	return at(1) == '\''
}

func (p *parser) lookUp() *parseFault {
	for _, r := range p.recalls {
		if r.name != "" && !p.names[r.name] || r.number > p.total {
			return &parseFault{r.at, "a reference to a group that does not exist"}
		}
	}
	return nil
}

// fail is not inlined: its copies weigh more than they save.
//
//go:noinline
func (p *parser) fail(why string) *parseFault { return &parseFault{p.pos, why} }

// more is not inlined: its copies weigh more than they save.
//
//go:noinline
func (p *parser) more() bool { return p.pos < len(p.text) }

// peek is the character k after the current one, or 0.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (p *parser) peek(k int) rune {
	if p.pos+k < len(p.text) {
		return p.text[p.pos+k]
	}
	return 0
}

// accept skips a text if it comes next.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (p *parser) accept(s string) bool {
	k := 0
	for _, r := range s {
		if p.peek(k) != r || p.pos+k >= len(p.text) {
			return false
		}
		k++
	}
	p.pos += k
	return true
}

func (p *parser) alternatives() (*node, *parseFault) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail(fmt.Sprintf("groups are nested more than %d deep", maxDepth))
	}
	defer func() { p.depth-- }()
	alt := &node{op: opAlt}
	for {
		sub, err := p.sequence()
		if err != nil {
			return nil, err
		}
		alt.subs = append(alt.subs, sub)
		if !p.accept("|") {
			break
		}
	}
	if len(alt.subs) == 1 {
		return alt.subs[0], nil
	}
	return alt, nil
}

func (p *parser) sequence() (*node, *parseFault) {
	cat := &node{op: opCat}
	for p.skipBlank(); p.more() && p.peek(0) != '|' && p.peek(0) != ')'; p.skipBlank() {
		atom, err := p.atom()
		if err != nil {
			return nil, err
		}
		if atom, err = p.repeated(atom); err != nil {
			return nil, err
		}
		cat.subs = append(cat.subs, atom)
	}
	return cat, nil
}

// skipBlank skips what flag x takes out of the expression.
func (p *parser) skipBlank() {
	for p.extended && p.more() {
		switch p.peek(0) {
		case ' ', '\t', '\n', '\v', '\f', '\r':
			p.pos++
		case '#':
			for p.more() && p.peek(0) != '\n' {
				p.pos++
			}
		default:
			return
		}
	}
}

func (p *parser) atom() (*node, *parseFault) {
	switch c := p.peek(0); c {
	case '(':
		p.pos++
		return p.group()
	case '[':
		p.pos++
		s, err := p.class()
		return &node{op: opChar, set: s}, err
	case '\\':
		p.pos++
		return p.escape()
	case '.':
		p.pos++
		if p.dotAll {
			return &node{op: opChar, set: everything}, nil
		}
		return &node{op: opChar, set: notNewline}, nil
	case '^', '$':
		p.pos++
		return &node{op: opEmpty, anchor: true}, nil
	case '*', '+', '?':
		return nil, p.fail("nothing stands before a repetition")
	case '{':
		if _, _, width := p.bounds(); width > 0 {
			return nil, p.fail("nothing stands before a repetition")
		}
	}
	p.pos++
	return char(p.text[p.pos-1]), nil
}

func char(r rune) *node { return &node{op: opChar, set: set{r, r}} }
