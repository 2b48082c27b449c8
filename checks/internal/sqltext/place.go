// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Place names a place in a text, given by its byte: by line and column if the text has
// lines, else by column alone. Both count characters from 1.
func Place(text string, at int) string {
	before := text[:min(max(at, 0), len(text))]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	if line == 1 && !strings.Contains(text, "\n") {
		return fmt.Sprintf("character %d", column)
	}
	return fmt.Sprintf("line %d, character %d", line, column)
}

// callee appends the name of the function that is called at a token, in lower case and
// without quotes, with the package before it if there is one.
func (s *statement) callee(i int, name []byte) []byte {
	if s.low(i-1) == "." && s.names(i-2) {
		name = s.appendName(name, i-2)
		name = append(name, '.')
	}
	return s.appendName(name, i)
}

func (s *statement) appendName(name []byte, i int) []byte {
	t := s.tokens[i]
	text := s.text[t.start:t.end]
	if t.kind == nameToken {
		text = strings.Trim(text, "\"`[]")
	}
	for i := range len(text) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		name = append(name, c)
	}
	return name
}

// escapedCall reports whether the name at a place is in U&, which may hide any name, and
// is called: U&"\0073leep"(1), with or without UESCAPE before the bracket, or by the name of a column.
func (s *statement) escapedCall(i int) bool {
	t := s.tokens[i]
	if t.kind != nameToken || s.text[t.start]|0x20 != 'u' {
		return false
	}
	return s.low(i+1) == "(" || s.low(i+1) == "uescape" && s.low(i+3) == "(" || s.low(i-1) == "."
}

// lower is a text in lower case, as far as SQL knows case.
func lower(text string) string { return strings.ToLower(text) }
