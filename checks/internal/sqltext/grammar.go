// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"

	"github.com/toolvet/toolvet/internal/wordset"
)

// A grammar decides whether the text behind a closed string may be the rest of a statement. It
// accepts more than any database of its family. So a refused text is an error to all of them, and
// changes nothing: it knows only which tokens may be neighbours. The walk knows what people mean;
// this, what databases take.
type grammar struct {
	*fragment
	reading reading
	strict  bool // the dialect is named: what people may mean counts for nothing
	i       int  // the token that comes next
	level   int  // brackets that are open
	alias   bool // a table or a bracket ended, which may be given a name
	queries bool // behind SELECT
	joins   bool // behind JOIN
	done    bool // in any continuation, the statement has changed
}

// continues reports whether the tokens behind the first, which is a string, may follow it.
func (f *fragment) continues(r reading, strict bool) bool {
	g := &grammar{fragment: f, reading: r, strict: strict, i: 1}
	if g.empty(g.tokens[0]) || !strict && g.neutral() {
		return false
	}
	operand := false // an operand comes next
	for g.i < len(g.tokens) {
		ok := false
		if operand {
			ok, operand = g.operand()
		} else {
			ok, operand = g.behind()
		}
		if g.done || !ok {
			return ok
		}
	}
	return g.ends(operand)
}

// ends reports whether a value may end here, given that the lexer saw it with the quote that
// follows.
func (g *grammar) ends(operand bool) bool {
	last := g.tokens[len(g.tokens)-1]
	switch {
	case len(g.comments) > 0 && g.comments[len(g.comments)-1] >= last.end:
		return g.strict || g.commentEnds() // the rest of the line is gone; an operand may follow on the next
	case operand:
		return false
	case last.open:
		return g.opens(last)
	}
	return last.end == len(g.text) && !g.concatenates()
}

// opens reports whether an open quote differs from the quotes around the value, so that only
// another value can close it. The quote itself is odd then, and the effect of the next value
// behind it is tried with that value. Double quotes in single quotes are as harmless, since the
// value that closes them is refused: it leaves single ones open.
func (g *grammar) opens(last token) bool {
	i := strings.IndexAny(g.text[last.start:last.end], "'\"`[$")
	mark := g.text[last.start+i]
	apostrophe := !g.strict && i == 0 && mark == '\'' && isLetter(g.text[last.start-1]) // "WHERE'S GEORGE"
	return mark != g.quote && !(g.quote == '\'' && mark == '"') && !apostrophe
}

// concatenates reports whether all tokens are strings, which are one then.
func (g *grammar) concatenates() bool {
	for _, t := range g.tokens {
		if t.kind != stringToken {
			return false
		}
	}
	return true
}

// behind takes what stands behind an operand. It reports whether that may be there, and
// whether an operand comes next.
func (g *grammar) behind() (ok, operand bool) {
	t, prev := g.tokens[g.i], g.tokens[g.i-1]
	g.i++
	switch t.kind {
	case stringToken: // strings that follow each other are one; or it is a column's name
		letter := g.text[t.start] != '\'' && g.text[t.start] != '"'
		return prev.kind == stringToken && !letter || g.queries || g.alias && g.joins && g.reading.family == sqliteFamily, false
	case nameToken:
		return g.named() && !g.empty(t), false
	case symbolToken:
		return g.mark(t.low, prev)
	case wordToken:
		if g.operator() {
			return true, true
		}
		return g.wordBehind(g.word(g.i - 1))
	}
	return false, false
}

// named reports whether a name may stand behind an operand: one that is given to a column
// or a table.
func (g *grammar) named() bool {
	ok := g.alias || g.queries
	g.alias = false
	return ok
}

// empty reports whether a name has no character, as none has in PostgreSQL.
func (g *grammar) empty(t token) bool {
	return g.reading.family == postgresFamily && t.kind == nameToken && t.end-t.start == 2
}

func (g *grammar) mark(symbol string, prev token) (ok, operand bool) {
	switch symbol {
	case ")", "]", "}":
		if g.level--; g.level < 0 {
			g.level, g.alias = 0, true
		}
		return true, false
	case ",":
		return true, true
	case ";":
		return g.semicolons(), false
	case "[": // an element
		g.level++
		return prev.kind != stringToken || g.reading.family == otherFamily, true
	case ".": // a field of what is in brackets; a column, if the value is the name of a table
		g.i++
		last := g.i <= len(g.tokens) && g.tokens[g.i-1].kind <= stringToken && inWord((strings.TrimLeft(g.raw(g.i-1), "'\"") + " ")[0])
		return last && (prev.low == ")" || prev.low == "]" || prev.kind == nameToken || g.reading.family == sqliteFamily), false
	case "(": // the value is the name of a function
		g.level++
		return prev.kind == nameToken, true
	case ":": // the bounds of a range of elements; a field, a choice
		return g.level > 0 || g.reading.family == otherFamily, true
	}
	return g.operator(), true
}

