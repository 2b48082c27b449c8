// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"

	"github.com/toolvet/toolvet/internal/wordset"
)

// loud describes an effect of a fragment that nobody writes in a text, at any place; "" if
// nothing.
func (f *fragment) loud() string {
	for i := range f.tokens {
		next := f.low(i + 1)
		if next == ":=" && f.at(i) {
			return "sets a variable (:=)"
		}
		switch f.low(i) {
		case "waitfor":
			if (next == "delay" || next == "time") && f.fixed(i+2) {
				return "waits (WAITFOR)"
			}
		case "procedure":
			if next == "analyse" && f.low(i+2) == "(" {
				return "runs a procedure"
			}
		case "into":
			if (next == "outfile" || next == "dumpfile") && (f.fixed(i+2) || f.low(i+2) == "(" || f.low(i+3) == "(") {
				return "writes a file (INTO OUTFILE)"
			}
		case "exec", "execute":
			if f.extended(i + 1) {
				return "runs a procedure (EXEC)"
			}
			if next == "(" && f.at(i+2) {
				return "runs a text as SQL (EXEC)"
			}
		case "declare":
			if f.at(i+1) && (i+2 == len(f.tokens) || f.names(i+2) || f.low(i+2) == "table" || f.low(i+2) == "as") {
				return "adds a second statement (DECLARE)"
			}
		case "exists":
			if f.low(i-1) == "if" && next == "(" && f.low(i+2) == "select" {
				return "adds a second statement"
			}
		case "and", "or", "xor", "&&", "||":
			if f.tautology(i + 1) {
				return "adds a condition (AND, OR)"
			}
		case "union":
			if f.unites(i + 1) {
				return "adds a second query (UNION)"
			}
		case "select":
			if len(f.comments) > 0 && f.reads(i) {
				return "adds a query, and holds a comment"
			}
		}
	}
	return ""
}

// unites reports whether a query of a constant begins behind UNION.
func (f *fragment) unites(i int) bool {
	for modifiers.Has(f.word(i)) {
		i++
	}
	return f.low(i) == "select" && f.fixed(i+1)
}

// tautology reports whether two numbers, or a text and itself, are compared at a place,
// as in 1=1 and 'a'='a'.
func (f *fragment) tautology(i int) bool {
	for f.low(i) == "not" || f.low(i) == "(" {
		i++
	}
	if i+2 >= len(f.tokens) || !comparisons.Has(f.low(i+1)) {
		return false
	}
	left, right := f.tokens[i], f.tokens[i+2]
	switch {
	case left.kind != right.kind:
		return false
	case left.kind == numberToken:
		return true
	case left.kind == stringToken:
		return strings.Trim(f.raw(i), `'"`) == strings.Trim(f.raw(i+2), `'"`)
	}
	return false
}

var comparisons = wordset.New("= == <> != < > <= >= <=> like rlike regexp")

// at reports whether there is a variable of SQL Server at a place.
func (f *fragment) at(i int) bool { return i < len(f.tokens) && f.text[f.tokens[i].start] == '@' }

// fixed reports whether there is a string, a number or a variable at a place.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (f *fragment) fixed(i int) bool {
	if i >= len(f.tokens) {
		return false
	}
	t := f.tokens[i]
	return t.kind == stringToken || t.kind == numberToken || f.text[t.start] == '@'
}

// extended reports whether the name at a place is a procedure that comes with SQL Server:
// xp_cmdshell, master..sp_oacreate.
func (f *fragment) extended(i int) bool {
	const longest = 6 // tokens: server.database.owner.name
	for k := i; k <= i+longest; k++ {
		switch dot := f.low(k) == "." || f.low(k) == ".."; {
		case !dot && !f.names(k):
			return false
		case !dot:
			name := lower(strings.Trim(f.raw(k), "\"[]"))
			if strings.HasPrefix(name, "xp_") || strings.HasPrefix(name, "sp_") {
				return true
			}
		}
	}
	return false
}

// reads reports whether SELECT at a place has a list that is no prose, and FROM.
func (f *fragment) reads(i int) bool {
	listed := false
	for far := min(len(f.tokens), i+maxNames); i+1 < far; {
		i++
		switch f.low(i) {
		case "from":
			return listed || f.names(i+1) && f.names(i-1) && f.low(i-2) == "select"
		case "(", ",", "*":
			listed = true
		}
		listed = listed || f.fixed(i)
	}
	return false
}
