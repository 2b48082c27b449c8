// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"bytes"
	"slices"
)

// A stretch is a part of a source in the alphabet of base64, with what JSON and the ends of lines
// put into it taken out. Paths and identifiers are stretches, too, and such a one may be glued to
// what is encoded.
type stretch struct {
	chars  []byte
	at     []int // where each of them stands in the source
	cuts   []cut // in order
	equals int   // signs of padding behind it
	end    int   // in the source, with padding
}

// A cut is where what is encoded may begin or end: at a character that parts words or steps
// of a path, which is of the alphabet itself, or at the end of a line.
type cut struct{ before, after int } // of chars

// minStretch is the length of the shortest stretch that is looked into: that of a secret of some 15
// bytes in base64.
const minStretch = 20

// eachStretch visits the stretches of a text. They share their memory.
func eachStretch(text []byte, visit func(r *stretch)) {
	var r stretch
	for i := 0; i < len(text); {
		if !inStretch[text[i]] {
			i++
			continue
		}
		end := i
		for end < len(text) && inStretch[text[end]] {
			end++
		}
		if end-i >= minStretch || end < len(text) && bytes.IndexByte([]byte("\\\r\n"), text[end]) >= 0 {
			end = r.read(text, i)
			if len(r.chars) >= minStretch {
				visit(&r)
			}
		}
		i = end
	}
}

// read reads the stretch that begins at i, and returns where it ends.
func (r *stretch) read(text []byte, i int) int {
	r.chars, r.at, r.cuts, r.equals = r.chars[:0], r.at[:0], r.cuts[:0], 0
	for i < len(text) {
		c := text[i]
		if inStretch[c] {
			r.add(c, i)
			i++
			continue
		}
		if n := escapedSlash(text[i:]); n > 0 {
			r.add('/', i)
			i += n
			continue
		}
		n := lineEnd(text[i:])
		if n == 0 {
			break
		}
		r.cuts = append(r.cuts, cut{len(r.chars), len(r.chars)})
		i += n
	}
	for r.equals < 6 && i+r.equals < len(text) && text[i+r.equals] == '=' {
		r.equals++
	}
	r.end = i + r.equals
	return r.end
}

// cutAt reports whether what is encoded may end before a character.
func (r *stretch) cutAt(i int) bool {
	_, found := slices.BinarySearchFunc(r.cuts, i, func(c cut, i int) int { return c.before - i })
	return found
}

// behind is where in the source stands what follows a character.
func (r *stretch) behind(text []byte, i int) int {
	return r.at[i] + max(1, escapedSlash(text[r.at[i]:]))
}

func (r *stretch) add(c byte, at int) {
	if c == '/' || c == '-' || c == '_' || c == '+' {
		r.cuts = append(r.cuts, cut{len(r.chars), len(r.chars) + 1})
	}
	r.chars, r.at = append(r.chars, c), append(r.at, at)
}

// inStretch are the characters of base64, of either alphabet (RFC 4648, sections 4 and 5).
var inStretch = func() (is [256]bool) {
	for _, c := range []byte(base64Chars + "-_") {
		is[c] = true
	}
	return is
}()

// escapedSlash is the length of a slash that JSON escapes, or 0.
func escapedSlash(s []byte) int {
	if n := slashes(s); n > 0 && n < len(s) && s[n] == '/' {
		return n + 1
	}
	return 0
}

// lineEnd is the length of a line's end with the indent of the next one, or 0. The text
// may be that of a JSON string.
func lineEnd(s []byte) int {
	n := 0
	for {
		begin := n
		b := slashes(s[n:])
		switch {
		case n+b == len(s):
			return n
		case b > 0 && bytes.IndexByte([]byte("nrt"), s[n+b]) >= 0:
			n += b + 1
		case b == 0 && bytes.IndexByte([]byte("\n\r"), s[n]) >= 0, b == 0 && n > 0 && (s[n] == ' ' || s[n] == '\t'):
			n++
		}
		if n == begin || n > maxIndent {
			return n
		}
	}
}

// maxIndent bounds an end of a line with the indent behind it.
const maxIndent = 64

func slashes(s []byte) int {
	n := 0
	for n < len(s) && n < 16 && s[n] == '\\' {
		n++
	}
	return n
}
