// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/wordset"
)

// A fragment is a value as the SQL that it would be in one place.
type fragment struct {
	statement
	comments    []int
	quote       byte // that the value has left, or 0
	quotation   bool // the quote opens a quotation rather than closes a string
	typographic bool // and nothing in and behind it is worth a condition
}

// found says what the fragment does to the statement, walking from a token behind an
// operand or before one.
func (f *fragment) found(i int, behind bool) string {
	w := &walk{fragment: f, i: i}
	w.start(behind)
	switch {
	case w.deep:
		return "nests deeper than a value does"
	case w.union:
		return "adds a second query (UNION)"
	case w.stacked:
		return "adds a second statement"
	case w.call:
		return "calls a function that is not for values"
	case w.query:
		return "adds a query"
	case w.condition:
		return "adds a condition (AND, OR)"
	case f.quote == 0 && w.serious && w.commented():
		return "goes on as SQL and comments out what follows"
	case f.quote != 0 && !f.typographic && f.brackets(i):
		return "adds a query"
	case f.quote != 0 && !f.typographic:
		return w.leaves()
	}
	return ""
}

// brackets reports whether a query in brackets begins at a token, or behind brackets that close there. No operator stands before
// it, so few databases read it, but nobody writes it in prose, other than a word and a remark: "(select team (under 12))".
func (f *fragment) brackets(i int) bool {
	for f.low(i) == ")" {
		i++
	}
	opens := i
	for f.low(i) == "(" {
		i++
	}
	remark := f.names(i+1) && f.low(i+2) == "(" && f.tokens[i+1].end < f.tokens[i+2].start
	return i > opens && f.queryAt(i) && !remark
}

// leaves describes a walk that left its quotes and has no effect that a bare value would report.
func (w *walk) leaves() string {
	switch {
	case w.constant:
		return "adds a condition (AND, OR)"
	case w.commented() || w.commentEnds() && w.steps(1):
		return "leaves its quotes and comments out what follows"
	case w.operators > 0 && w.closes(), w.clause, w.rejoins():
		return "leaves its quotes and goes on as SQL"
	}
	return ""
}

// steps reports whether what stands at a token is more likely SQL than prose behind a
// quote: nothing, a mark that ends an operand, AND or OR.
func (w *walk) steps(i int) bool {
	switch w.low(i) {
	case ")", ";", "and", "or", "||", "&&":
		return true
	}
	return i >= len(w.tokens)
}

// commented reports whether the walk came to the end, and a comment is there.
func (w *walk) commented() bool { return !w.broken && w.i >= len(w.tokens) && w.commentEnds() }

// commentEnds reports whether the value ends with a comment.
func (f *fragment) commentEnds() bool {
	if len(f.comments) == 0 {
		return false
	}
	last := f.comments[len(f.comments)-1]
	return last >= f.tokens[len(f.tokens)-1].end && !f.exclusion(last) && !f.reference(last)
}

// cutsOff reports whether a bare value is a number, or one that closes brackets, and comments out the rest of the statement or ends
// it: "1 --" behind "WHERE id =" takes a second condition away, and so does "1;" for a driver that reads one statement. "9
// -- 5" is a range, and "80 # the port" a line of settings.
func (f *fragment) cutsOff() bool {
	if f.quotedCut() {
		return true
	}
	last := len(f.tokens) - 1
	ends := f.low(last) == ";" && last > 0 && last == slices.IndexFunc(f.tokens, func(t token) bool { return t.low == ";" })
	if !f.commentEnds() && !ends || !slices.ContainsFunc(f.tokens, func(t token) bool { return t.kind == numberToken }) {
		return false
	}
	for i, t := range f.tokens {
		sign := i == 0 && (f.low(i) == "-" || f.low(i) == "+")
		if t.kind != numberToken && f.low(i) != ")" && !sign && !(ends && i == last) {
			return false
		}
	}
	if !f.commentEnds() {
		return true
	}
	comment := f.text[f.comments[len(f.comments)-1]:]
	behind := strings.TrimSpace(strings.TrimLeft(comment, "-#/*"))
	prose := behind != "" && (isDigit(behind[0]) || comment[0] == '#')
	return !prose && !strings.Contains(comment, "*/")
}

// quotedCut reports whether a bare value is a string in its own quotes that comments out the rest, with brackets that it closes or none, as in
// 'a')-- and 'a' --. A quotation has its source behind the dashes.
func (f *fragment) quotedCut() bool {
	if f.tokens[0].kind != stringToken && f.text[f.tokens[0].start] != '"' || !f.commentEnds() {
		return false
	}
	for i := range f.tokens[1:] {
		if f.low(i+1) != ")" {
			return false
		}
	}
	return strings.Trim(f.text[f.comments[len(f.comments)-1]:], "-#/* ") == ""
}

