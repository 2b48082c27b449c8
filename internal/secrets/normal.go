// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"encoding/binary"
	"html"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A normal is a text as its reader means it: without the escapes of JSON or HTML, without
// invisible characters, and with plain letters for look-alikes of width and style. Patterns are
// written for such text; in a JSON string within a JSON string, no quote stands where they expect
// it.
type normal struct {
	text  string
	edits []edit // in order
	last  int    // the edit in front of the offset that was last asked for
}

// An edit says that from an offset of the normal text on, up to the next edit, the bytes
// are those of the raw text from another one on. In front of them stands what the edit put in the place of an escape.
type edit struct {
	at, raw uint32
	plain   uint32 // bytes
}

// normalForm returns the normal form of text, or false if text is its own, or longer than 4 GiB.
//
// Edits is memory for those of the result.
func normalForm(ctx context.Context, text string, edits []edit) (normal, bool) {
	var b strings.Builder
	n := normal{edits: edits[:0]}
	if uint64(len(text)) > math.MaxUint32 {
		return n, false
	}
	done := 0 // text[:done] is in b
	for i, look := nextDifferent(text, 0), 0; i < len(text); {
		if i >= look {
			if look = i + lookEvery; ctx.Err() != nil {
				return normal{}, false
			}
		}
		plain, size, ok := plainAt(text, i)
		if ok {
			if len(n.edits) == 0 {
				b.Grow(len(text))
				n.edits = slices.Grow(n.edits, 1+strings.Count(text[i:], `\`))
			}
			b.WriteString(text[done:i])
			b.WriteString(plain)
			done = i + size
			n.edits = append(n.edits, edit{uint32(b.Len()), uint32(done), uint32(len(plain))})
		}
		i = nextDifferent(text, i+size)
	}
	if len(n.edits) == 0 {
		return normal{}, false
	}
	b.WriteString(text[done:])
	n.text = b.String()
	return n, true
}

// nextDifferent returns the offset from i on of the next byte with which begins what may have another normal form, or the
// length of text. It looks at eight bytes at once.
func nextDifferent(text string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64([]byte(text[i : i+8]))
		slash, and, esc := x^ones*'\\', x^ones*'&', x^ones*escape
		found := ((slash-ones)&^slash | (and-ones)&^and | (esc-ones)&^esc | (x-ones)&^x | x) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(text) && text[i] < utf8.RuneSelf && text[i] != '\\' && text[i] != '&' && text[i] != escape && text[i] != 0 {
		i++
	}
	return i
}

// raw returns the offset in the raw text of an offset in the normal one. It is fast for an offset near the last one.
func (n *normal) raw(offset int) int {
	i := n.last
	for near := min(i+16, len(n.edits)); i+1 < near && int(n.edits[i+1].at) <= offset; {
		i++
	}
	if int(n.edits[i].at) > offset || i+1 < len(n.edits) && int(n.edits[i+1].at) <= offset {
		i = sort.Search(len(n.edits), func(i int) bool { return int(n.edits[i].at) > offset }) - 1
		if i < 0 {
			return offset
		}
	}
	n.last = i
	return int(n.edits[i].raw) + offset - int(n.edits[i].at)
}

// escape returns where the escape stands in the raw text that an edit replaced.
func (n *normal) escape(i int) (start, end int) {
	start, end = int(n.edits[i].at-n.edits[i].plain), int(n.edits[i].raw)
	if i > 0 {
		start += int(n.edits[i-1].raw) - int(n.edits[i-1].at)
	}
	return start, end
}

// plainAt returns what stands in the normal text for the size bytes of text from i on, if it
// is something else.
func plainAt(text string, i int) (plain string, size int, ok bool) {
	if mayColour(text[i:]) {
		if plain, size := colours(text, i); size > 0 {
			return plain, size, true
		}
	}
	switch text[i] {
	case escape:
		return "", 1, false
	case '\\':
		plain, size, ok = unescaped(text, i)
		return entities(text, i, plain, size, ok)
	case '&':
		return entities(text, i, "&", 1, false)
	case 0:
		return "", 1, true
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	plain, ok = plainRune(r)
	return plain, size, ok
}

// plainRune returns what stands in the normal text for a character beyond ASCII, if it is
// something else.
func plainRune(r rune) (plain string, ok bool) {
	if invisible(r) {
		return "", true
	}
	if d := norm.NFKC.PropertiesString(string(r)).Decomposition(); len(d) == 1 {
		return string(d), true
	}
	return "", false
}

// invisible reports whether a character leaves no trace on a screen.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// unescaped reads an escape of a JSON string, or one by which programs write a byte. Text may be a string within a string within a
// string: however many backslashes there are, one character is meant.
func unescaped(text string, i int) (plain string, size int, ok bool) {
	end := i
	for end < len(text) && text[end] == '\\' {
		end++
	}
	if end == len(text) {
		return "", end - i, false
	}
	switch c := text[end]; c {
	case '"', '\'', '/':
		return text[end : end+1], end + 1 - i, true
	case 'n', 'r':
		return "\n", end + 1 - i, true
	case 't':
		return "\t", end + 1 - i, true
	case 'u':
		if c, ok := hex4(text[end+1:]); ok {
			return seen(c), end + 5 - i, true
		}
		if r, n := beyond(text[end+1:], text[i:end+1]); n > 0 {
			if plain, ok := plainRune(r); ok {
				return plain, end + 1 + n - i, true
			}
		}
	case 'x':
		if c, ok := hex2(text[end+1:]); ok {
			return seen(c), end + 3 - i, true
		}
	}
	return "", end - i, false
}

// seen is what stands in the normal text for a character of ASCII: for NUL nothing, because text in
// UTF-16 that is read as if it were ASCII has one beside each letter.
func seen(c byte) string {
	if c == 0 {
		return ""
	}
	return string(c)
}

// hex4 reads the digits of a JSON escape that stands for a character of ASCII.
func hex4(s string) (byte, bool) {
	if len(s) < 4 || s[:2] != "00" {
		return 0, false
	}
	return hex2(s[2:])
}

// beyond reads the digits of a JSON escape for a character beyond ASCII. If it is the first of a
// pair of surrogates, it also reads the escape of the second. Its length is 0 if there is none.
func beyond(s, begin string) (r rune, size int) {
	code := func(s string) (rune, bool) {
		if len(s) < 4 {
			return 0, false
		}
		v, err := strconv.ParseUint(s[:4], 16, 16)
		return rune(v), err == nil
	}
	r, ok := code(s)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 4
	}
	rest, ok := strings.CutPrefix(s[4:], begin)
	if !ok {
		return 0, 0
	}
	if second, ok := code(rest); ok {
		if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
			return r, 4 + len(begin) + 4
		}
	}
	return 0, 0
}

// hex2 reads two digits that stand for a character of ASCII.
func hex2(s string) (byte, bool) {
	if len(s) < 2 {
		return 0, false
	}
	var b byte
	for _, c := range []byte(strings.ToLower(s[:2])) {
		digit := strings.IndexByte("0123456789abcdef", c)
		if digit < 0 {
			return 0, false
		}
		b = b<<4 | byte(digit)
	}
	return b, b < utf8.RuneSelf
}

// longestEntity is the length of the longest HTML entity in use for a character of ASCII.
const longestEntity = len("&quot;") + 2

// entities reads what an ampersand begins, if plain is one; that of an entity may have been
// escaped itself.
func entities(text string, i int, plain string, size int, ok bool) (string, int, bool) {
	for plain == "&" {
		body := text[i+size:]
		end := strings.IndexByte(body[:min(longestEntity-1, len(body))], ';')
		if end < 0 {
			break
		}
		c := html.UnescapeString("&" + body[:end+1])
		if len(c) != 1 || c[0] >= utf8.RuneSelf {
			break
		}
		plain, size, ok = c, size+end+1, true
	}
	return plain, size, ok
}

// escape begins a sequence that colours text in a terminal (ECMA-48, section 8.3.117).
const escape = 0x1b

// colours reads the sequences at i that colour text. Within a word they are nothing. Beside
// one an escape stays, which is no letter: it parts a token from the last letter of the
// sequence, and, like the colour, a name from what it is not the name of.
func colours(text string, i int) (plain string, size int) {
	at := i
	for {
		n := colour(text[at:])
		if n == 0 {
			break
		}
		at += n
	}
	if i > 0 && at < len(text) && inWord[text[i-1]] && inWord[text[at]] {
		return "", at - i
	}
	return "\x1b", at - i
}

// mayColour tells of most texts that they begin with no sequence that colours.
func mayColour(text string) bool {
	return len(text) > 1 && (text[0] == escape || text[0] == '\\' && (text[1] == 'u' || text[1] == 'x' || text[1] == '0' || text[1] == 'e'))
}

// colour is the length of the sequence that text begins with, or 0. The escape may be one
// of a JSON string or of a program's.
func colour(text string) int {
	n := 0
	if mayColour(text) {
		for _, begin := range []string{"\x1b[", `\u001b[`, `\u001B[`, `\x1b[`, `\x1B[`, `\033[`, `\e[`} {
			if strings.HasPrefix(text, begin) {
				n = len(begin)
				break
			}
		}
	}
	if n == 0 {
		return 0
	}
	for n < min(len(text), maxColour) && (text[n] == ';' || '0' <= text[n] && text[n] <= '9') {
		n++
	}
	if n == len(text) || text[n] != 'm' && text[n] != 'K' {
		return 0
	}
	return n + 1
}

// maxColour bounds a sequence that colours.
const maxColour = 40

// inWord are the characters of most tokens.
var inWord = func() (is [256]bool) {
	for c := range is {
		is[c] = c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return is
}()
