// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"strings"
	"unicode/utf8"
)

// maxDecodes is how often a path is decoded. A path that is still encoded then is refused.
const maxDecodes = 4

// decode reads the encodings in a text once: %2e, %u002e and 0x2e, also in characters
// that are normalised to these. It reports whether there were any.
//
// Readers differ about all but plain %2e: rare forms become look-alike characters, which only
// some readers take for separators and dots.
func decode(text string) (decoded string, changed bool) {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		n, escape := 0, text[i:]
		b, n = appendDecoded(b, escape)
		if n == 0 {
			b, n = append(b, text[i]), 1
		} else {
			changed = true
		}
		i += n
	}
	return string(b), changed
}

// appendDecoded decodes the escape that a text begins with, and returns how long it
// is; 0 if it begins with none.
func appendDecoded(b []byte, text string) ([]byte, int) {
	if len(text) >= 4 && text[0] == '0' && text[1]|0x20 == 'x' {
		v, n := hex(text[2:], 2)
		if n == 0 || v != '.' && v != '/' && v != '\\' {
			return b, 0
		}
		return utf8.AppendRune(b, rare(v)), 2 + n
	}
	c, sign := first(text)
	if c != '%' {
		return b, 0
	}
	if len(text) > sign && text[sign]|0x20 == 'u' {
		if v, n := hex(text[sign+1:], 4); n > 0 {
			return utf8.AppendRune(b, rare(v)), sign + 1 + n
		}
	}
	v, n := hex(text[sign:], 2)
	switch {
	case n == 0:
		return b, 0
	case sign+n > len("%2e") && v < utf8.RuneSelf: // written in other characters
		return utf8.AppendRune(b, rare(v)), sign + n
	}
	return append(b, byte(v)), sign + n
}

// first returns the first character of a text, or its normal form in ASCII, and its length in the
// text.
func first(text string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(text)
	if r >= utf8.RuneSelf {
		if s := ascii(text[:size]); len(s) == 1 {
			r = rune(s[0])
		}
	}
	return r, size
}

// hex reads so many hexadecimal digits, and returns their value and length; 0, 0 if
// there are fewer.
func hex(text string, digits int) (value rune, length int) {
	for range digits {
		r, size := first(text[length:])
		switch {
		case r >= '0' && r <= '9':
			r -= '0'
		case r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F':
			r = (r | 0x20) - 'a' + 10
		default:
			return 0, 0
		}
		value, length = value<<4|r, length+size
	}
	return value, length
}

// rare returns the look-alike that stands for a character in a rare encoding. Private characters
// count as separators: some systems map forbidden characters of names to them.
func rare(r rune) rune {
	switch {
	case r == '.':
		return '․'
	case r == '/', r >= 0xe000 && r <= 0xf8ff:
		return '∕'
	case r == '\\':
		return '∖'
	case r == '%':
		return '％'
	}
	return r
}

// mendOverlong replaces overlong UTF-8 by look-alikes of its characters, like a careless decoder.
// Of the two-byte form some take a second byte that is no continuation, or overlook the lowest
// bit of the first.
func mendOverlong(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if r, n := overlong(text[i:]); n > 0 {
			b, i = utf8.AppendRune(b, rare(r)), i+n
			continue
		}
		b, i = append(b, text[i]), i+1
	}
	return string(b)
}

// overlong reads the overlong sequence of an ASCII character at the beginning of b,
// and returns its length; 0 if there is none.
func overlong(b string) (r rune, length int) {
	switch lead := b[0]; {
	case lead == 0xc0 || lead == 0xc1:
		length = 2
	case lead == 0xe0:
		length = 3
	case lead == 0xf0:
		length = 4
	case lead == 0xf8:
		length = 5
	case lead == 0xfc:
		length = 6
	}
	if length == 0 || len(b) < length {
		return 0, 0
	}
	if length == 2 {
		for _, r := range [...]rune{rune(b[1] & 0x3f), rune(b[1]&0x3f | 0x40)} {
			if strings.ContainsRune(`./\%`, r) {
				return r, length
			}
		}
	}
	r = rune(b[0] & 1) // the leads but 0xc1 have no bit of the value
	for _, c := range []byte(b[1:length]) {
		if c&0xc0 != 0x80 {
			return 0, 0
		}
		r = r<<6 | rune(c&0x3f)
	}
	if r >= utf8.RuneSelf {
		return 0, 0
	}
	return r, length
}