// semicolons takes the end of a statement. Some databases and drivers run the text before it in
// any case. Where the dialect is not named, only what looks like the next statement counts, or
// its absence: people write "MEN';S COATS", too.
func (g *grammar) semicolons() bool {
	for g.low(g.i) == ";" {
		g.i++
	}
	g.done = true
	none := g.i >= len(g.tokens) || g.i+1 == len(g.tokens) && g.tokens[g.i].open
	if g.reading.family == postgresFamily { // it reads all before it runs any
		none = g.i >= len(g.tokens)
	} else if g.strict {
		return true
	}
	return none || kindOf()[g.low(g.i)] != ""
}

// operand takes an operand, or what stands before one.
func (g *grammar) operand() (ok, operand bool) {
	t := g.tokens[g.i]
	g.i++
	switch t.kind {
	case numberToken:
		if g.i < len(g.tokens) && g.tokens[g.i].kind == wordToken && g.tokens[g.i].start == t.end {
			g.i++ // a name that begins with digits
		}
		return true, false
	case stringToken:
		return true, false
	case symbolToken:
		return g.before(t.low)
	case wordToken:
		if ok, operand, done := g.wordBefore(t.low); done {
			return ok, operand
		}
	}
	return g.nameOrCall()
}

// before takes a mark before an operand.
func (g *grammar) before(symbol string) (ok, operand bool) {
	prev := g.low(g.i - 2)
	switch symbol {
	case "(", "[":
		if symbol == "(" && g.query(g.i) {
			g.i = g.closing(g.i-1) + 1 // for any query
			return true, false
		}
		g.level++
		return true, true
	case ")", "]":
		g.level--
		return prev == "(" || prev == "[", false
	case "{": // {d '2026-01-01'} of ODBC, which MySQL takes with any word
		g.level++
		g.i++
		return g.names(g.i - 1), true
	case "*":
		return prev == "(" || prev == "." || prev == "select", false
	case "?":
		return true, false
	case ":", "$", "@": // a parameter
		if g.names(g.i) || symbol == "$" && g.i < len(g.tokens) && g.tokens[g.i].kind == numberToken {
			g.i++
			return true, false
		}
	case "\\": // \N of MySQL
		g.i++
		return g.word(g.i-1) == "n", false
	}
	return prefixOperators[g.reading.family].Has(g.operatorAt()), true
}

// wordBefore takes a word that is no name, if it is one.
func (g *grammar) wordBefore(word string) (ok, operand, done bool) {
	switch {
	case word == "select" && g.queries, prefixes.Has(word), word == "binary", word == "exists", g.against():
		return true, true, true
	case word == "case":
		end := g.caseEnd(g.i - 1)
		g.i = max(g.i, end+1)
		return end > 0, false, true
	case reserved.Has(word) && g.low(g.i) != "(":
		return false, false, true
	}
	return false, false, false
}

// against reports whether MATCH of MySQL stands before the names of columns.
func (g *grammar) against() bool {
	return g.word(g.i-1) == "match" && g.names(g.i) && g.reading.family != postgresFamily
}

// nameOrCall takes a name, with what is in the brackets of a call, or the string of a
// typed constant.
func (g *grammar) nameOrCall() (ok, operand bool) {
	if g.empty(g.tokens[g.i-1]) {
		return false, false
	}
	for g.low(g.i) == "." && (g.names(g.i+1) || g.low(g.i+1) == "*") {
		g.i += 2
	}
	switch word := g.word(g.i - 1); {
	case g.low(g.i) == "(":
		if closing := g.closing(g.i); g.low(closing) == ")" {
			g.i = closing + 1 // with any content
			return true, word == "operator"
		}
		g.level++
		g.i++
		return true, true
	case g.i < len(g.tokens) && g.tokens[g.i].kind == stringToken && g.typed(word):
		g.i++
	}
	return true, false
}

// typed reports whether a word may stand before a string as its type or its character
// set. To PostgreSQL each type's name may, and each table's is one.
func (g *grammar) typed(name string) bool {
	if g.reading.family == postgresFamily && g.text[g.tokens[g.i].start] == '\'' {
		inside := strings.TrimLeft(g.raw(g.i), "' ")
		return g.i+1 < len(g.tokens) || valueTypes.Has(name) || strings.HasPrefix(inside, "(") ||
			g.strict && g.tokens[g.i-2].kind == wordToken && g.boolean(g.i)
	}
	return valueTypes.Has(name) || name != "" && name[0] == '_'
}

var valueTypes = wordset.New(`date time timestamp timestamptz timetz datetime interval bool boolean text name char character varchar
	bpchar int int2 int4 int8 integer bigint smallint numeric decimal bignumeric real float float4 float8 double json jsonb xml
	bytea int4range int8range numrange tsrange tstzrange daterange uuid bit varbit money oid inet cidr point nchar e`)
