// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"net/url"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// literal judges a value that a server puts into a statement: as a string in single or
// double quotes, or bare as a number. It is refused if, in one of these places, the
// statement would be another one with it.
func (j *judgement) literal() {
	if i := strings.IndexByte(j.text, 0); i >= 0 {
		j.fault(check.SecurityLevel, "has a NUL character at "+Place(j.text, i)+", at which some databases stop reading", "remove it")
		return
	}
	for _, text := range spellings(j.text) {
		for _, r := range literalReadings(j.dialect, text) {
			for _, quote := range [...]string{"", "'", `"`} {
				if what := changes(text, quote, r); what != "" {
					j.fault(check.SecurityLevel, "would change the statement that it is put into: it "+what,
						"send a value alone; who writes the server should bind it as a parameter")
					return
				}
			}
		}
	}
}

// maxDecodings is how often a value's percent-escapes are decoded.
const maxDecodings = 3

// spellings are the texts that a value may become before a database sees it: itself,
// with its percent-escapes decoded, and with its look-alike characters folded.
func spellings(text string) []string {
	list := []string{text}
	add := func(s string) {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for range maxDecodings {
		last := list[len(list)-1]
		if !strings.Contains(last, "%") {
			break
		}
		if decoded, err := url.PathUnescape(last); err == nil {
			add(strings.ReplaceAll(decoded, "+", " "))
			add(decoded)
		}
	}
	for _, s := range list {
		if strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) >= 0 {
			add(fold(s))
		}
	}
	return list
}

// literalReadings are the readings of a dialect that may differ over a value.
func literalReadings(dialect, text string) []reading {
	all := dialects[dialect]
	if dialect == "generic" {
		all = commonReadings
	}
	var list []reading
	for _, r := range distinct(all, text) {
		r.bracket, r.hashName = false, false // no place for a value
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// changes says what a value does to the statement that it is put into after a quote,
// or after none; "" if it stays a value.
func changes(text, quote string, r reading) string {
	if quote != "" && !strings.Contains(text, quote) {
		return ""
	}
	l := lex(quote+text, r, nil)
	if len(l.tokens) == 0 || quote != "" && l.tokens[0].open {
		return ""
	}
	if l.runsComment {
		return "holds a comment that some databases run"
	}
	f := &fragment{statement: statement{text: l.text, tokens: l.tokens}, comments: l.comments}
	if what := f.loud(); what != "" {
		return what
	}
	if quote != "" {
		f.quote = quote[0]
		f.typographic = typographic(text, quote[0])
		return f.found(1, true)
	}
	if what := f.found(0, false); what != "" {
		return what
	}
	return f.found(0, true)
}

// A fragment is a value as the SQL that it would be in one place.
type fragment struct {
	statement
	comments    []int
	quote       byte // that the value has left, or 0
	typographic bool // the quote opens a quotation rather than closes a string
}

// found says what the fragment does to the statement, walking from a token behind an
// operand or before one.
func (f *fragment) found(i int, behind bool) string {
	w := &walk{fragment: f, i: i}
	w.start(behind)
	switch {
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
	case f.quote != 0 && !f.typographic:
		return w.leaves()
	}
	return ""
}

// leaves says what a walk does that left its quotes, and did nothing that would be
// told of a bare value.
func (w *walk) leaves() string {
	switch {
	case w.constant:
		return "adds a condition (AND, OR)"
	case w.commented() || w.commentEnds() && w.steps(1):
		return "leaves its quotes and comments out what follows"
	case w.operators > 0 && w.closes(), w.clause:
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

// reference reports whether the mark at a place of a bare value stands before a number,
// as in "(#1234)".
func (f *fragment) reference(at int) bool {
	return f.quote == 0 && f.text[at] == '#' && at+1 < len(f.text) && isDigit(f.text[at+1])
}

// exclusion reports whether the marks at a place stand before a word that a search
// leaves out, in a text that has more of them: "dress -blue -red --green". What stands
// before such marks is no value that a comment could be meant to end.
func (f *fragment) exclusion(at int) bool {
	return at+2 < len(f.text) && f.text[at] == '-' && isLetter(f.text[at+2]) && f.text[at-1] == ' ' &&
		len(f.tokens) > 0 && strings.Count(f.text[:f.tokens[0].end], " -") >= 2
}

// closes reports whether the statement can go on behind the value: the quote that
// follows it closes a string.
func (w *walk) closes() bool {
	last := w.tokens[len(w.tokens)-1]
	return !w.broken && w.i >= len(w.tokens) && last.open && w.text[last.start] == w.quote
}

// typographic reports whether the first quote of a text opens a quotation as people
// write them: before a word, and with a quote behind a word later.
func typographic(text string, quote byte) bool {
	first := strings.IndexByte(text, quote)
	rest := text[first+1:]
	last := strings.IndexByte(rest, quote)
	if last > 0 && first == 0 && last == len(rest)-1 && words[lower(rest[:last])] != "" {
		return false // nothing but an operator in quotes
	}
	return last > 0 && rest[0] > ' ' && !strings.Contains(rest[:last], "/*") && rest[last-1] > ' ' &&
		(first == 0 || !inWord(text[first-1])) && (last+1 == len(rest) || !inWord(rest[last+1]))
}

func inWord(c byte) bool { return isLetter(c) || isDigit(c) || c >= 0x80 }
