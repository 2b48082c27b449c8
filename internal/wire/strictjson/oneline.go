// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package strictjson

import "bytes"

// OneLine returns a JSON text as one line for readers in text mode (Python, Java, .NET), which end a
// line at CR, too. Between tokens CR and LF are white space, and JSON forbids them in strings. So
// they become spaces, and a CR at the end is left out. OneLine returns text itself if it has neither.
//
// U+0085, U+2028 and U+2029 end a line for some readers (readline of Node.js, splitlines of Python),
// and stay. They stand only in strings, so a piece between two of them begins inside a string and is no
// message of its own: what is a string to its reader is syntax to all others, and a message needs keys
// made of letters.
func OneLine(text []byte) []byte {
	text = bytes.TrimRight(text, "\r")
	if bytes.IndexByte(text, '\r') < 0 && bytes.IndexByte(text, '\n') < 0 {
		return text
	}
	line := bytes.Clone(text)
	for i, c := range line {
		if c == '\r' || c == '\n' {
			line[i] = ' '
		}
	}
	return line
}
