// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parse

import "errors"

// Parsers recurse, and Go ends a program whose stack is full. These bounds keep both parsers far
// from that: a level takes some kilobytes, and the stack may have a gigabyte.
const (
	maxBrackets = 5_000  // open at once
	maxChain    = 40_000 // operators and keywords without an end between them
	maxElse     = 100_000
)

var errNesting = errors.New("nested too deeply")

// checkNesting bounds from above how deep a parser would have to go. It knows strings and comments
// but not where a regular expression stands, so brackets are counted in two ways, and a text is
// refused only if it is deep in both.
func checkNesting(text []byte) error {
	if len(text) < maxBrackets {
		return nil
	}
	if deep(text, false) && deep(text, true) {
		return errNesting
	}
	return nil
}

// deep scans a text, with or without skipping what looks like strings and comments.
func deep(text []byte, skip bool) bool {
	depth, chain, elses := 0, 0, 0
	word := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if isWord(c) {
			word++
			continue
		}
		if word > 0 {
			w := string(text[i-word : i])
			word = 0
			switch w {
			case "else":
				elses++
			case "typeof", "void", "delete", "await", "new", "yield", "if", "for", "while", "do", "with", "async", "extends", "return", "throw", "case":
				chain++
			}
		}
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
			if c == '}' {
				chain = 0
			}
		case ';', ',':
			chain = 0
		case '!', '~', '+', '-', '?', '=', ':', '*', '<', '`', '$':
			chain++
		case '"', '\'':
			if skip {
				i = skipString(text, i)
			}
		case '/':
			if skip && i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '*') {
				i = skipComment(text, i)
			}
		}
		if depth > maxBrackets || chain > maxChain || elses > maxElse {
			return true
		}
	}
	return false
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// skipString returns where the string ends that begins at i, or i if it does not end on its line.
func skipString(text []byte, i int) int {
	for j := i + 1; j < len(text) && text[j] != '\n'; j++ {
		switch text[j] {
		case '\\':
			j++
		case text[i]:
			return j
		}
	}
	return i
}

func skipComment(text []byte, i int) int {
	block := text[i+1] == '*'
	for j := i + 2; j < len(text); j++ {
		if !block && text[j] == '\n' || block && text[j] == '/' && text[j-1] == '*' && j > i+2 {
			return j
		}
	}
	return len(text)
}
