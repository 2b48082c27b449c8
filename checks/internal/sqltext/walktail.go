// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import "github.com/toolvet/toolvet/internal/wordset"

// tail walks over the text behind an operand, until the brackets close, the text ends, or it is
// not SQL.
func (w *walk) tail() {
	for !w.broken && w.i < len(w.tokens) {
		t := w.tokens[w.i]
		switch {
		case t.low == ")" && w.level > 0:
			return
		case t.low == ";":
			w.endPart()
			w.stack()
			return
		case t.kind == symbolToken:
			w.operator(t.low)
		case t.kind == wordToken && t.low != "":
			w.wordOperator(t.low)
		case t.kind <= nameToken && w.queries > 0: // an alias
			w.i++
		default:
			w.broken = true
		}
	}
}

// operator walks over an operator and its right side.
func (w *walk) operator(symbol string) {
	switch symbol {
	case ")": // of a bracket before the value
		w.endPart()
		w.outside = true
		w.i++
		w.operators++
	case ",":
		w.endPart()
		w.binary()
	case "=", "==", "<>", "!=", "<", ">", "<=", ">=", "<=>", "~", "!~~", "!<", "!>":
		w.part.compares = true
		w.binary()
	case "&&", "||":
		w.join()
	case "+", "-", "*", "/", "%", "|", "&", "^", "<<", ">>", "**", "->", "->>", "::", ":=", "#>", "#>>":
		w.binary()
	default:
		w.broken = true
	}
}

func (w *walk) binary() {
	w.i++
	w.operators++
	w.operand()
}

func (w *walk) compare() {
	w.serious = true
	w.part.compares = true
	w.binary()
}

// join walks over AND, OR or the like.
func (w *walk) join() {
	first := w.i == 0 && w.quote == 0
	w.endPart()
	w.part = part{joined: true, first: first}
	w.serious = true
	w.binary()
}

// endPart weighs what stood behind AND or OR.
func (w *walk) endPart() {
	p := w.part
	w.part = part{}
	switch {
	case p.compares && p.calls > 1, p.joined && p.solid && p.compares, p.joined && p.nested, p.first && p.compares && !w.broken:
		w.condition = true
	case p.joined && p.solid && !w.broken:
		w.constant = true
	}
	w.serious = w.serious || p.compares && p.solid && p.name == "" && p.calls == 0
}

func (w *walk) wordOperator(word string) {
	next := w.low(w.i + 1)
	switch word {
	case "and", "or", "xor":
		w.join()
	case "in":
		if next == "boolean" || next == "natural" { // the mode of a full-text search
			w.i += 3
			w.operators++
			return
		}
		w.i++
		w.operators++
		if w.broken = w.low(w.i) != "("; w.broken {
			return
		}
		w.serious = true
		w.part.compares = true
		w.operand()
	case "like", "ilike", "rlike", "regexp", "between", "overlaps", "escape", "collate", "div", "mod":
		w.compare()
	case "similar", "sounds", "is":
		if next == "like" || next == "to" || next == "not" {
			w.i++
		}
		w.compare()
	case "not":
		if w.i++; next == "in" || next == "like" || next == "between" || next == "regexp" || next == "rlike" || next == "ilike" {
			w.compare()
			return
		}
		w.broken = true
	case "isnull", "notnull", "asc", "desc":
		w.i++
		w.operators++
	case "union", "except", "intersect", "minus":
		w.combine()
	default:
		w.clauses(word, next)
	}
}

// clauses walks over a clause of a query.
func (w *walk) clauses(word, next string) {
	switch {
	case (word == "order" || word == "group") && next == "by":
		w.i++
		w.ordered()
	case word == "having", (word == "limit" || word == "offset") && w.i+1 < len(w.tokens) && w.tokens[w.i+1].kind != stringToken:
		w.ordered()
	case word == "where" && (w.outside || w.queries > 0 || w.i == 0 || w.i == 1 && w.fixed(0) && w.quote == 0), word == "from" && w.queries > 0:
		w.ordered()
	case word == "as" && (w.queries > 0 || w.i == 0 || w.low(w.i+2) == "where") && w.names(w.i+1):
		w.i += 2
		w.outside = true
	case word == "for" && next == "update":
		w.i += 2
	case word == "lock" && next == "in" && w.low(w.i+2) == "share":
		w.i += 4
	case word == "uescape":
		w.binary()
	default:
		w.command()
	}
}

// ordered walks over a clause that begins with a word and operands.
func (w *walk) ordered() {
	having := w.low(w.i) == "having"
	w.endPart()
	w.serious = true
	w.binary()
	p := w.part
	w.clause = w.clause || p.solid && !w.broken
	w.condition = w.condition || p.calls > 0 && !w.broken
	w.part.joined = having
}

// combine walks over UNION and the query behind it.
func (w *walk) combine() {
	i := w.i + 1
	for modifiers.Has(w.fragment.word(i)) || w.low(i) == "(" {
		i++
	}
	switch {
	case i >= len(w.tokens):
		w.union = i > w.i+1 && w.commentEnds()
	case w.low(i) == "exec" || w.low(i) == "values", w.low(i) == "table" && w.names(i+1) && (w.part.solid || w.quote != 0):
		w.union = true
	case w.low(i) == "select":
		w.union = w.low(i-1) == "(" || w.listed(i+1) || (w.part.solid || w.quote != 0 && !w.quotation) && w.fromBehind(i+1) || w.i == 0 && i+1 >= len(w.tokens) || i+2 >= len(w.tokens) && (w.part.solid || w.clause || w.quote != 0)
	}
	w.broken = true
}

// fromBehind reports whether a FROM stands behind a token, at most the names and marks of a list later.
func (w *walk) fromBehind(i int) bool {
	for k := i + 1; k+1 < len(w.tokens) && k < i+maxNames; k++ {
		if w.low(k) == "from" && w.names(k+1) {
			return true
		}
	}
	return false
}

// selects walks over SELECT and its list; what follows is left to tail.
func (w *walk) selects() {
	w.i++
	listed := w.listed(w.i)
	w.part.nested = w.part.nested || listed
	w.query = w.query || w.level > 0 && listed
	w.serious = true
	w.queries++
	w.operators++
	for modifiers.Has(w.fragment.word(w.i)) {
		w.i++
	}
	if w.low(w.i) == "top" {
		w.i += 2
	}
	w.operand()
	w.part.solid = true
}

// modifiers stand before UNION's query, or before the list of a query: the SELECT statements of MySQL, MariaDB and Oracle have
// the long ones.
var modifiers = wordset.New(`all distinct distinctrow unique high_priority straight_join sql_small_result sql_big_result
	sql_buffer_result sql_cache sql_no_cache sql_calc_found_rows`)

// listed reports whether the list of a query, and no prose, begins at a token.
func (f *fragment) listed(i int) bool {
	for f.low(i) != "distinct" && modifiers.Has(f.word(i)) {
		i++
	}
	if f.fixed(i) {
		return true
	}
	switch f.low(i) {
	case "null", "*", "(", "-", "top", "distinct", "case":
		return true
	}
	switch f.low(i + 1) {
	case ",", "(", "from", ".", "..", "*":
		return f.names(i)
	}
	return false
}
