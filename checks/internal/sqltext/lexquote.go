// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import "strings"

// quoted reads what stands in quotes, and reports whether there was any.
func (l *lexer) quoted(c byte) bool {
	start := l.pos
	switch {
	case c == '\'':
		l.single(start, l.backslash)
	case c == '"':
		l.double(start)
	case c == '`' && l.backtick:
		l.until(start, nameToken, '`', '`', l.escapedName)
	case c == '[' && l.bracket:
		l.until(start, nameToken, '[', ']', false)
	case c == '$' && l.dollar:
		return l.dollarQuoted(start)
	default:
		return l.prefixed(start, c|0x20)
	}
	return true
}

func (l *lexer) single(start int, backslash bool) {
	if l.triple && strings.HasPrefix(l.text[l.pos:], "'''") {
		l.tripled(start, "'''")
		return
	}
	l.until(start, stringToken, '\'', '\'', backslash)
}

func (l *lexer) double(start int) {
	switch {
	case l.triple && strings.HasPrefix(l.text[l.pos:], `"""`):
		l.tripled(start, `"""`)
	case l.doubleString:
		l.until(start, stringToken, '"', '"', l.backslash)
	default:
		l.until(start, nameToken, '"', '"', l.escapedName)
	}
}

// until reads to the closing quote; a doubled one stands for itself.
func (l *lexer) until(start int, kind tokenKind, opening, closing byte, backslash bool) {
	escaped := false
	for l.pos++; l.pos < len(l.text); l.pos++ {
		switch c := l.text[l.pos]; {
		case c == '\\' && backslash:
			l.pos++
			escaped = true
		case c == closing && l.peek(1) == closing:
			l.pos++
		case c == closing:
			l.pos++
			l.emit(kind, start)
			// Where the database is not known, only a name that leads on: "a\nb" is a string to MySQL.
			if escaped && kind == nameToken && (!l.unsure || l.leadsOn()) {
				l.fault(start, "an escape in a quoted name, which hides the name")
			}
			return
		}
	}
	l.unclosed(start, kind)
}

// leadsOn reports whether brackets, a dot or a comment follow.
func (l *lexer) leadsOn() bool {
	rest := strings.TrimLeft(l.text[l.pos:], " \t\n\v\f\r")
	return rest != "" && strings.IndexByte("(./-#", rest[0]) >= 0
}

func (l *lexer) unclosed(start int, kind tokenKind) {
	l.pos = len(l.text)
	l.cut = start
	l.emit(kind, start).open = true
}

func (l *lexer) tripled(start int, quote string) {
	for l.pos += len(quote); l.pos < len(l.text); l.pos++ {
		if l.text[l.pos] == '\\' && l.backslash {
			l.pos++
			continue
		}
		if strings.HasPrefix(l.text[l.pos:], quote) {
			l.pos += len(quote)
			l.emit(stringToken, start)
			return
		}
	}
	l.unclosed(start, stringToken)
}

// selected reports whether the text is SELECT up to here, and names no table.
func (l *lexer) selected() bool {
	return len(l.tokens) == 1 && l.tokens[0].low == "select" && !strings.Contains(lower(l.text), "from")
}

// dollarQuoted reads $tag$text$tag$.
func (l *lexer) dollarQuoted(start int) bool {
	end := l.pos + 1
	for end < len(l.text) && (isLetter(l.text[end]) || l.text[end] >= 0x80 || end > l.pos+1 && isDigit(l.text[end])) {
		end++
	}
	if end >= len(l.text) || l.text[end] != '$' {
		return false
	}
	tag := l.text[start : end+1]
	i := strings.Index(l.text[end+1:], tag)
	if i < 0 {
		l.unclosed(start, stringToken)
		return true
	}
	l.pos = end + 1 + i + len(tag)
	l.emit(stringToken, start)
	return true
}

// prefixed reads a string with a letter before its quote: E (PostgreSQL), R (BigQuery,
// Spark), Q (Oracle), U& (the standard), and N, B, X, which every database has.
func (l *lexer) prefixed(start int, letter byte) bool {
	quote := l.peek(1)
	if letter == 'n' && quote|0x20 == 'q' && l.peek(2) == '\'' && l.alternative {
		l.pos++
		return l.alternatively(start)
	}
	switch {
	case letter == 'u' && quote == '&' && (l.peek(2) == '\'' || l.peek(2) == '"'):
		l.pos += 2
		if l.peek(0) == '\'' {
			l.single(start, false)
		} else {
			l.double(start)
		}
	case quote != '\'' && !(quote == '"' && l.doubleString):
		return false
	case letter == 'q' && l.alternative:
		return l.alternatively(start)
	case letter == 'e' && quote == '\'' && (l.escapeE || l.selectE && l.selected()):
		l.pos++
		l.escaped(start)
	case letter == 'r' && (l.raw || l.rawPairs):
		l.pos++
		l.until(start, stringToken, quote, quote, l.rawPairs)
	case letter == 'n', letter == 'b', letter == 'x':
		if l.pos++; quote == '"' {
			l.double(start)
		} else {
			l.single(start, l.backslash)
		}
	default:
		return false
	}
	return true
}

// escaped reads E'text' with the pieces that follow it on further lines: they belong to
// the same string, and are read in the same way (PostgreSQL manual, 4.1.2.2).
func (l *lexer) escaped(start int) {
	for {
		l.until(start, stringToken, '\'', '\'', true)
		next := l.continued()
		if next < 0 {
			return
		}
		l.pos = next
		l.tokens = l.tokens[:len(l.tokens)-1]
	}
}

// continued is where a string goes on behind a line break, or −1.
func (l *lexer) continued() int {
	lines := false
	for i := l.pos; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '\n' || c == '\r':
			lines = true
		case c == ' ' || c == '\t' || c == '\f' || c == '\v':
		case c == '-' && strings.HasPrefix(l.text[i:], "--"):
			end := strings.IndexAny(l.text[i:], "\n\r")
			if end < 0 {
				return -1
			}
			i += end - 1
		case c == '\'' && lines:
			return i
		default:
			return -1
		}
	}
	return -1
}

// alternatively reads q'[text]' of Oracle.
func (l *lexer) alternatively(start int) bool {
	opening := l.peek(2)
	if opening <= ' ' {
		return false
	}
	closing := opening
	if i := strings.IndexByte("[{(<", opening); i >= 0 {
		closing = "]})>"[i]
	}
	i := strings.Index(l.text[l.pos+3:], string([]byte{closing, '\''}))
	if i < 0 {
		l.unclosed(start, stringToken)
		return true
	}
	l.pos += 3 + i + 2
	l.emit(stringToken, start)
	return true
}
