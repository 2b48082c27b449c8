// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import "strings"

// comment skips a comment, and reports whether there was one.
func (l *lexer) comment(c byte) bool {
	start := l.pos
	switch {
	case c == '-' && l.peek(1) == '-' && (!l.dashSpace || l.peek(2) <= ' '),
		c == '/' && l.peek(1) == '/' && l.slashes,
		c == '#' && l.hash:
		l.skipLine()
	case c == '/' && l.peek(1) == '*':
		l.block()
	case c == '*' && l.peek(1) == '/' && l.running:
		l.running = false
		l.pos += 2
		return true
	default:
		return false
	}
	l.comments = append(l.comments, start)
	return true
}

// skipLine skips the rest of a line. Some databases end it at a carriage return alone,
// and others go on to the line feed.
func (l *lexer) skipLine() {
	i := strings.IndexAny(l.text[l.pos:], "\n\r")
	if i < 0 {
		l.pos = len(l.text)
		return
	}
	l.pos += i + 1
	if l.text[l.pos-1] == '\r' && l.peek(0) != '\n' {
		l.fault(l.pos-1, "a carriage return in a comment, which ends it for some databases and not for others")
	}
}

// block skips a comment in /* */.
func (l *lexer) block() {
	start := l.pos
	l.pos += 2
	if l.conditional && (l.peek(0) == '!' || l.peek(0) == 'M' && l.peek(1) == '!') {
		l.runsComment, l.running = true, true
		l.fault(start, "a comment of the form /*! */, which some versions of the database run and others do not")
		for l.pos++; isDigit(l.peek(0)) || l.peek(0) == '!'; l.pos++ {
		}
		return
	}
	for depth := 1; depth > 0; {
		i := strings.IndexAny(l.text[l.pos:], "*/")
		if i < 0 || l.pos+i+1 >= len(l.text) {
			l.pos = len(l.text)
			l.cut = start
			return
		}
		l.pos += i
		switch {
		case l.text[l.pos] == '*' && l.text[l.pos+1] == '/':
			depth--
			l.pos += 2
		case l.nested && l.text[l.pos] == '/' && l.text[l.pos+1] == '*':
			depth++
			l.pos += 2
		default:
			l.pos++
		}
	}
}
