// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"math"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
	"unique"
)

// An extent bounds what a part of an expression can take of a text, from one end on: a number of
// bytes, or bytes of a set, or the sum or the maximum of several parts.
type extent struct {
	op    extentOp
	bytes int        // extentBytes
	set   *[256]bool // extentRun; nil for all
	most  int        // extentRun: bytes of it that are looked at
	line  bool       // extentRun: it ends with its line
	id    byteSet    // extentRun: the set, as the key of scan.runs
	times int        // extentTimes
	parts []extent
}

// A byteSet is a set of bytes: two that hold the same bytes are equal.
type byteSet = unique.Handle[[256]bool]

type extentOp uint8

const (
	extentBytes extentOp = iota
	extentRun
	extentSequence
	extentChoice
	extentTimes // its one part, so many times
)

// tooLong bounds what is said of an expression with an absurd bound.
const tooLong = math.MaxInt32

// ofAll returns the extent of nodes one behind the other.
func ofAll(nodes []*syntax.Regexp) extent {
	e := extent{op: extentSequence}
	for _, n := range nodes {
		e.parts = append(e.parts, extentOf(n))
	}
	if bytes, ok := e.bounded(); ok {
		return extent{bytes: bytes}
	}
	return e
}

func extentOf(n *syntax.Regexp) extent {
	switch n.Op {
	case syntax.OpLiteral:
		return extent{bytes: literalBytes(n)}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return extent{bytes: classBytes(n)}
	case syntax.OpCapture, syntax.OpQuest:
		return extentOf(n.Sub[0])
	case syntax.OpConcat:
		return ofAll(n.Sub)
	case syntax.OpAlternate:
		e := ofAll(n.Sub)
		if e.op == extentSequence {
			e.op = extentChoice
			return e
		}
		e = extent{}
		for _, s := range n.Sub {
			e.bytes = max(e.bytes, extentOf(s).bytes)
		}
		return e
	case syntax.OpStar, syntax.OpPlus:
		return endless(n.Sub[0])
	case syntax.OpRepeat:
		return repeated(n)
	}
	return extent{} // matches no text
}

func repeated(n *syntax.Regexp) extent {
	if n.Max < 0 {
		return endless(n.Sub[0])
	}
	e := extentOf(n.Sub[0])
	if bytes, ok := e.bounded(); ok {
		return extent{bytes: min(bytes*n.Max, tooLong)}
	}
	return extent{op: extentTimes, times: n.Max, parts: []extent{e}}
}

func endless(n *syntax.Regexp) extent {
	set := new([256]bool)
	addBytes(n, set)
	e := extent{op: extentRun, set: set, id: unique.Make(*set), most: tooLong}
	if set[' '] && set['a'] { // any text
		e.line = !set['\n']
		e.most = maxLine
		if set['\n'] {
			e.most = maxText
		}
	}
	if !slices.Contains(set[:], false) {
		e.set = nil
	}
	return e
}

// Bounds of what an expression may take of any text, in bytes: of the line of its word (curl.*), and of several lines
// (a private key). The escape of a line's end ends the line, too.
const (
	maxLine = 4 << 10
	maxText = 16 << 10
)

// endsLine reports whether the escape of a line's end stands at an offset.
func endsLine(text string, at int) bool {
	return text[at] == '\\' && at+1 < len(text) && (text[at+1] == 'n' || text[at+1] == 'r')
}

// bounded returns how many bytes e takes at most, if that does not depend on the text.
func (e *extent) bounded() (bytes int, ok bool) {
	switch e.op {
	case extentBytes:
		return e.bytes, true
	case extentSequence:
		for i := range e.parts {
			more, ok := e.parts[i].bounded()
			if !ok {
				return 0, false
			}
			bytes = min(bytes+more, tooLong)
		}
		return bytes, true
	}
	return 0, false
}

func literalBytes(n *syntax.Regexp) int {
	size := 0
	for _, r := range n.Rune {
		longest := runeBytes(r)
		if n.Flags&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				longest = max(longest, runeBytes(f))
			}
		}
		size += longest
	}
	return size
}

// classBytes bounds a rune of a class. A byte that is not UTF-8 counts as U+FFFD, and is
// one byte.
func classBytes(n *syntax.Regexp) int {
	if n.Op != syntax.OpCharClass {
		return utf8.UTFMax
	}
	size := 0
	for i := 0; i < len(n.Rune); i += 2 {
		size = max(size, runeBytes(n.Rune[i+1]))
	}
	return size
}

func runeBytes(r rune) int { return max(utf8.RuneLen(r), 1) }

