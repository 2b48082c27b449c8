// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"

	"github.com/toolvet/toolvet/internal/wordset"
)

// A need is a kind that must be allowed for a statement, and why.
type need struct {
	kind Kind
	what string // what of the statement needs it, as a noun phrase
	at   int    // where it stands in the text
}

// A statement is one of a text's statements, as one reading has it.
type statement struct {
	text   string
	tokens []token // without the semicolon; at least one
	loose  bool    // another statement may follow without a semicolon
	needs  []need
	deep   int   // the first token that is nested too deep, or 0
	closes []int // for each token that opens a bracket, the one that closes it; nil if not asked for yet
}

// split cuts tokens into statements at semicolons, and for loose dialects at lines that
// hold GO alone. Empty statements are left out.
func split(text string, tokens []token, loose bool) []statement {
	var list []statement
	start := 0
	for i := range tokens {
		if tokens[i].low == ";" || loose && separates(text, tokens, i) {
			list = appendStatement(list, text, tokens[start:i], loose)
			start = i + 1
		}
	}
	return appendStatement(list, text, tokens[start:], loose)
}

func appendStatement(list []statement, text string, tokens []token, loose bool) []statement {
	if len(tokens) == 0 {
		return list
	}
	return append(list, statement{text: text, tokens: tokens, loose: loose})
}

// separates reports whether a token is GO on a line of its own: clients of SQL Server send the
// text before it.
func separates(text string, tokens []token, i int) bool {
	t := tokens[i]
	if t.low != "go" {
		return false
	}
	return (i == 0 || strings.Contains(text[tokens[i-1].end:t.start], "\n")) &&
		(i+1 == len(tokens) || strings.Contains(text[t.end:tokens[i+1].start], "\n"))
}

// low is the known word or the symbol at a place, or "" where there is none. It is not inlined: more than 300 copies of it weigh 10 kB.
//
//go:noinline
func (s *statement) low(i int) string {
	if uint(i) >= uint(len(s.tokens)) { // also below 0
		return ""
	}
	return s.tokens[i].low
}

// names reports whether there is a word or a quoted name at a place.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (s *statement) names(i int) bool {
	return uint(i) < uint(len(s.tokens)) && s.tokens[i].kind <= nameToken
}

// raw is the text of a token.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (s *statement) raw(i int) string { return s.text[s.tokens[i].start:s.tokens[i].end] }

// variable reports whether there is a variable such as @x at a place.
func (s *statement) variable(i int) bool {
	return i < len(s.tokens) && s.text[s.tokens[i].start] == '@'
}

// closing is the place of the bracket that closes the one at a place, or the last token.
func (s *statement) closing(i int) int {
	if s.closes == nil {
		s.closes = make([]int, len(s.tokens))
		var open []int
		for k := range s.tokens {
			switch s.low(k) {
			case "(":
				s.closes[k] = len(s.tokens) - 1
				open = append(open, k)
			case ")":
				if len(open) > 0 {
					s.closes[open[len(open)-1]] = k
					open = open[:len(open)-1]
				}
			}
		}
	}
	return s.closes[i]
}

// need is not inlined: its copies weigh more than they save.
//
//go:noinline
func (s *statement) need(i int, kind Kind, what string) {
	at := len(s.text)
	if i < len(s.tokens) {
		at = s.tokens[i].start
	}
	s.needs = append(s.needs, need{kind, what, at})
}

// needKind adds a kind that is its own reason.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (s *statement) needKind(i int, kind Kind) {
	s.need(i, kind, "a statement of the kind "+string(kind))
}

// examine finds out which kinds a statement needs.
func (s *statement) examine() {
	s.from(0)
	s.inside()
}

// from adds the kind of the statement that begins at a token.
func (s *statement) from(i int) {
	for s.low(i) == "(" {
		i++
	}
	next := s.low(i + 1)
	switch word := s.low(i); {
	case word == "explain" || word == "describe" || word == "desc":
		s.explain(i)
	case word == "with":
		s.with(i)
	case word == "begin":
		s.begin(i)
	case word == "start" && next != "transaction":
		s.needKind(i, Maintenance) // START REPLICA
	case word == "pragma":
		s.pragma(i)
	case word == "replace" && isSchemaObject(next):
		s.needKind(i, Create) // REPLACE VIEW of Teradata
	case word == "load" && i+1 < len(s.tokens) && s.tokens[i+1].kind == stringToken:
		s.need(i, Other, "LOAD of a library")
	case kindOf()[word] == "":
		s.need(i, Other, "a statement that toolvet does not know")
	default:
		s.needKind(i, kindOf()[word])
	}
}