// continued reports whether a bare value is a number, and a comparison with a constant or a clause with one to its end, as in "1
// between 0 and 9" and "1 order by 3". Without a number before, it may be AND or OR and a constant.
func (f *fragment) continued() bool {
	left, number := f.numeric()
	i := left
	for number && (i == left || f.low(i) == ")") {
		i++
	}
	switch word := f.low(i); {
	case word == "for" && number && (f.word(i+1) == "xml" || f.word(i+1) == "json"), word == "," && number && f.at(i+1):
		return true
	case number && f.low(left+1) == ")" && f.commentEnds() && strings.Trim(f.text[f.comments[len(f.comments)-1]:], "-#/* ") == "":
		return true
	}
	w := &walk{fragment: f}
	if w.start(!number); w.broken || w.i < len(f.tokens) || !number && i > 0 {
		return false
	}
	next := f.low(i + 1)
	truth := truthWords.Has(next)
	constant := truth || f.fixed(i+1) || next == "(" || next == "-"
	switch word := f.low(i); word {
	case ",":
		return number && f.callsAt(i+1)
	case "and", "or", "xor":
		if number && f.callsAt(i+1) {
			return true
		}
		ends := i+2 == len(f.tokens) || clauseWords.Has(f.low(i+2))
		return number && (next == "not" || next == "!" || next == "~") || constant && ends && (!number || truth || i+2 < len(f.tokens) || f.raw(left) == f.raw(i+1))
	case "&&", "||":
		return constant || next == "!" || next == "~" || next == "not"
	case "is":
		return number && (truth || next == "not" || next == "distinct")
	case "isnull", "notnull":
		return number
	case "not", "between", "in", "similar", "ilike":
		return number && (constant || next == "between" || next == "in" || next == "like" || next == "to")
	case "order", "group":
		return number && next == "by" && f.fixed(i+2)
	case "limit", "offset":
		return number && f.fixed(i+1)
	case "for":
		return number && locks.Has(next)
	default:
		return number && constant && comparisons.Has(word)
	}
}

// callsAt reports whether an operand at a token is a call, or has one in brackets.
func (f *fragment) callsAt(i int) bool {
	for f.low(i) == "not" || f.low(i) == "(" || f.low(i) == "!" || f.low(i) == "-" {
		i++
	}
	return f.names(i) && f.low(i+1) == "("
}

// numeric returns the place of the number that a bare value begins with.
func (f *fragment) numeric() (i int, ok bool) {
	for f.low(i) == "-" || f.low(i) == "+" || f.low(i) == "(" {
		i++
	}
	return i, f.quote == 0 && i < len(f.tokens) && f.tokens[i].kind == numberToken && f.text[f.tokens[i].end-1] != '.' // of a list
}

var clauseWords = wordset.New("limit order group having union for procedure into offset fetch")

var truthWords = wordset.New("true false null unknown")

// reference reports whether the mark at a place of a bare value stands before a number,
// as in "(#1234)".
func (f *fragment) reference(at int) bool {
	return f.quote == 0 && f.text[at] == '#' && at+1 < len(f.text) && isDigit(f.text[at+1]) && f.text[at-1] == '('
}

// exclusion reports whether the marks at a place exclude a word from a search, in a text with
// more of them: "dress -blue -red --green". The text before such marks is not a value that a
// comment could end.
func (f *fragment) exclusion(at int) bool {
	return at+2 < len(f.text) && f.text[at] == '-' && isLetter(f.text[at+2]) && f.text[at-1] == ' ' &&
		strings.Count(f.text[:f.tokens[0].end], " -") >= 2
}

// closes reports whether the statement can go on behind the value: the quote that
// follows it closes a string.
func (w *walk) closes() bool {
	last := w.tokens[len(w.tokens)-1]
	return !w.broken && w.i >= len(w.tokens) && last.open && w.text[last.start] == w.quote
}

// rejoins reports whether the value ends as one does that makes the rest of the statement
// fit again: AND '1.
func (f *fragment) rejoins() bool {
	n := len(f.tokens)
	last := f.tokens[n-1]
	if n < 3 || !last.open || f.text[last.start] != f.quote || strings.ContainsAny(f.raw(n-1), " \t\n") {
		return false
	}
	switch f.low(n - 2) {
	case "and", "or", "xor", "&&", "||":
		return true
	}
	return false
}
