// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"

	"github.com/toolvet/toolvet/internal/wordset"
)

// maxNesting bounds how deep brackets may be nested; SQLite's own bound is the same.
const maxNesting = 1000

// inside adds the kinds inside a statement that its first words do not show: SELECT … INTO, FOR
// UPDATE, data-modifying expressions, a second statement without a semicolon.
func (s *statement) inside() {
	queries := len(s.needs) > 0 && s.needs[len(s.needs)-1].kind == Select
	depth := 0
	for i := range s.tokens {
		switch word := s.tokens[i].low; word {
		case "":
			s.pragmaTable(i)
		case "with":
			if s.low(i-1) == "(" {
				s.nested(i)
			}
		case "(":
			if depth++; depth > maxNesting && s.deep == 0 {
				s.deep = i
			}
		case ")":
			depth--
		case "into":
			if queries && !s.isName(i) && !s.inserts(i-1) {
				s.into(i)
			}
		case "for", "lock", "updlock", "xlock", "tablockx", "tablock":
			if s.locks(i) {
				s.need(i, Lock, "a query that locks (FOR UPDATE, FOR SHARE)")
			}
		case "next", "nextval":
			if s.advances(i) {
				s.need(i, Update, "a value of a sequence, which it advances")
			}
		case "procedure":
			if s.names(i+1) && s.low(i+2) == "(" {
				s.need(i, Other, "a procedure that works on what a query finds")
			}
		default:
			if i > 0 && kindOf()[word] != "" && s.starts(i, depth) {
				s.need(i, kindOf()[word], "a statement of the kind "+string(kindOf()[word])+" within it")
			}
		}
	}
}

// nested adds the kind of the statement that follows common table expressions in brackets:
// PostgreSQL runs WITH a AS (WITH b AS (…) DELETE …).
func (s *statement) nested(i int) {
	if main := s.main(i); main >= 0 && kindOf()[s.low(main)] != Select {
		s.need(main, kindOf()[s.low(main)], "a statement of the kind "+string(kindOf()[s.low(main)])+" within it")
	}
}

// pragmaTable adds the kind of a PRAGMA's table, which runs the PRAGMA: SELECT * FROM
// pragma_optimize. SQLite takes a string for the name of a table, too.
func (s *statement) pragmaTable(i int) {
	const prefix = "pragma_"
	t := s.tokens[i]
	name := strings.TrimLeft(s.raw(i), "'\"`[")
	if t.kind > stringToken || len(name) < len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) ||
		readPragmas.Has(lower(strings.TrimRight(name[len(prefix):], "'\"`]"))) {
		return
	}
	switch before := s.low(i - 1); {
	case t.kind != stringToken, before == "from", before == "join", before == ",", before == ".":
		s.need(i, Pragma, "a PRAGMA that may change something")
	}
}

// isName reports whether the word at a place is a name: of a column behind a dot, or
// an alias behind AS.
func (s *statement) isName(i int) bool { return s.low(i-1) == "." || s.low(i-1) == "as" }

// inserts reports whether an INSERT or MERGE begins in brackets at a place.
func (s *statement) inserts(i int) bool {
	word := s.low(i)
	return s.low(i-1) == "(" && (word == "insert" || word == "merge")
}

// into adds what SELECT … INTO needs.
func (s *statement) into(i int) {
	switch next := s.low(i + 1); {
	case next == "outfile" || next == "dumpfile":
		s.need(i, Copy, "SELECT INTO OUTFILE, which writes a file")
	case s.variable(i + 1):
		s.need(i, Session, "SELECT INTO a variable")
	default:
		s.need(i, Create, "SELECT INTO, which makes a table")
	}
}

// locks reports whether what stands at a place locks rows or tables.
func (s *statement) locks(i int) bool {
	next, then := s.low(i+1), s.low(i+2)
	switch s.low(i) {
	case "for":
		return next == "update" || next == "share" || next == "no" && then == "key" || next == "key" && then == "share"
	case "lock":
		return next == "in" && then == "share"
	default: // a hint of SQL Server
		return s.low(i-1) == "(" || s.low(i-1) == ","
	}
}

// advances reports whether what stands at a place takes the next value of a sequence.
func (s *statement) advances(i int) bool {
	if s.low(i) == "next" {
		return s.low(i+1) == "value" && s.low(i+2) == "for"
	}
	return s.low(i-1) == "." && s.low(i+1) != "("
}

// starts reports whether a statement begins at a place within another: in brackets,
// behind a pipe, or where the dialect lets one follow without a semicolon.
func (s *statement) starts(i, depth int) bool {
	prev := s.low(i - 1)
	expected := prev == "(" || prev == "|>" || s.loose && depth <= 0 && s.ends(i-1)
	if !expected || s.isName(i) {
		return false
	}
	next := s.low(i + 1)
	last := i+1 == len(s.tokens)
	switch s.low(i) {
	case "insert", "ins":
		return s.follows(i+1) || next == "all" || next == "first" || next == "or"
	case "delete", "del":
		return s.follows(i+1) || next == "from"
	case "update", "upd", "merge", "truncate", "grant", "revoke", "deny", "backup", "restore", "dbcc", "bulk":
		return s.follows(i + 1)
	case "create", "alter":
		return s.follows(i+1) || next == "or"
	case "drop":
		return s.follows(i + 1)
	case "exec", "execute", "raiserror":
		return s.follows(i+1) || next == "(" || next == "as" && (s.word(i+2) == "login" || s.word(i+2) == "user" || s.word(i+2) == "caller")
	case "use":
		return s.follows(i+1) && next != "index" && next != "key"
	case "commit", "rollback":
		return next == "tran" || next == "transaction"
	case "writetext", "updatetext":
		return s.low(i+2) == "."
	case "waitfor":
		return next == "delay" || next == "time" || next == "("
	case "shutdown", "reconfigure":
		return last || next == "with"
	case "declare", "set":
		return s.variable(i + 1)
	case "kill":
		return !last && s.tokens[i+1].kind == numberToken
	}
	return false
}

// ends reports whether an expression or a clause may end at a token.
func (s *statement) ends(i int) bool {
	if i < 0 {
		return false
	}
	switch t := s.tokens[i]; t.kind {
	case symbolToken:
		return t.low == ")" || t.low == "*" || t.low == ":" // a label
	case wordToken:
		return !goesOn.Has(t.low) || s.isName(i)
	}
	return true
}

// goesOn are words before a name or an operand that are not names to SQL Server, which needs no
// semicolon.
var goesOn = wordset.New(`select where and or not on by from join in like is between then when case having as for of
	into distinct all union except intersect key with set values top full left right inner outer
	cross over default exists any some`)

// follows reports whether a token can be the first behind the first word of a statement:
// a name, or one of the words that stand before one.
func (s *statement) follows(i int) bool {
	if !s.names(i) {
		return false
	}
	switch s.low(i) {
	case "and", "or", "is", "in", "like", "between", "as", "from", "then", "else", "when", "end", "asc", "desc", "over", "not", "where",
		"group", "order", "union", "except", "intersect", "limit", "join", "on", "collate":
		return false
	}
	return true
}

func isSchemaObject(word string) bool { return schemaObjects.Has(word) }

var schemaObjects = wordset.New(`table view index database schema procedure function trigger user login role sequence type
	extension or unique materialized temp temporary column external`)
