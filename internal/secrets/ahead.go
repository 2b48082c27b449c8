// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"math/bits"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// A tail is the rest of an expression behind one of its words. Most words that stand in a text
// are not followed by it ("the key is under the mat"), and a tail tells so without a regular
// expression: it follows all ways through the expression at once, with the offsets that are
// reached as the bits of one integer. It never loses a match. It assumes a match beyond reach
// bytes and at bytes outside ASCII.
type tail struct {
	op       tailOp
	ascii    [2]uint64 // tailClass: the characters, as bits; tailChoice: what it can begin with
	empty    bool      // tailChoice: it matches the empty text
	min, max int       // tailRepeat; max is -1 for no bound
	parts    []tail
}

type tailOp uint8

const (
	tailPass     tailOp = iota // matches the empty text
	tailFail                   // matches nothing in ASCII
	tailClass                  // one character of a set
	tailSequence               // its parts, one behind the other
	tailChoice                 // one of its parts
	tailRepeat                 // its one part, min to max times
	tailEnd                    // the end of the text
	tailEdge                   // \b
	tailNoEdge                 // \B
)

// reach is how far a tail can follow, in bytes.
const reach = 63

func newTail(nodes []*syntax.Regexp) tail {
	t := tail{op: tailSequence}
	for _, n := range nodes {
		t.parts = append(t.parts, tailOf(n))
	}
	return t
}

func tailOf(n *syntax.Regexp) tail {
	switch n.Op {
	case syntax.OpNoMatch:
		return tail{op: tailFail}
	case syntax.OpLiteral:
		return literalTail(n)
	case syntax.OpCharClass:
		t := tail{op: tailClass}
		for i := 0; i < len(n.Rune); i += 2 {
			t.allow(n.Rune[i], n.Rune[i+1])
		}
		return t
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		t := tail{op: tailClass}
		t.allow(0, unicode.MaxASCII)
		if n.Op == syntax.OpAnyCharNotNL {
			t.ascii[0] &^= 1 << '\n'
		}
		return t
	case syntax.OpCapture:
		return tailOf(n.Sub[0])
	case syntax.OpConcat:
		return newTail(n.Sub)
	case syntax.OpAlternate:
		t := newTail(n.Sub)
		t.op = tailChoice
		t.ascii, t.empty = t.first()
		return t
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeatTail(n)
	case syntax.OpEndText:
		return tail{op: tailEnd}
	case syntax.OpWordBoundary:
		return tail{op: tailEdge}
	case syntax.OpNoWordBoundary:
		return tail{op: tailNoEdge}
	}
	return tail{op: tailPass}
}

func literalTail(n *syntax.Regexp) tail {
	t := tail{op: tailSequence}
	for _, r := range n.Rune {
		c := tail{op: tailClass}
		c.allow(r, r)
		if n.Flags&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				c.allow(f, f)
			}
		}
		t.parts = append(t.parts, c)
	}
	return t
}

func repeatTail(n *syntax.Regexp) tail {
	t := tail{op: tailRepeat, max: -1, parts: []tail{tailOf(n.Sub[0])}}
	switch n.Op {
	case syntax.OpPlus:
		t.min = 1
	case syntax.OpQuest:
		t.max = 1
	case syntax.OpRepeat:
		t.min, t.max = n.Min, n.Max
	}
	return t
}

func (t *tail) allow(first, last rune) {
	for r := first; r <= min(last, unicode.MaxASCII); r++ {
		t.ascii[r>>6] |= 1 << (r & 63)
	}
}

// first returns the ASCII characters that a match of t can begin with, and whether it can
// be empty.
func (t *tail) first() (set [2]uint64, empty bool) {
	switch t.op {
	case tailFail:
		return set, false
	case tailClass:
		return t.ascii, false
	case tailSequence:
		for i := range t.parts {
			more, empty := t.parts[i].first()
			set[0], set[1] = set[0]|more[0], set[1]|more[1]
			if !empty {
				return set, false
			}
		}
		return set, true
	case tailChoice:
		for i := range t.parts {
			more, e := t.parts[i].first()
			set[0], set[1], empty = set[0]|more[0], set[1]|more[1], empty || e
		}
		return set, empty
	case tailRepeat:
		set, empty = t.parts[0].first()
		return set, empty || t.min == 0
	}
	return set, true
}

