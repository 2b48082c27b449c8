// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote is the text that a string token stands for. Escapes that stand for no character
// become U+FFFD, as readers do it.
func Unquote(token []byte) string {
	inner := token[1 : len(token)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var b strings.Builder
	b.Grow(len(inner))
	for len(inner) > 0 {
		plain := bytes.IndexByte(inner, '\\')
		if plain < 0 {
			b.Write(inner)
			break
		}
		b.Write(inner[:plain])
		n, r, _ := next(inner[plain:])
		b.WriteRune(r)
		inner = inner[plain+n:]
	}
	return b.String()
}

// rawRange is the part of a string token, quotes included, that stands for a part of its
// text.
func rawRange(token []byte, start, end int) (from, to int) {
	from, to = -1, len(token)-1
	inner := token[:len(token)-1]
	decoded := 0
	for i := 1; i < len(inner); {
		n, r, raw := next(inner[i:])
		size := n
		if !raw {
			size = utf8.RuneLen(r)
		}
		if from < 0 && decoded+size > start {
			from = i
		}
		if decoded >= end {
			to = i
			break
		}
		decoded += size
		i += n
	}
	if from < 0 {
		from = to
	}
	return from, to
}

// next reads one character of the inside of a string token: its length there, and what it
// stands for. Raw says that it stands for itself.
func next(s []byte) (n int, r rune, raw bool) {
	if s[0] != '\\' {
		return 1, 0, true
	}
	if len(s) < 2 {
		return 1, utf8.RuneError, false
	}
	switch s[1] {
	case 'b':
		return 2, '\b', false
	case 'f':
		return 2, '\f', false
	case 'n':
		return 2, '\n', false
	case 'r':
		return 2, '\r', false
	case 't':
		return 2, '\t', false
	case 'u':
		return unicode(s)
	}
	return 2, rune(s[1]), false
}

func unicode(s []byte) (n int, r rune, raw bool) {
	first, ok := hex4(s)
	if !ok {
		return 2, utf8.RuneError, false
	}
	if !utf16.IsSurrogate(first) {
		return 6, first, false
	}
	if second, ok := hex4(s[6:]); ok {
		if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
			return 12, pair, false
		}
	}
	return 6, utf8.RuneError, false
}

// hex4 reads \uXXXX.
func hex4(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(v), err == nil
}
