// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"strings"
	"unicode"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// escape reads what follows a backslash, outside of a class.
func (p *parser) escape() (*node, *parseFault) {
	if !p.more() {
		return nil, p.fail("a backslash at the end")
	}
	c := p.text[p.pos]
	switch {
	case c >= '1' && c <= '9':
		return p.number()
	case c == 'b' || c == 'B', p.engine != ecma && (c == 'A' || c == 'Z'), p.engine == pcre && (c == 'z' || c == 'G'):
		p.pos++
		return &node{op: opEmpty, anchor: true}, nil
	case c == 'k' && (p.engine == pcre || p.engine == ecma && p.hasNames()):
		p.pos++
		return p.recallQuoted()
	case p.engine == pcre && strings.ContainsRune("gQEKX", c):
		return p.escapePCRE()
	}
	s, err := p.escapedSet()
	return &node{op: opChar, set: s}, err
}

// hasNames: only then does JavaScript take \k for a reference.
func (p *parser) hasNames() bool { return namedGroup.MatchString(string(p.text)) }

var namedGroup = lazyregexp.New(`\(\?<[^=!]`)

// number reads a reference such as \1, or an octal character.
func (p *parser) number() (*node, *parseFault) {
	start, n := p.pos, 0
	for ; p.peek(0) >= '0' && p.peek(0) <= '9' && n <= maxCount; p.pos++ {
		n = n*10 + int(p.peek(0)-'0')
	}
	octal := p.text[start] < '8'
	switch {
	case p.engine == ecma && n > p.total, p.engine == pcre && n > 9 && n > p.total && octal:
		return &node{op: opChar, set: everything}, nil // a character by its number
	case p.engine == python && p.pos-start >= 3 && octal:
		return &node{op: opChar, set: everything}, nil
	case p.engine == python && n > p.groups:
		return nil, &parseFault{start, "a reference to a group that does not exist"}
	}
	p.recalls = append(p.recalls, recall{at: start, number: n})
	return &node{op: opRecall}, nil
}

// recallQuoted reads the name in \k<name>, and in PCRE's \k'name' and \k{name}.
func (p *parser) recallQuoted() (*node, *parseFault) {
	switch {
	case p.accept("<"):
		return p.recallName('>')
	case p.engine == pcre && p.accept("'"):
		return p.recallName('\'')
	case p.engine == pcre && p.accept("{"):
		return p.recallName('}')
	}
	return nil, p.fail(`\k must be followed by the name of a group`)
}

func (p *parser) recallName(end rune) (*node, *parseFault) {
	start := p.pos
	name, err := p.name(end)
	if err != nil {
		return nil, err
	}
	if p.engine == python && !p.names[name] {
		return nil, &parseFault{start, "a reference to a group that does not exist"}
	}
	p.recalls = append(p.recalls, recall{at: start, name: name})
	return &node{op: opRecall}, nil
}

// escapePCRE reads the escapes of PCRE2 that are not one character.
func (p *parser) escapePCRE() (*node, *parseFault) {
	c := p.text[p.pos]
	p.pos++
	switch c {
	case 'g': // \g1, \g{-1}, \g{name}, \g<name>: a reference or a call
		if strings.ContainsRune("{<'", p.peek(0)) && p.more() {
			end := map[rune]rune{'{': '}', '<': '>', '\'': '\''}[p.peek(0)]
			p.pos++
			return &node{op: opRecall}, p.skipTo(end, "a reference that does not end")
		}
		for p.pos++; unicode.IsDigit(p.peek(0)); p.pos++ {
		}
		return &node{op: opRecall}, nil
	case 'Q':
		cat := &node{op: opCat}
		for p.more() && !p.accept(`\E`) {
			cat.subs = append(cat.subs, char(p.text[p.pos]))
			p.pos++
		}
		return cat, nil
	case 'X':
		return &node{op: opRecall}, nil
	}
	return &node{op: opEmpty}, nil // \E and \K
}

// escapedSet reads an escape that stands for one character of a set, in a class or not.
func (p *parser) escapedSet() (set, *parseFault) {
	if !p.more() {
		return nil, p.fail("a backslash at the end")
	}
	c := p.text[p.pos]
	p.pos++
	switch c {
	case 'd':
		return digits, nil
	case 'D':
		return digits.not(), nil
	case 'w':
		return words, nil
	case 'W':
		return words.not(), nil
	case 's':
		return blanks, nil
	case 'S':
		return blanks.not(), nil
	case 'p', 'P':
		return p.property(c == 'P')
	case 'x', 'u', 'U', 'c', 'o', 'N', '0':
		return p.coded(c)
	}
	if i := strings.IndexRune("nrtfvae", c); i >= 0 && (c != 'e' || p.engine == pcre) && (c != 'a' || p.engine != ecma) {
		r := rune("\n\r\t\f\v\a\x1b"[i])
		return set{r, r}, nil
	}
	if p.engine == pcre && strings.ContainsRune("hHVRC", c) {
		return everything, nil
	}
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	if letter && p.engine != ecma {
		p.pos--
		return nil, p.fail("an escape that " + p.engine.title() + " does not know")
	}
	return set{c, c}, nil
}

// property reads the name behind \p.
func (p *parser) property(negated bool) (set, *parseFault) {
	if p.engine == python {
		return nil, p.fail("an escape that " + p.engine.title() + " does not know")
	}
	if p.peek(0) != '{' {
		if p.engine == ecma || !unicode.IsLetter(p.peek(0)) {
			return everything, nil // without flag u: the letter itself
		}
		p.pos++
		return property(string(p.text[p.pos-1])), nil
	}
	start := p.pos + 1
	if err := p.skipTo('}', "a property that does not end"); err != nil {
		return nil, err
	}
	name := string(p.text[start : p.pos-1])
	if _, value, found := strings.Cut(name, "="); found {
		name = value
	}
	s := property(strings.TrimPrefix(name, "^"))
	if negated != strings.HasPrefix(name, "^") && len(s) > 2 {
		return s.not(), nil
	}
	return s, nil
}

// coded reads a character that is given by its number or name. Which one it is does not
// matter enough to know: it may be any.
func (p *parser) coded(kind rune) (set, *parseFault) {
	switch {
	case (kind == 'o' || kind == 'x') && p.engine == pcre && p.peek(0) == '{',
		kind == 'u' && p.engine == ecma && p.peek(0) == '{', kind == 'N' && p.engine == python && p.peek(0) == '{':
		return everything, p.skipTo('}', "a character's number that does not end")
	case kind == 'N' && p.engine == pcre:
		return notNewline, nil
	case kind == 'c' && p.engine != python && p.peek(0) < unicode.MaxASCII && unicode.IsPrint(p.peek(0)):
		p.pos++
		return everything, nil
	case kind == '0':
		for k := 0; k < 2 && p.peek(0) >= '0' && p.peek(0) <= '7'; k++ {
			p.pos++
		}
		return everything, nil
	}
	want := map[rune]int{'x': 2, 'u': 4, 'U': 8}[kind]
	got := 0
	for ; got < want && p.peek(got) < unicode.MaxASCII && unicode.Is(unicode.ASCII_Hex_Digit, p.peek(got)); got++ {
	}
	known := kind == 'x' || kind == 'u' && p.engine != pcre || kind == 'U' && p.engine == python
	switch {
	case p.engine == ecma && (!known || got < want):
		return set{kind, kind}, nil // the letter itself
	case !known, p.engine == python && got < want:
		return nil, p.fail("an escape that " + p.engine.title() + " does not know")
	}
	p.pos += got
	return everything, nil
}
