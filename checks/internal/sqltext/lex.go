// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A tokenKind says what a token is to every database.
type tokenKind uint8

const (
	wordToken   tokenKind = iota // a keyword, or a name without quotes
	nameToken                    // a name in quotes
	stringToken                  // a string constant
	numberToken                  // a number
	symbolToken                  // an operator or a punctuation mark
)

// A token is a piece of a text that is not space or comment.
type token struct {
	kind       tokenKind
	start, end int // bytes of the text
	// low is a word that toolvet knows in lower case, or a symbol; "" for other tokens.
	low string
	// open means that the quote at the begin of the token is not closed.
	open bool
}

// A lexFault is text that no database should get, or that hides something.
type lexFault struct {
	at   int
	what string
}

// A lexer cuts a text into tokens.
type lexer struct {
	reading
	text   string
	pos    int
	tokens []token
	faults []lexFault
	// cut is where a quote or a comment begins that is not closed, or −1.
	cut int
	// runsComment marks a comment that some versions run, and running marks one that is still
	// open.
	runsComment, running bool
	// comments are the places of comments, for fragments.
	comments []int
}

// lex cuts a text into tokens. It never fails: what it cannot read is a fault.
func lex(text string, r reading, tokens []token) *lexer {
	l := &lexer{reading: r, text: text, tokens: tokens[:0], cut: -1}
	for l.pos < len(text) {
		l.next()
	}
	return l
}

func (l *lexer) fault(at int, what string) {
	if len(l.faults) < maxFaults {
		l.faults = append(l.faults, lexFault{at, what})
	}
}

// maxFaults bounds what is told of one text.
const maxFaults = 5

func (l *lexer) peek(n int) byte {
	if l.pos+n < len(l.text) {
		return l.text[l.pos+n]
	}
	return 0
}

// emit is not inlined: its copies weigh more than they save.
//
//go:noinline
func (l *lexer) emit(kind tokenKind, start int) *token {
	l.tokens = append(l.tokens, token{kind: kind, start: start, end: l.pos})
	return &l.tokens[len(l.tokens)-1]
}

func (l *lexer) next() {
	c := l.text[l.pos]
	switch {
	case c == ' ' || c >= '\t' && c <= '\r':
		l.pos++
	case l.comment(c), l.quoted(c):
	case l.tclVariables && strings.IndexByte("@#:$", c) >= 0 && l.tclVariable():
	case isDigit(c), c == '.' && isDigit(l.peek(1)):
		l.number()
	case isLetter(c), c >= utf8.RuneSelf, c == '@', c == '#' && l.hashName:
		l.word()
	default:
		l.symbol(c)
	}
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// number reads a number. Letters behind it are the next word, as they are for the
// databases that allow such a text at all.
func (l *lexer) number() {
	start := l.pos
	l.figures()
	if l.dollar && l.peek(0) == '$' && strings.ContainsAny(l.text[start:l.pos], "xX_") { // PostgreSQL up to 14: 0, and x$a$ is its alias
		l.fault(start, "a number that runs into a $, where some versions see a name and others a string")
	}
	l.emit(numberToken, start)
}

func (l *lexer) figures() {
	if l.text[l.pos] == '0' && l.peek(1)|0x20 == 'x' {
		for l.pos += 2; isHex(l.peek(0)); l.pos++ {
		}
		return
	}
	l.digits()
	if l.peek(0) == '.' && !(l.peek(1) == '.') {
		l.pos++
		l.digits()
	}
	if l.peek(0)|0x20 == 'e' {
		sign := 0
		if c := l.peek(1); c == '+' || c == '-' {
			sign = 1
		}
		if isDigit(l.peek(1 + sign)) {
			l.pos += 1 + sign
			l.digits()
		}
	}
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func (l *lexer) digits() {
	for isDigit(l.peek(0)) || l.peek(0) == '_' && isDigit(l.peek(1)) {
		l.pos++
	}
}

// word reads a word, a variable such as @@version, or a name with characters that
// are not ASCII.
func (l *lexer) word() {
	start := l.pos
	for l.peek(0) == '@' || l.peek(0) == '#' && l.pos == start {
		l.pos++
	}
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(l.text[l.pos:])
			if what := lookalike(r); what != "" {
				l.fault(l.pos, what)
			}
			l.pos += size
			continue
		}
		if !isLetter(c) && !isDigit(c) && c != '$' && !(c == '#' && l.hashName) {
			break
		}
		l.pos++
	}
	t := l.emit(wordToken, start)
	t.low = known(l.text[start:l.pos])
	if t.low == "" && l.pos == start+1 && l.text[start] == '@' {
		t.kind, t.low = symbolToken, "@"
	}
}

// tclVariable reads a variable as SQLite does: its name may hold ::, and go on in
// brackets, in which quotes count for nothing. It reports whether there was one.
func (l *lexer) tclVariable() bool {
	start, named := l.pos, false
	end := start + 1
	for end < len(l.text) {
		c := l.text[end]
		if strings.HasPrefix(l.text[end:], "::") {
			end++
		} else if !inWord(c) && c != '$' {
			break
		} else {
			named = true
		}
		end++
	}
	switch {
	case !named && end == start+1:
		return false
	case !named: // colons, which SQLite does not run
		l.pos = end
		l.emit(symbolToken, start).low = "::"
		return true
	}
	if i := bracketEnd(l.text[end:]); i > 0 {
		end += i
	}
	l.pos = end
	l.emit(wordToken, start)
	return true
}

// bracketEnd is how long the text in brackets is that a text begins with, or 0; it holds
// no space.
func bracketEnd(text string) int {
	if text == "" || text[0] != '(' {
		return 0
	}
	i := strings.IndexAny(text, ") \t\n\v\f\r")
	if i < 0 || text[i] != ')' {
		return 0
	}
	return i + 1
}

// lookalike says what is wrong with a character outside of quotes, or "".
func lookalike(r rune) string {
	switch {
	case unicode.IsSpace(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Cc, r):
		return "an invisible character outside of quotes, which is no space to most databases"
	case folded(r) != 0:
		return "a character outside of quotes that only looks like one of SQL's marks"
	case r == utf8.RuneError:
		return "a character that cannot be read"
	}
	return ""
}

// symbols are the marks of more than one character, the longest first.
var symbols = []string{"<=>", "->>", "#>>", "||/", "!~~", "::", "||", "&&", "<=", ">=", "<>", "!=", "!<", "!>", ":=", "->", "=>", "|>", "<<", ">>", "==", "**", "..", "#>"}

func (l *lexer) symbol(c byte) {
	start := l.pos
	if c < ' ' || c == 0x7f {
		l.fault(start, "a control character")
		l.pos++
		return
	}
	if next := l.peek(1); c == '\\' && next != 'N' && next != '\'' && next != '"' {
		l.fault(start, "a backslash outside of quotes, which begins a command of some clients")
	}
	if next := l.peek(1); next != ' ' && !isLetter(next) && !isDigit(next) {
		rest := l.text[l.pos:]
		for _, s := range symbols {
			if s[0] == c && strings.HasPrefix(rest, s) {
				l.pos += len(s)
				l.emit(symbolToken, start).low = s
				return
			}
		}
	}
	l.pos++
	l.emit(symbolToken, start).low = l.text[start:l.pos]
}

// hopeless reports whether no database would run any of what it read so: the text
// begins with a mark that no statement begins with.
func (l *lexer) hopeless() bool {
	return len(l.tokens) > 0 && l.tokens[0].kind == symbolToken && l.tokens[0].low != "(" && l.tokens[0].low != ";"
}
