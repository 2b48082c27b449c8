// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package strictjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// badEscape is the rule against wrong escapes.
const badEscape = `has an invalid escape: use \" \\ \/ \b \f \n \r \t or \u and four hexadecimal digits`

// escapeLen returns the length of the escape at the start of b, or 0 if it is
// none. One half of a surrogate pair counts as an escape.
func escapeLen(b []byte) int {
	if _, ok := hex4(b); ok {
		return 6
	}
	if len(b) > 1 && short(b[1]) != 0 {
		return 2
	}
	return 0
}

// unquote decodes the text between a string's quotes. scanString has checked the escapes. d.pos is
// behind the string; errors point there.
func (d *decoder) unquote(raw []byte, plain bool) (string, *Error) {
	if plain {
		return string(raw), nil
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		r, n := unescape(raw[i:])
		if n == 0 {
			return "", d.fail(LoneSurrogate, "has an unpaired UTF-16 surrogate escape, which is no character")
		}
		out = utf8.AppendRune(out, r)
		i += n
	}
	return string(out), nil
}

// unescape returns the character that the escape at the start of b stands for, and
// its length: 12 for a surrogate pair, 0 for half of one.
func unescape(b []byte) (rune, int) {
	r, ok := hex4(b)
	if !ok {
		return short(b[1]), 2
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, _ := hex4(b[6:])
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// short returns what \c stands for, or 0.
func short(c byte) rune {
	switch c {
	case '"', '\\', '/':
		return rune(c)
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

// hex4 reads the escape \uXXXX at the start of b.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
