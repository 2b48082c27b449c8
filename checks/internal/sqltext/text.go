// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"slices"
	"strings"
)

// A Text is SQL as one database reads it, for packages that ask that database.
type Text struct {
	source     string
	statements []statement
}

// Read cuts a text into statements as the database of a dialect does; of a dialect with
// several readings, in the first.
func Read(text, dialect string) *Text {
	readings := dialects[dialectOf(dialect)]
	if len(readings) == 0 {
		return &Text{source: text}
	}
	t := &Text{source: text, statements: split(text, lex(text, readings[0], nil).tokens, false)}
	for i := range t.statements {
		t.statements[i].examine()
	}
	return t
}

// Statements is how many statements there are.
func (t *Text) Statements() int { return len(t.statements) }

// Kinds are the kinds of the statements, in their order.
func (t *Text) Kinds() []Kind {
	var list []Kind
	for _, s := range t.statements {
		for _, n := range s.needs {
			list = append(list, n.kind)
		}
	}
	return list
}

// Explains reports whether the text is an EXPLAIN itself.
func (t *Text) Explains() bool {
	return slices.ContainsFunc(t.statements, func(s statement) bool {
		return s.low(0) == "explain" || s.low(0) == "describe" || s.low(0) == "desc"
	})
}

// A Name is the name of a table or a function in a text.
type Name struct {
	Written string // as the text has it, with its schema and its quotes
	Last    string // its last part, without quotes
	At      int    // the byte where it begins
	// Privilege is a required privilege on a table: SELECT, INSERT, UPDATE or DELETE.
	Privilege string
}

// Calls are the called functions, and other names in the form of a call.
func (t *Text) Calls() []Name {
	var list []Name
	for i := range t.statements {
		s := &t.statements[i]
		for k := range s.tokens {
			if s.names(k) && s.low(k+1) == "(" && !reserved.Has(s.low(k)) && len(list) < maxNames {
				list = append(list, s.nameFrom(s.first(k)))
			}
		}
	}
	return list
}

// maxNames bounds how many names of a text are looked up.
const maxNames = 200

// NameAt is the name at a byte of the text.
func (t *Text) NameAt(at int) (Name, bool) {
	for i := range t.statements {
		s := &t.statements[i]
		for k, token := range s.tokens {
			if s.names(k) && token.start <= at && at < token.end {
				return s.nameFrom(s.first(k)), true
			}
		}
	}
	return Name{}, false
}

// Find is the first name whose last part is the given one; case does not matter.
func (t *Text) Find(last string) (Name, bool) {
	for i := range t.statements {
		s := &t.statements[i]
		for k := range s.tokens {
			if s.names(k) && strings.EqualFold(s.part(k), last) {
				return s.nameFrom(s.first(k)), true
			}
		}
	}
	return Name{}, false
}

// Near is where the only occurrence of a piece of the text begins.
func (t *Text) Near(piece string) (at int, ok bool) {
	if piece == "" || strings.Count(t.source, piece) != 1 {
		return 0, false
	}
	return strings.Index(t.source, piece), true
}

// first is the first part of the name that has a part at a token.
func (s *statement) first(i int) int {
	for s.low(i-1) == "." && s.names(i-2) {
		i -= 2
	}
	return i
}

// nameFrom reads the name that begins at a token.
func (s *statement) nameFrom(i int) Name {
	at, last := s.tokens[i].start, i
	var written strings.Builder
	written.WriteString(s.raw(i))
	for s.low(last+1) == "." && s.names(last+2) {
		last += 2
		written.WriteString("." + s.raw(last))
	}
	return Name{Written: written.String(), Last: s.part(last), At: at}
}

// part is the name at a token without its quotes.
func (s *statement) part(i int) string {
	raw := s.raw(i)
	if s.tokens[i].kind != nameToken || len(raw) < 2 {
		return raw
	}
	quote := raw[len(raw)-1:]
	return strings.ReplaceAll(raw[1:len(raw)-1], quote+quote, quote)
}