// A follower runs a tail over the text from base on. Offsets count from base.
type follower struct {
	text string
	base int
	end  int  // the offset of the end of the text, which may be out of reach
	lost bool // something is reached of which nothing is known
}

// follow returns how far behind base a match of t can end: possible is false if there is no
// match at all, and known is false if the end is out of sight.
func (t *tail) follow(text string, base int) (end int, possible, known bool) {
	f := follower{text: text, base: base, end: len(text) - base}
	ends := f.run(t, 1)
	if f.lost {
		return 0, true, false
	}
	return bits.Len64(ends) - 1, ends != 0, true
}

// run returns the possible ends of t, given its possible begins.
func (f *follower) run(t *tail, at uint64) uint64 {
	if at == 0 || f.lost {
		return 0
	}
	switch t.op {
	case tailPass:
		return at
	case tailClass:
		return f.step(t, at)
	case tailSequence:
		for i := range t.parts {
			if at = f.run(&t.parts[i], at); at == 0 {
				return 0
			}
		}
		return at
	case tailChoice:
		if !t.empty { // most offsets are out of the question, and the parts may be many
			at = f.within(t, at)
		}
		var ends uint64
		for i := range t.parts {
			ends |= f.run(&t.parts[i], at)
		}
		return ends
	case tailRepeat:
		return f.repeat(t, at)
	case tailEnd:
		if f.end > reach {
			return 0
		}
		return at & (1 << f.end)
	case tailEdge:
		return at & f.edges(at)
	case tailNoEdge:
		return at &^ f.edges(at)
	}
	return 0
}

// step moves over one character.
func (f *follower) step(t *tail, at uint64) uint64 { return f.within(t, at) << 1 }

// within returns those of the offsets at which a character of the set of t stands.
func (f *follower) within(t *tail, at uint64) uint64 {
	var kept uint64
	rest := f.text[f.base:]
	for ; at != 0; at &= at - 1 {
		i := bits.TrailingZeros64(at)
		if i >= len(rest) {
			break
		}
		c := rest[i]
		if c >= utf8.RuneSelf || i == reach {
			f.lost = true
			return 0
		}
		kept |= (t.ascii[c>>6] >> (c & 63) & 1) << i
	}
	return kept
}

// span is repeat for a class and one offset: the characters are a run.
func (f *follower) span(t *tail, at uint64) uint64 {
	set := t.parts[0].ascii
	begin := bits.TrailingZeros64(at)
	rest := f.text[f.base:]
	i := begin
	for ; i < len(rest) && (t.max < 0 || i-begin < t.max); i++ {
		c := rest[i]
		if c >= utf8.RuneSelf || i == reach {
			f.lost = true
			return 0
		}
		if set[c>>6]>>(c&63)&1 == 0 {
			break
		}
	}
	if i-begin < t.min {
		return 0
	}
	return (2<<i - 1) &^ (1<<(begin+t.min) - 1)
}

// repeat moves over the part of t, min to max times. An offset that was reached with fewer
// rounds needs not be looked at again.
func (f *follower) repeat(t *tail, at uint64) uint64 {
	if t.parts[0].op == tailClass && at&(at-1) == 0 {
		return f.span(t, at)
	}
	for range t.min {
		if at = f.run(&t.parts[0], at); at == 0 {
			return 0
		}
	}
	ends := at
	for n := t.min; at != 0 && (t.max < 0 || n < t.max); n++ {
		at = f.run(&t.parts[0], at) &^ ends
		ends |= at
	}
	return ends
}

// edges returns the offsets on the edge of a word.
func (f *follower) edges(at uint64) uint64 {
	var edges uint64
	for rest := at; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		if f.inWord(i-1) != f.inWord(i) {
			edges |= 1 << i
		}
	}
	return edges
}

func (f *follower) inWord(i int) bool {
	i += f.base
	return i >= 0 && i < len(f.text) && isWord(f.text[i])
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
