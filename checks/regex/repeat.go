// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

// maxCount bounds the numbers in {n,m}. PCRE2 takes none that are larger.
const maxCount = 65535

// repeated reads the repetition behind an atom, if there is one.
func (p *parser) repeated(atom *node) (*node, *parseFault) {
	p.skipBlank()
	start := p.pos
	least, most, width := p.quantifier()
	if width == 0 {
		return atom, nil
	}
	if why := p.unrepeatable(atom); why != "" {
		return nil, p.fail(why)
	}
	if most >= 0 && least > most {
		return nil, p.fail("a repetition with its bounds out of order")
	}
	if least > maxCount || most > maxCount {
		return nil, p.fail("a repetition with a number over 65535")
	}
	p.pos += width
	n := &node{op: opRepeat, subs: []*node{atom}, min: least, max: most}
	switch {
	case p.accept("?"): // lazy: it tries the same in another order
	case p.engine != ecma && p.accept("+"):
		n = &node{op: opApart, subs: []*node{n}}
	}
	p.skipBlank()
	if _, _, width := p.quantifier(); width > 0 {
		return nil, &parseFault{start, "a repetition of a repetition: put the first into a group"}
	}
	return n, nil
}

// unrepeatable says why an engine does not repeat an atom, or "".
func (p *parser) unrepeatable(atom *node) string {
	switch {
	case p.engine != pcre && atom.op == opEmpty && atom.anchor:
		return "an assertion such as ^ cannot be repeated"
	case p.engine == ecma && atom.behind:
		return "a lookbehind cannot be repeated"
	}
	return ""
}

// quantifier returns the repetition that comes next, and how many characters it has.
func (p *parser) quantifier() (least, most, width int) {
	switch p.peek(0) {
	case '*':
		return 0, -1, 1
	case '+':
		return 1, -1, 1
	case '?':
		return 0, 1, 1
	case '{':
		return p.bounds()
	}
	return 0, 0, 0
}

// bounds reads {n}, {n,} and {n,m}, and {,m} where the engine knows it. Other text stands for
// itself.
func (p *parser) bounds() (least, most, width int) {
	k := 1
	number := func() (n int, found bool) {
		for ; p.peek(k) >= '0' && p.peek(k) <= '9'; k++ {
			n, found = min(n*10+int(p.peek(k)-'0'), maxCount+1), true
		}
		return n, found
	}
	least, first := number()
	most, second := least, first
	if p.peek(k) == ',' {
		k++
		if most, second = number(); !second {
			most = -1
		}
	}
	open := !first && (!second || p.engine == ecma)
	if p.peek(k) != '}' || open {
		return 0, 0, 0
	}
	return least, most, k + 1
}
