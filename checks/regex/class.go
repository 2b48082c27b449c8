// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

// class reads what follows an opening bracket.
func (p *parser) class() (set, *parseFault) {
	start := p.pos - 1
	negated := p.accept("^")
	var parts []set
	for first := true; ; first = false {
		switch {
		case !p.more():
			return nil, &parseFault{start, "a class of characters that is not closed"}
		case p.peek(0) == ']' && (!first || p.engine == ecma):
			p.pos++
			s := union(parts...)
			if negated {
				s = s.not()
			}
			return s, nil
		}
		s, err := p.classRange()
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
}

// classRange reads a character, an escape or a range such as a-z.
func (p *parser) classRange() (set, *parseFault) {
	if p.engine == pcre && p.peek(0) == '[' && p.peek(1) == ':' {
		if s, found := p.posix(); found {
			return s, nil
		}
	}
	from, wide, err := p.classAtom()
	if err != nil || p.peek(0) != '-' || p.peek(1) == ']' || p.peek(1) == 0 {
		return from, err
	}
	at := p.pos
	p.pos++
	to, wideEnd, err := p.classAtom()
	switch {
	case err != nil:
		return nil, err
	case wide || wideEnd:
		if p.engine != ecma {
			return nil, &parseFault{at, `a range between classes such as \d`}
		}
		return union(from, to, set{'-', '-'}), nil
	case len(from) != 2 || len(to) != 2 || from[0] != from[1] || to[0] != to[1]:
		return everything, nil // a bound that is given by its number
	case from[0] > to[0]:
		return nil, &parseFault{at, "a range of characters that is out of order"}
	}
	return set{from[0], to[0]}, nil
}

// classAtom reads one character or escape. Wide says that it is a class itself.
func (p *parser) classAtom() (s set, wide bool, err *parseFault) {
	c := p.text[p.pos]
	p.pos++
	if c != '\\' {
		return set{c, c}, false, nil
	}
	switch c := p.peek(0); {
	case c == 'b':
		p.pos++
		return set{'\b', '\b'}, false, nil
	case c == 'E' && p.engine == pcre:
		p.pos++
		return nil, false, nil
	case c >= '1' && c <= '9':
		for k := 0; k < 3 && p.peek(0) >= '0' && p.peek(0) <= '9'; k++ {
			p.pos++
		}
		return everything, false, nil
	case c == 'd' || c == 'D' || c == 'w' || c == 'W' || c == 's' || c == 'S' || c == 'p' || c == 'P':
		wide = c != 'p' && c != 'P' || p.peek(1) == '{'
	}
	s, err = p.escapedSet()
	return s, wide, err
}

// posix reads a class such as [:alpha:]. Which one it is is left open.
func (p *parser) posix() (s set, found bool) {
	k := 2
	for p.peek(k) == '^' || p.peek(k) >= 'a' && p.peek(k) <= 'z' {
		k++
	}
	if k == 2 || p.peek(k) != ':' || p.peek(k+1) != ']' {
		return nil, false
	}
	name := string(p.text[p.pos+2 : p.pos+k])
	p.pos += k + 2
	switch name {
	case "digit":
		return digits, true
	case "space":
		return blanks, true
	case "alpha", "upper", "lower", "alnum", "word", "xdigit":
		return words, true
	}
	return set{0, 127}, true
}
