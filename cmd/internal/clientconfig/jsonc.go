// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import "bytes"

// Plain blanks extensions of JSON that editors allow: comments, commas behind the last entry, and a
// byte order mark. Every other byte keeps its place. Plain JSON stays unchanged.
func Plain(text []byte) []byte {
	out := bytes.Clone(text)
	if bytes.HasPrefix(out, []byte("\uFEFF")) {
		blank(out[:3])
	}
	comma := -1 // the place of a comma that is the last significant byte
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			continue
		case c == '"':
			i = endOfString(out, i)
		case c == '/':
			if end := endOfComment(out, i); end > i {
				blank(out[i:end])
				i = end - 1
				continue
			}
		case (c == '}' || c == ']') && comma >= 0:
			out[comma] = ' '
		case c == ',':
			comma = i
			continue
		}
		comma = -1
	}
	return out
}

// endOfString returns the place of the quote that ends the string at i, or of the last byte.
func endOfString(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text) - 1
}

// endOfComment returns the place behind the comment at i, or i if there is none.
func endOfComment(text []byte, i int) int {
	rest := text[i:]
	var length int
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if length = bytes.IndexAny(rest, "\r\n"); length < 0 {
			length = len(rest)
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		end := bytes.Index(rest[2:], []byte("*/"))
		if end < 0 {
			return i
		}
		length = end + 4
	}
	return i + length
}

// blank keeps line ends, so that errors name the right line.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