// addBytes adds to set every byte that a match of n can hold.
func addBytes(n *syntax.Regexp, set *[256]bool) {
	switch n.Op {
	case syntax.OpLiteral:
		for _, r := range n.Rune {
			addRunes(r, r, set)
			if n.Flags&syntax.FoldCase != 0 {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					addRunes(f, f, set)
				}
			}
		}
	case syntax.OpCharClass:
		for i := 0; i < len(n.Rune); i += 2 {
			addRunes(n.Rune[i], n.Rune[i+1], set)
		}
	case syntax.OpAnyChar:
		addRunes(0, unicode.MaxRune, set)
	case syntax.OpAnyCharNotNL:
		addRunes(0, '\n'-1, set)
		addRunes('\n'+1, unicode.MaxRune, set)
	}
	for _, s := range n.Sub {
		addBytes(s, set)
	}
}

// addRunes adds the bytes of a range of runes, of those beyond ASCII all that there are.
func addRunes(first, last rune, set *[256]bool) {
	for r := first; r <= min(last, unicode.MaxASCII); r++ {
		set[r] = true
	}
	if last > unicode.MaxASCII {
		for b := utf8.RuneSelf; b < len(set); b++ {
			set[b] = true
		}
	}
}

// after returns where a match of what e is the extent of can end at the most, if it begins
// at an offset.
func (c *scan) after(e *extent, at int) int {
	switch e.op {
	case extentBytes:
		return min(at+e.bytes, len(c.text))
	case extentRun:
		return min(c.run(e, at).end, at+e.most)
	case extentSequence:
		for i := range e.parts {
			at = c.after(&e.parts[i], at)
		}
	case extentChoice:
		begin := at
		for i := range e.parts {
			at = max(at, c.after(&e.parts[i], begin))
		}
	case extentTimes:
		for range e.times {
			end := c.after(&e.parts[0], at)
			if end == at {
				break
			}
			at = end
		}
	}
	return at
}

// before returns where such a match can begin at the least, if it ends at an offset.
func (c *scan) before(e *extent, at int) int {
	switch e.op {
	case extentBytes:
		return max(at-e.bytes, 0)
	case extentRun:
		return max(c.run(e, at-1).start, at-e.most)
	case extentSequence:
		for i := range e.parts {
			at = c.before(&e.parts[len(e.parts)-1-i], at)
		}
	case extentChoice:
		end := at
		for i := range e.parts {
			at = min(at, c.before(&e.parts[i], end))
		}
	case extentTimes:
		for range e.times {
			begin := c.before(&e.parts[0], at)
			if begin == at {
				break
			}
			at = begin
		}
	}
	return at
}

// run returns the longest run of bytes of the set of e around an offset, which ends with its line if e does; it is empty
// if the byte at the offset is not of the set. Runs are kept, so that no byte is looked at twice for
// one set: the words of a hostile text may all stand in one run.
func (c *scan) run(e *extent, at int) region {
	if e.set == nil {
		return region{0, len(c.text)}
	}
	if at < 0 || at >= len(c.text) || !e.set[c.text[at]] {
		return region{at + 1, at} // nothing, in both directions
	}
	known := c.runs[e.id]
	i, ok := slices.BinarySearchFunc(known, at, func(r region, at int) int {
		switch {
		case r.end <= at:
			return -1
		case r.start > at:
			return 1
		}
		return 0
	})
	if ok {
		return known[i]
	}
	r := region{at, at}
	for r.start > 0 && e.set[c.text[r.start-1]] && !(e.line && endsLine(c.text, r.start-1)) {
		r.start--
	}
	for r.end < len(c.text) && e.set[c.text[r.end]] && !(e.line && endsLine(c.text, r.end)) {
		r.end++
	}
	c.work.walked += r.end - r.start
	c.runs[e.id] = slices.Insert(known, i, r)
	return r
}

// A lead is what stands directly in front of a word in every match: at least so many bytes of a set. The zero lead is
// nothing.
type lead struct {
	least int
	set   *[256]bool
}

// leadOf returns the lead of a word behind a part of an expression, which may be nil.
func leadOf(n *syntax.Regexp) lead {
	if n == nil {
		return lead{}
	}
	least := 1
	switch n.Op {
	case syntax.OpCapture, syntax.OpConcat:
		return leadOf(lastOf(n.Sub))
	case syntax.OpCharClass:
	case syntax.OpPlus:
		n = n.Sub[0]
	case syntax.OpRepeat:
		least, n = n.Min, n.Sub[0]
	default:
		return lead{}
	}
	if n.Op != syntax.OpCharClass || least == 0 {
		return lead{}
	}
	set := new([256]bool)
	addBytes(n, set)
	return lead{least, set}
}

// stands reports whether the lead stands in front of an offset.
func (l lead) stands(text string, at int) bool {
	if l.least > at {
		return false
	}
	for i := at - 1; i >= at-l.least; i-- {
		if !l.set[text[i]] {
			return false
		}
	}
	return true
}