// explain adds the kind of the statement that is explained: some databases run it
// (EXPLAIN ANALYZE), and all show what is in it.
func (s *statement) explain(i int) {
	for i++; i < len(s.tokens); i++ {
		word := s.low(i)
		switch {
		case word == "(" && !s.query(i+1):
			i = s.closing(i) // options
		case word == "set" || word == "into": // EXPLAIN PLAN SET … INTO … of Oracle
			s.need(i, Other, "EXPLAIN that writes its result")
			return
		case explainOptions.Has(word):
		case s.low(i+1) == "=" && kindOf()[s.low(i+2)] == "": // an option with a value
			i += 2
		case word == "(" || kindOf()[word] != "" && i+1 < len(s.tokens):
			s.from(i)
			return
		default: // the name of a table
			s.needKind(i, Show)
			return
		}
	}
	s.needKind(i, Show)
}

// explainOptions are what may stand between EXPLAIN and the statement.
var explainOptions = wordset.New("analyze analyse verbose extended partitions format json traditional tree text yaml xml query plan for settings = ,")

// query reports whether a query or another statement begins at a token, and no list of
// options.
func (s *statement) query(i int) bool {
	for s.low(i) == "(" {
		i++
	}
	switch word := s.low(i); word {
	case "analyze", "analyse", "set", "check", "copy", "cluster":
		return false
	default:
		return kindOf()[word] != ""
	}
}

// with adds the kind of the statement that follows the common table expressions. Those
// are looked at by inside.
func (s *statement) with(i int) {
	if next := s.low(i + 1); next == "function" || next == "procedure" {
		s.need(i, Other, "WITH FUNCTION, which holds a program")
		return
	}
	main := s.main(i)
	if main < 0 {
		s.need(i, Other, "WITH and no statement that toolvet knows")
		return
	}
	s.from(main)
}

// main is where the statement begins that follows the common table expressions behind
// WITH at a place, or −1.
func (s *statement) main(i int) int {
	if s.low(i+1) == "recursive" {
		i++
	}
	i++ // a name, or what is before AS
	if s.low(i) == "(" {
		i = s.closing(i)
	}
	for i++; i < len(s.tokens); i++ {
		switch s.word(i) {
		case "(":
			if s.low(i-1) == ")" && s.query(i+1) {
				return i
			}
			i = s.closing(i)
		case ")": // of a bracket around it all
			return -1
		case ",", "set", "using", "by", "cycle": // SEARCH and CYCLE give names to columns
			i++ // the next name
		case "select", "sel", "values", "table", "from", "insert", "replace", "update", "delete", "merge":
			return i
		}
	}
	return -1
}

// word is the word or the mark at a place in lower case, known or not, or "".
func (s *statement) word(i int) string {
	if low := s.low(i); low != "" || i >= len(s.tokens) || s.tokens[i].kind != wordToken {
		return low
	}
	return lower(s.raw(i))
}

// begin distinguishes the begin of a transaction from a block of statements.
func (s *statement) begin(i int) {
	for k := i + 1; k < len(s.tokens); k++ {
		if !transactionWords.Has(lower(s.raw(k))) {
			s.need(i, Call, "a block of statements")
			return
		}
	}
	s.needKind(i, Transaction)
}

var transactionWords = wordset.New(`work transaction tran isolation level read only write committed uncommitted repeatable
	serializable snapshot deferrable not deferred immediate exclusive concurrent ,`)

// readPragmas are the pragmas of SQLite that change nothing, even with an argument.
var readPragmas = wordset.New(`table_info table_xinfo table_list index_info index_list index_xinfo foreign_key_list
	foreign_key_check database_list collation_list function_list module_list pragma_list compile_options
	integrity_check quick_check`)

// pragma distinguishes reading PRAGMAs from those that may change something.
func (s *statement) pragma(i int) {
	i++
	if s.low(i+1) == "." {
		i += 2
	}
	if s.names(i) && readPragmas.Has(lower(s.raw(i))) && s.low(i+1) != "=" {
		s.needKind(i, Show)
		return
	}
	s.need(i, Pragma, "a PRAGMA that may change something")
}
