// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// literal judges a value that a server puts into a statement: as a string in single or
// double quotes, or bare as a number. It is refused if, in one of these places, the
// statement would be another one with it.
func (j *judgement) literal() {
	if j.o.Parameter == Number {
		if !number.MatchString(j.text) {
			j.fault(check.SecurityLevel, "must be a number such as 12 or -0.5, because it is put into a statement as it is", "send a number")
		}
		return
	}
	if i := strings.IndexByte(j.text, 0); i >= 0 {
		j.fault(check.SecurityLevel, "has a NUL character at "+Place(j.text, i)+", at which some databases stop reading", "remove it")
		return
	}
	if end := strings.TrimRight(j.text, `\`); (len(j.text)-len(end))%2 == 1 && slices.ContainsFunc(dialects[j.dialect], func(r reading) bool { return r.backslash }) {
		j.warn("ends with a backslash, which some databases take for an escape of the quote behind it", "double it, or leave it out")
	}
	for _, text := range spellings(j.text) {
		if strings.IndexByte(text, 0) >= 0 {
			j.fault(check.SecurityLevel, "holds an encoded NUL character, at which some databases stop reading", "remove it")
			return
		}
		if what := j.changes(text); what != "" {
			j.fault(check.SecurityLevel, "would change the statement around it: it "+what,
				"send a value alone; the server should bind it as a parameter")
			return
		}
	}
}

// number is what may be put into a statement without quotes.
var number = lazyregexp.New(`^ *[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)? *$`)

// literalReadings are the readings of a dialect that may differ over a value.
func literalReadings(dialect, text string) []reading {
	all := dialects[dialect]
	if dialect == "generic" {
		all = commonReadings
	}
	var list []reading
	features := featuresOf(text)
	for _, r := range all {
		r = r.within(features)
		r.bracket, r.hashName = false, false // no place for a value
		if !strings.ContainsAny(text, `'"`) {
			r.family = otherFamily // it leaves no quotes
		}
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// changes describes the effect of a value on the statement around it, for any possible place; ""
// if it stays a value.
func (j *judgement) changes(text string) string {
	for _, r := range literalReadings(j.dialect, text) {
		what := ""
		if j.o.Parameter == Literal {
			what = bare(text, r)
		} else {
			what = behind(text, r)
		}
		for _, quote := range []string{"'", `"`} {
			if what == "" && strings.Contains(text, quote) {
				what = j.quoted(text, quote, r)
			}
		}
		if what != "" {
			return what
		}
	}
	return ""
}

// quoted describes the effect of a value between quotes that it holds itself.
func (j *judgement) quoted(text, quote string, r reading) string {
	l := lex(quote+text+quote, r, nil)
	if l.tokens[0].end < len(l.text) {
		if what := unquoted(text, quote, r); what != "" {
			return what
		}
		if j.continues(l, quote, r) {
			return "leaves its quotes and goes on as SQL"
		}
	}
	// Behind a string that is closed already, because a value before this one left its
	// quotes odd. People write "A" + "B, so a value that begins with a quote counts only
	// where the dialect is named.
	if j.dialect == "generic" && strings.HasPrefix(text, quote) {
		return ""
	}
	l = lex(quote+"x"+quote+text+quote, r, nil)
	last := l.tokens[len(l.tokens)-1]
	if len(l.tokens) > 1 && !last.open && last.end == len(l.text) && j.continues(l, quote, r) {
		return "goes on as SQL behind a value whose quotes are odd"
	}
	return ""
}

func (j *judgement) continues(l *lexer, quote string, r reading) bool {
	f := &fragment{statement: statement{text: l.text, tokens: l.tokens, loose: loose[j.dialect]}, comments: l.comments, quote: quote[0]}
	return f.continues(r, j.dialect != "generic")
}

// behind describes the effect of a value behind a closed string; of a literal, that is a bare
// value.
func behind(text string, r reading) string {
	f, what := newFragment(text, r)
	if f == nil {
		return what
	}
	if f.found(0, true) != "" {
		return "goes on as SQL behind a value whose quotes are odd"
	}
	return ""
}

// bare describes the effect of a value in a statement without quotes.
func bare(text string, r reading) string {
	f, what := newFragment(text, r)
	if f == nil || what != "" {
		return what
	}
	if what := f.found(0, false); what != "" {
		return what
	}
	if what := f.found(0, true); what != "" {
		return what
	}
	if f.cutsOff() {
		if f.commentEnds() {
			return "comments out what follows"
		}
		return "ends the statement"
	}
	if f.continued() {
		return "adds a condition or a clause"
	}
	return f.hides()
}

// unquoted describes the probable intent of a value that leaves its quotes, even if no database
// would run it. A value that ends in a comparison has the quote that follows as its right side.
func unquoted(text, quote string, r reading) string {
	for _, rest := range []string{"", quote} {
		f, what := newFragment(quote+text+rest, r)
		if f == nil || what != "" || f.tokens[0].open {
			return what
		}
		f.quote = quote[0]
		f.quotation, f.typographic = typographic(text+rest, quote[0])
		if what := f.found(1, true); what != "" || !comparisons.Has(f.low(len(f.tokens)-1)) {
			return what
		}
	}
	return ""
}

// newFragment cuts a text into tokens, and says what it does wherever it stands. There
// is none without tokens.
func newFragment(text string, r reading) (f *fragment, what string) {
	l := lex(text, r, nil)
	switch {
	case len(l.tokens) == 0:
		return nil, ""
	case l.runsComment:
		return nil, "holds a comment that some databases run"
	}
	f = &fragment{statement: statement{text: l.text, tokens: l.tokens}, comments: l.comments}
	return f, f.loud()
}
