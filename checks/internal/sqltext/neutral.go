// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"

	"github.com/toolvet/toolvet/internal/wordset"
)

// neutral reports whether what people write in quotes finds nothing where it is SQL: the
// 'like' operator is one string compared with another, which begins with a letter and is
// no number, no pattern and not true; "#2" is an empty string and a comment. It changes
// the statement all the same, so it counts only where the dialect is not named.
func (g *grammar) neutral() bool {
	last := len(g.tokens) - 1
	if last == 0 {
		at := g.tokens[0].end
		return at == 2 && at+1 < len(g.text) && g.text[at] == '#' && isDigit(g.text[at+1]) && strings.Count(g.text, g.text[:1]) > 3
	}
	if g.tokens[last].kind != g.tokens[0].kind || g.text[g.tokens[last].start] != g.quote || g.counts(last) {
		return false // no string, or one of bits, or true
	}
	switch inside := strings.Trim(g.raw(last), "'\" &+"); last {
	case 2:
		return (g.low(1) == "like" || g.low(1) == "mod" || g.low(1) == "is") && inside != "" && isLetter(inside[0])
	case 4:
		return g.low(1) == "/" && g.low(3) == "/" && g.tokens[2].kind == wordToken // a division by zero
	}
	return false
}

// counts reports whether the string at a place may be true or a number to some database:
// 't', 'on', ' 1'. All others are false or nothing, or an error.
func (f *fragment) counts(i int) bool {
	inside := lower(strings.Trim(f.raw(i), "'\" \t\n\r+-."))
	return inside != "" && isDigit(inside[0]) || truths.Has(inside)
}

// boolean reports whether a string is a truth value to PostgreSQL.
func (f *fragment) boolean(i int) bool {
	inside := lower(strings.Trim(f.raw(i), "' \t\n\r"))
	return truths.Has(inside) || falsehoods.Has(inside) || inside == "0" || inside == "1"
}

// truths and falsehoods are the ways in which PostgreSQL writes true and false, but for
// digits.
var (
	truths     = wordset.New("t tr tru true y ye yes on")
	falsehoods = wordset.New("f fa fal fals false n no of off")
)
