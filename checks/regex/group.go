// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"strings"
	"unicode"
)

// group reads what follows an opening parenthesis.
func (p *parser) group() (*node, *parseFault) {
	switch {
	case p.peek(0) == '*' && p.engine == pcre && unicode.IsUpper(p.peek(1)):
		return &node{op: opEmpty}, p.skipTo(')', "a verb that does not end") // (*COMMIT)
	case !p.accept("?"):
		return p.capture("")
	case p.accept(":"):
		return p.body()
	case p.accept("="), p.accept("!"):
		return p.look(false)
	case p.accept("<="), p.accept("<!"):
		return p.look(true)
	case p.engine != python && p.accept("<"), p.engine != ecma && p.accept("P<"):
		return p.named('>')
	case p.engine == ecma:
		return p.flags()
	case p.accept("#"):
		return &node{op: opEmpty, anchor: true}, p.skipTo(')', "a comment that does not end")
	case p.accept(">"):
		n, err := p.body()
		return &node{op: opApart, subs: []*node{n}}, err
	case p.accept("P="):
		return p.recallName(')')
	case p.accept("("):
		return p.condition()
	case p.engine == pcre:
		return p.groupPCRE()
	}
	return p.flags()
}

// groupPCRE reads what PCRE2 alone has.
func (p *parser) groupPCRE() (*node, *parseFault) {
	switch c := p.peek(0); {
	case c == '\'':
		p.pos++
		return p.named('\'')
	case c == '|':
		p.pos++
		return p.body()
	case c == 'R' || c == '&' || c == '+' || c >= '0' && c <= '9',
		c == 'P' && p.peek(1) == '>', c == '-' && p.peek(1) >= '0' && p.peek(1) <= '9':
		return &node{op: opRecall}, p.skipTo(')', "a recursion that does not end")
	}
	return p.flags()
}

// body reads a group up to its end.
func (p *parser) body() (*node, *parseFault) {
	start, extended, dotAll := p.pos-1, p.extended, p.dotAll
	n, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, &parseFault{start, "a group that is not closed"}
	}
	p.extended, p.dotAll = extended, dotAll
	return n, nil
}

func (p *parser) capture(name string) (*node, *parseFault) {
	p.groups++
	n, err := p.body()
	if name != "" {
		p.names[name] = true
	}
	return n, err
}

func (p *parser) named(end rune) (*node, *parseFault) {
	name, err := p.name(end)
	if err != nil {
		return nil, err
	}
	if p.names[name] && p.engine != ecma {
		return nil, p.fail("a name of a group that is given twice")
	}
	p.names[name] = true
	return p.capture(name)
}

func (p *parser) name(end rune) (string, *parseFault) {
	start := p.pos
	for ; p.more() && p.peek(0) != end; p.pos++ {
		c := p.peek(0)
		letter := c == '_' || unicode.IsLetter(c) || c == '$' && p.engine == ecma
		if !letter && (p.pos == start || !unicode.IsDigit(c)) {
			return "", p.fail("a name of a group must be letters, digits and underscores")
		}
	}
	name := string(p.text[start:p.pos])
	if !p.accept(string(end)) || name == "" {
		return "", &parseFault{start, "a name of a group that is empty or does not end"}
	}
	return name, nil
}

func (p *parser) look(behind bool) (*node, *parseFault) {
	start := p.pos
	n, err := p.body()
	if err != nil {
		return nil, err
	}
	if least, most := width(n); behind && (p.engine == python && least != most || p.engine == pcre && most >= endless) {
		return nil, &parseFault{start, "a lookbehind must match texts of one length"}
	}
	return &node{op: opApart, look: true, behind: behind, subs: []*node{n}}, nil
}

// condition reads (?(1)yes|no).
func (p *parser) condition() (*node, *parseFault) {
	if p.peek(0) == '?' {
		return nil, p.fail("a condition on a lookaround, which is not judged here: leave it out")
	}
	start := p.pos
	if err := p.skipTo(')', "a condition that does not end"); err != nil {
		return nil, err
	}
	n, err := p.body()
	if err == nil && n.op == opAlt && len(n.subs) > 2 {
		return nil, &parseFault{start, "a condition with more than two branches"}
	}
	return &node{op: opAlt, subs: []*node{n, {op: opEmpty}}}, err
}

func (p *parser) skipTo(end rune, why string) *parseFault {
	start := p.pos
	for p.more() {
		if p.pos++; p.text[p.pos-1] == end {
			return nil
		}
	}
	return &parseFault{start, why}
}

// flags reads (?i) and (?i-s:…).
func (p *parser) flags() (*node, *parseFault) {
	known := [...]string{ecma: "ims", python: "aiLmsux", pcre: "imsxnJUaDSWPT"}[p.engine]
	start, extended, dotAll, on := p.pos, p.extended, p.dotAll, true
	for ; p.more(); p.pos++ {
		switch c := p.peek(0); {
		case c == '-' && on:
			on = false
		case c == '^' && p.engine == pcre && p.pos == start:
			p.extended, p.dotAll = false, false
		case c == ':' && p.pos > start:
			p.pos++
			n, err := p.body()
			p.extended, p.dotAll = extended, dotAll
			return n, err
		case c == ')' && p.pos > start && p.engine != ecma:
			if p.pos++; p.engine == python && start > 2 {
				return nil, &parseFault{start, "flags for the whole expression must stand at its beginning"}
			}
			return &node{op: opEmpty, anchor: true}, nil
		case !strings.ContainsRune(known, c):
			return nil, p.fail("a kind of group that the engine does not know")
		default:
			p.setFlag(c, on)
		}
	}
	return nil, &parseFault{start, "a group that is not closed"}
}

func (p *parser) setFlag(c rune, on bool) {
	switch c {
	case 'x':
		p.extended = on
	case 's':
		p.dotAll = on
	case 'i':
		p.fold = p.fold || on
	}
}

// endless stands for a width without limit.
const endless = 1 << 20

// width returns how many characters a node can match at least and at most.
func width(n *node) (least, most int) {
	switch n.op {
	case opChar:
		return 1, 1
	case opRecall:
		return 0, endless
	case opCat:
		for _, sub := range n.subs {
			a, b := width(sub)
			least, most = min(least+a, endless), min(most+b, endless)
		}
	case opAlt:
		least = endless
		for _, sub := range n.subs {
			a, b := width(sub)
			least, most = min(least, a), max(most, b)
		}
	case opRepeat:
		a, b := width(n.subs[0])
		least, most = min(a*n.min, endless), min(b*max(n.max, 0), endless)
		if n.max < 0 && b > 0 {
			most = endless
		}
	case opApart:
		if !n.look {
			return width(n.subs[0])
		}
	}
	return least, most
}
