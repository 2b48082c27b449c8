// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parse

import "errors"

// Parsers recurse, and Go ends a process with a full stack; no recover helps. A level takes
// some kilobytes, and the stack may have a gigabyte, so these bounds keep both parsers far
// from it. Real code, also minified, stays below them by far.
const (
	// open at once
	maxBrackets = 5_000
	// operators and keywords without an end between them: a=>a=>a=>…
	maxChain = 40_000
	// else if … else if …: each is nested in the one before
	maxElse = 100_000
)

var errNesting = errors.New("nested too deeply")

// checkNesting bounds the depth of a parser's recursion from above. It knows strings and
// comments, but cannot tell where a regular expression begins: in /["(]/ it may take code for
// a string. So it counts brackets twice, with and without skipping strings, and refuses a
// text that is deep in both counts.
func checkNesting(text []byte) error {
	if len(text) < maxBrackets {
		return nil
	}
	if deep(text, false) && deep(text, true) {
		return errNesting
	}
	return nil
}

// deep scans a text, with or without skipping everything that looks like a string or a comment.
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
			// Each of these words takes an operand or a statement, and so may nest.
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
			// A block ends every chain of operators in it.
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

// isWord reports whether a byte belongs to a name or keyword.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// skipString returns the end of the string that begins at i, or i if it does not end on its
// line.
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

// skipComment returns the end of a comment.
func skipComment(text []byte, i int) int {
	block := text[i+1] == '*'
	for j := i + 2; j < len(text); j++ {
		if !block && text[j] == '\n' || block && text[j] == '/' && text[j-1] == '*' && j > i+2 {
			return j
		}
	}
	return len(text)
}
