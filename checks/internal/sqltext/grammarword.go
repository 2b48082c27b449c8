// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"

	"github.com/toolvet/toolvet/internal/wordset"
)

// wordBehind takes a word behind an operand: an operator, or the beginning of a clause, of any
// database.
func (g *grammar) wordBehind(word string) (ok, operand bool) {
	next := g.word(g.i)
	switch {
	case word == "is":
		return g.is(), !g.done
	case word == "not" && next == "null", postfixes.Has(word):
		if word == "not" {
			g.i++
		}
		return true, false
	case word == "not":
		return negated.Has(next), false
	case word == "from", word == "join":
		return g.table(), !g.done
	case infixes.Has(word), g.reading.family == otherFamily && otherClauses.Has(word):
		return true, true
	case word == "where" || word == "having" || word == "limit" || word == "offset":
		return g.clause(), true
	case word == "on":
		return g.joins, true
	case word == "as":
		return g.as(), false
	case joins.Has(word) && joins.Has(next):
		return true, false
	case word == "window" && g.word(g.i+1) == "as":
		g.done = true
		return true, false
	case units.Has(word): // of INTERVAL 'text'
		return g.tokens[g.i-2].kind == stringToken, false
	case word == "operator" && next == "(", word == "against" && next == "(":
		g.i = g.closing(g.i) + 1
		return true, word == "operator"
	case combines.Has(word):
		return g.combines(), true
	case phrases[word] != "" && phrases[word] == next:
		g.i++
		if word == "at" && g.word(g.i) == "zone" {
			g.i++
		}
		return true, true
	case endings.Has(word + "/" + next):
		g.done = true
		return true, false
	}
	return g.commandOrName(), false
}

var (
	infixes      = wordset.New("and or xor in like ilike rlike regexp glob match between overlaps escape collate div mod returning into")
	otherClauses = wordset.New("qualify prewhere")
	postfixes    = wordset.New("isnull notnull asc desc")
	negated      = wordset.New("in like ilike rlike regexp glob match between similar")
	combines     = wordset.New("union except intersect minus")
	joins        = wordset.New("inner left right full cross natural outer join apply")
	units        = wordset.New("year quarter month week day hour minute second years months weeks days hours minutes seconds to")
)

// phrases are words, with the word behind each that makes an operator of both, or the
// beginning of a clause.
var phrases = map[string]string{
	"similar": "to", "sounds": "like", "member": "of", "at": "time", "order": "by", "group": "by", "cluster": "by", "sort": "by",
	"distribute": "by", "connect": "by", "partition": "by", "start": "with",
}

// endings are pairs of words that are the beginning of a clause at the end of a statement.
var endings = wordset.New(`for/update for/share for/no for/key for/json for/xml for/browse for/read for/fetch lock/in procedure/analyse
	fetch/first fetch/next at/local option/( over/( filter/( with/( with/rollup with/cube with/ties with/totals with/check
	within/group nulls/first nulls/last`)

// clause takes what stands behind WHERE, LIMIT and the like, up to an operand. A string
// is none that any row fulfils, nor a number, if it does not begin as one.
func (g *grammar) clause() bool {
	if g.i+1 != len(g.tokens) || g.tokens[g.i].kind != stringToken && g.tokens[g.i].kind != nameToken || g.tokens[g.i].open {
		return true
	}
	return g.counts(g.i)
}

// is takes what stands behind IS, up to an operand if there is one.
func (g *grammar) is() bool {
	if g.word(g.i) == "not" {
		g.i++
	}
	switch next := g.word(g.i + 1); g.word(g.i) {
	case "distinct":
		if next == "from" {
			g.i += 2
		}
	case "of", "a", "nfc", "nfd", "nfkc", "nfkd", "json":
		g.done = next == "type" || next == "(" || next == "set" || next == "normalized" ||
			next == "object" || next == "array" || next == "scalar" || next == "value"
	}
	return true
}

// table takes what stands behind FROM or JOIN, up to a table.
func (g *grammar) table() bool {
	g.alias, g.joins = true, true
	return g.i >= len(g.tokens) || g.tokens[g.i].kind != stringToken ||
		g.reading.family == sqliteFamily && !strings.ContainsAny(g.raw(g.i), " \n\t") // it takes a string for a name
}

// as takes the name behind AS, or the type.
func (g *grammar) as() bool {
	ok := g.names(g.i)
	g.i++
	if g.low(g.i) == "(" {
		g.i = g.closing(g.i) + 1
	}
	return ok
}

// combines takes what stands behind UNION, up to the query's first operand.
func (g *grammar) combines() bool {
	for modifiers.Has(g.word(g.i)) || g.word(g.i) == "(" {
		g.i++
	}
	g.queries = true
	switch g.word(g.i) {
	case "select", "values", "table", "with", "from":
		g.i++
		return true
	}
	return false
}

// commandOrName takes a statement without a semicolon before it, or the name of a column or a
// table.
func (g *grammar) commandOrName() bool {
	at := g.i - 1
	if g.strict && g.loose && (g.commands(at) || g.low(at) == "select" && g.listed(g.i)) {
		g.done = true
		return true
	}
	return !reserved.Has(g.low(at)) && g.named()
}
