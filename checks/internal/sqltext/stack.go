// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import "strings"

// stack looks at what follows a semicolon.
func (w *walk) stack() {
	for w.low(w.i) == ";" {
		w.i++
	}
	w.operators++
	if w.i >= len(w.tokens) {
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	_, number := w.numeric()
	switch word := w.low(w.i); {
	case w.depth >= maxDepth:
		w.deep = true
	case w.commands(w.i), kindOf()[word] != "" && w.commentEnds():
		w.stacked = true
	case number && kindOf()[word] != "" && word != "exec" && word != "execute":
		w.stacked = true
	case word == "select":
		w.stacked = w.listed(w.i + 1)
	case word == "and" || word == "or":
		w.tail()
	default:
		w.operand()
		w.tail()
	}
	w.broken = true
}

// command looks at a word that may begin a statement without a semicolon, as SQL
// Server allows.
func (w *walk) command() {
	_, number := w.numeric()
	switch {
	case w.quote != 0 && !w.typographic:
		w.stacked = w.commentEnds() && kindOf()[w.low(w.i)] != "" || !w.quotation && (w.commands(w.i) || w.asks(w.i))
	case number && (w.commands(w.i) || w.low(w.i) == "select" && w.listed(w.i+1)):
		w.stacked = true
	case w.quote == 0 && w.i > 0 && w.commands(w.i):
		w.stacked = w.commentEnds() || w.assigns(w.i) || kindOf()[w.low(w.i)] == Call
	}
	w.broken = true
}

// asks reports whether a query begins at a token, and ends with the value's semicolon or selects a setting (@@version): SQL
// Server needs no semicolon before it. Prose such as "the boys' select team (under 12)" has neither.
func (f *fragment) asks(i int) bool {
	setting := f.at(i+1) && strings.HasPrefix(f.text[f.tokens[i+1].start:], "@@")
	return f.low(i) == "select" && (setting || f.listed(i+1) && f.low(len(f.tokens)-1) == ";")
}

// commands reports whether a statement, and no prose, begins at a token.
func (f *fragment) commands(i int) bool {
	next := f.low(i + 1)
	switch f.low(i) {
	case "exec", "execute":
		return f.executes(i + 1)
	case "if":
		then := i + 4 // IF a = b …
		if next == "(" {
			then = f.closing(i+1) + 1
		}
		return (next == "(" || comparisons.Has(f.low(i+2))) && (f.commands(then) || f.low(then) == "select" && f.listed(then+1))
	case "call":
		return f.names(i+1) && f.low(i+2) == "("
	case "print":
		return f.fixed(i + 1)
	case "begin":
		return f.commands(i+1) || next == "select" && f.listed(i+2)
	case "declare":
		return f.fixed(i+1) || f.low(i+2) == "cursor"
	case "update":
		return f.assigns(i)
	case "drop", "create", "alter", "truncate":
		return f.begins(i) != "" && (f.names(i+2) || f.low(i+2) == "if")
	}
	return next != "" && f.begins(i) != ""
}

// executes reports whether what follows EXEC is a procedure with its arguments, or a
// text in brackets.
func (f *fragment) executes(i int) bool {
	if f.low(i) == "(" || f.low(i) == "as" {
		return true
	}
	if !f.names(i) {
		return false
	}
	for i++; f.low(i) == "." || f.low(i) == ".."; i += 2 {
	}
	return i >= len(f.tokens) || f.fixed(i) || f.low(i) == ";" || f.low(i-2) == "." || f.low(i-2) == ".."
}

// assigns reports whether UPDATE at a token goes on to an assignment.
func (f *fragment) assigns(i int) bool {
	if f.begins(i) != Update {
		return false
	}
	for ; i+2 < len(f.tokens); i++ {
		if f.low(i) == "set" {
			return f.names(i+1) && (f.low(i+2) == "=" || f.low(i+2) == ".")
		}
	}
	return false
}
