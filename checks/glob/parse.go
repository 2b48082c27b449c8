// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package glob

import (
	"strconv"
	"strings"
)

// A sequence is a pattern, cut where braces stand: literal text and groups in turn.
type sequence struct{ parts []part }

// A part is text as it stands, or the alternatives of a pair of braces.
type part struct {
	text   string
	choice []*sequence
	times  int // of a range such as {1..9}: how many there are; 0 for none
}

// maxNesting bounds braces within braces.
const maxNesting = 20

// A parser reads a pattern.
type parser struct {
	text  string
	pos   int
	depth int
	why   string // the fault, or ""
}

// parse reads a pattern in the syntax that shells and libraries share: * ? [class] {a,b}
// and a backslash before what stands for itself.
func parse(s string) (tree *sequence, why string) {
	p := &parser{text: s}
	tree = p.sequence(false)
	return tree, p.why
}

func (p *parser) fail(why string) {
	if p.why == "" {
		p.why = why
	}
	p.pos = len(p.text)
}

// sequence reads up to the end, or within braces to a comma or the closing brace.
func (p *parser) sequence(inside bool) *sequence {
	s := &sequence{}
	start := p.pos
	flush := func() {
		if p.pos > start {
			s.parts = append(s.parts, part{text: p.text[start:p.pos]})
		}
	}
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '\\':
			if p.pos++; p.pos == len(p.text) {
				p.fail("a backslash at the end")
				return s
			}
			p.pos++
		case c == '[':
			p.class()
		case inside && (c == ',' || c == '}'):
			flush()
			return s
		case c == '{':
			flush()
			s.parts = append(s.parts, p.group())
			start = p.pos
		default:
			p.pos++
		}
	}
	flush()
	return s
}

// group reads a pair of braces.
func (p *parser) group() part {
	if p.depth++; p.depth > maxNesting {
		p.fail("braces are nested more than " + strconv.Itoa(maxNesting) + " deep")
	}
	defer func() { p.depth-- }()
	g := part{}
	start := p.pos + 1
	for {
		p.pos++ // the brace or a comma
		if p.pos >= len(p.text) {
			p.fail("a brace that is not closed")
			return g
		}
		g.choice = append(g.choice, p.sequence(true))
		if p.pos >= len(p.text) {
			p.fail("a brace that is not closed")
			return g
		}
		if p.text[p.pos] == '}' {
			p.pos++
			break
		}
	}
	if len(g.choice) == 1 {
		g.span(p.text[start : p.pos-1])
	}
	return g
}

// span reads {1..9} and {a..z}, with or without a step.
func (g *part) span(text string) {
	ends := strings.Split(text, "..")
	if len(ends) < 2 || len(ends) > 3 {
		return
	}
	from, errFrom := strconv.Atoi(ends[0])
	to, errTo := strconv.Atoi(ends[1])
	switch {
	case errFrom == nil && errTo == nil:
		g.times = min(distance(from, to)+1, maxExpansions+1)
	case len(ends[0]) == 1 && len(ends[1]) == 1:
		g.times = distance(int(ends[0][0]), int(ends[1][0])) + 1
	default:
		return
	}
	g.times = max(g.times, 2) // both ends are spelled
	g.choice = []*sequence{{parts: []part{{text: ends[0]}}}, {parts: []part{{text: ends[1]}}}}
}

// distance between two numbers, at most maxExpansions.
func distance(a, b int) int {
	a, b = min(a, b), max(a, b)
	if a < b-maxExpansions || b-maxExpansions > b { // the latter if it overflows
		return maxExpansions
	}
	return b - a
}

// class reads a class of characters.
func (p *parser) class() {
	i := p.pos + 1
	if i < len(p.text) && (p.text[i] == '!' || p.text[i] == '^') {
		i++
	}
	for first := true; i < len(p.text); first = false {
		switch {
		case p.text[i] == ']' && !first:
			p.pos = i + 1
			return
		case p.text[i] == '/':
			p.fail("a class of characters with a separator")
			return
		case p.text[i] == '\\':
			i++
		case strings.HasPrefix(p.text[i:], "[:"):
			if end := strings.Index(p.text[i:], ":]"); end > 0 {
				i += end + 1
			}
		case !first && i+2 < len(p.text) && p.text[i] == '-' && p.text[i+1] != ']' && p.text[i+1] != '\\':
			if before := p.text[i-1]; before < 0x80 && p.text[i+1] < 0x80 && before > p.text[i+1] {
				p.fail("a range of characters that is out of order")
				return
			}
		}
		i++
	}
	p.fail("a class of characters that is not closed")
}

// braces reports whether there are any that stand for something else.
func braces(s *sequence) bool {
	for _, p := range s.parts {
		if p.choice != nil {
			return true
		}
	}
	return false
}

// count is how many patterns the braces stand for, at most maxExpansions+1.
func (s *sequence) count() int {
	n := 1
	for _, p := range s.parts {
		if p.choice == nil {
			continue
		}
		choices := p.times
		if choices == 0 {
			for _, c := range p.choice {
				choices = min(choices+c.count(), maxExpansions+1)
			}
		}
		n = min(n*choices, maxExpansions+1)
	}
	return n
}

// spell writes out the braces, of a range its two ends alone. There are at most as many
// spellings as count says.
func (s *sequence) spell() []string {
	ways := []string{""}
	var tail []byte // of parts that are spelt in one way, so that no way is written anew for each
	for _, p := range s.parts {
		if p.choice == nil {
			tail = append(tail, p.text...)
			continue
		}
		var endings []string
		for _, c := range p.choice {
			endings = append(endings, c.spell()...)
		}
		if len(endings) == 1 {
			tail = append(tail, endings[0]...)
			continue
		}
		ways, tail = join(ways, string(tail), endings), tail[:0]
	}
	return join(ways, string(tail), []string{""})
}

// join writes each ending after each beginning.
func join(beginnings []string, between string, endings []string) []string {
	list := make([]string, 0, len(beginnings)*len(endings))
	for _, b := range beginnings {
		for _, e := range endings {
			list = append(list, b+between+e)
		}
	}
	return list
}
