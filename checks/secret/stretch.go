// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"slices"
)

// A stretch is a part of a source in the alphabet of base64, with what JSON and the ends of
// lines put into it taken out. Paths and identifiers are stretches, too, and such a one may be
// glued to what is encoded.
type stretch struct {
	chars  []byte
	start  int // in the source
	end    int // in the source, with padding
	gaps   []gap
	equals int // signs of padding behind it
	copied []byte
}

// A gap is what has been taken out in front of a character.
type gap struct {
	char    int
	size    int // in the source
	skipped int // the sizes of all gaps up to this one
	line    bool
}

// minStretch is the length of the shortest stretch that is looked into: that of a secret of
// some 15 bytes in base64.
const minStretch = 20

// eachStretch visits the stretches of a text. They share their memory.
func eachStretch(text []byte, visit func(s *stretch)) {
	var s stretch
	f := finder{text: text, gaps: [...]int{-1, -1, -1}}
	for i := f.next(0); i < len(text); i = f.next(s.end) {
		s.read(text, i)
		if len(s.chars) >= minStretch {
			visit(&s)
		}
	}
}

// A finder looks for stretches. Most text between two gaps holds none, and a look at every twentieth character or so
// tells (Boyer and Moore, 1977).
type finder struct {
	text []byte
	gaps [len(beginGap)]int // where each of beginGap stands next
}

// beginGap are the bytes with which what is taken out of a stretch begins.
const beginGap = "\\\n\r"

// next returns where the next stretch begins that may be long enough, or the length of the text. No stretch goes on from
// before from.
func (f *finder) next(from int) int {
	for from < len(f.text) {
		gap, last := f.gap(from), from+minStretch-1
		if gap <= last {
			if gap+1 < len(f.text) && f.text[gap] == '\\' && !ofGap[f.text[gap+1]] {
				from = gap + 1 // an escaped quote, mostly
				continue
			}
			begin := gap
			for begin > from && inStretch[f.text[begin-1]] {
				begin--
			}
			if begin < gap || gap == len(f.text) {
				return begin
			}
			from = gap + 1
			continue
		}
		for last >= from && inStretch[f.text[last]] {
			last--
		}
		if last < from {
			return from
		}
		from = last + 1
	}
	return len(f.text)
}

// ofGap are the characters behind the first backslash of a gap.
var ofGap = [256]bool{'\\': true, '/': true, 'n': true, 'r': true, 't': true}

// gap is where the next gap may begin, or the length of the text.
func (f *finder) gap(from int) int {
	first := len(f.text)
	for i, at := range f.gaps {
		if at < from {
			at = len(f.text)
			if n := bytes.IndexByte(f.text[from:], beginGap[i]); n >= 0 {
				at = from + n
			}
			f.gaps[i] = at
		}
		first = min(first, at)
	}
	return first
}

// read reads the stretch that begins at i.
func (s *stretch) read(text []byte, i int) {
	s.start, s.gaps, s.copied, s.equals = i, s.gaps[:0], s.copied[:0], 0
	from := i
	for i < len(text) {
		if inStretch[text[i]] {
			i++
			continue
		}
		n, line := escapedSlash(text[i:]), false
		if n == 0 {
			n, line = lineEnd(text[i:]), true
		}
		if n == 0 || i+n == len(text) || !inStretch[text[i+n]] {
			break
		}
		s.copied = append(s.copied, text[from:i]...)
		s.gaps = append(s.gaps, gap{char: len(s.copied), size: n, skipped: s.skipped() + n, line: line})
		i += n
		from = i
	}
	if s.chars = text[from:i]; len(s.gaps) > 0 {
		s.copied = append(s.copied, s.chars...)
		s.chars = s.copied
	}
	for s.equals < maxEquals && i+s.equals < len(text) && text[i+s.equals] == '=' {
		s.equals++
	}
	s.end = i + s.equals
}

// maxEquals is how many signs of padding base32 has at most.
const maxEquals = 6

func (s *stretch) skipped() int {
	if len(s.gaps) == 0 {
		return 0
	}
	return s.gaps[len(s.gaps)-1].skipped
}

// gapAt returns the last gap in front of a character or one before it, and whether it is
// directly in front of it.
func (s *stretch) gapAt(char int) (g gap, directly bool) {
	i, found := slices.BinarySearchFunc(s.gaps, char, func(g gap, char int) int { return g.char - char })
	if found {
		return s.gaps[i], true
	}
	if i == 0 {
		return gap{}, false
	}
	return s.gaps[i-1], false
}

// begin and behind are where in the source a character begins, with its escape, and ends.
func (s *stretch) begin(char int) int {
	g, directly := s.gapAt(char)
	at := s.start + char + g.skipped
	if directly && !g.line {
		at -= g.size
	}
	return at
}

func (s *stretch) behind(char int) int {
	g, _ := s.gapAt(char)
	return s.start + char + g.skipped + 1
}

// Encoded text may begin behind a separator of words or path steps that belongs to the alphabet
// itself, and end in front of one; or do so at the end of a line.
func (s *stretch) mayBegin(char int) bool { return parts(s.chars[char-1]) || s.lineAt(char) }

func (s *stretch) mayEnd(char int) bool {
	return char < len(s.chars) && (parts(s.chars[char]) || s.lineAt(char))
}

func (s *stretch) lineAt(char int) bool {
	g, directly := s.gapAt(char)
	return directly && g.line
}

func parts(c byte) bool { return c == '/' || c == '-' || c == '_' || c == '+' }

// inStretch are the characters of base64, of either alphabet (RFC 4648, sections 4 and 5).
var inStretch = func() (is [256]bool) {
	for _, c := range []byte(base64Chars + "-_") {
		is[c] = true
	}
	return is
}()

// escapedSlash is the length of what JSON puts in front of a slash, or 0.
func escapedSlash(s []byte) int {
	if n := slashes(s); n < len(s) && s[n] == '/' {
		return n
	}
	return 0
}

// lineEnd is the length of a line's end with the indent of the next one, or 0. The text
// may be that of a JSON string.
func lineEnd(s []byte) int {
	n := 0
	for n < maxIndent {
		b := slashes(s[n:])
		switch {
		case n+b == len(s):
			return n
		case b > 0 && bytes.IndexByte([]byte("nrt"), s[n+b]) >= 0:
			n += b + 1
		case b == 0 && bytes.IndexByte([]byte("\n\r"), s[n]) >= 0, b == 0 && n > 0 && (s[n] == ' ' || s[n] == '\t'):
			n++
		default:
			return n
		}
	}
	return n
}

// maxIndent bounds an end of a line with the indent behind it, and maxSlashes an escape.
const (
	maxIndent  = 64
	maxSlashes = 16
)

func slashes(s []byte) int {
	n := 0
	for n < len(s) && n < maxSlashes && s[n] == '\\' {
		n++
	}
	return n
}
