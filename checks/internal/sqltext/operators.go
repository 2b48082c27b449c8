// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"

	"github.com/toolvet/toolvet/internal/wordset"
)

const standardOperators = "+ - * / % < > <= >= = <> != || "

// operators are those between two operands, and prefixOperators those before one. Of
// PostgreSQL they are those of pg_operator, and those of the extensions that come with it.
var (
	operators = [...]*wordset.Set{
		mysqlFamily:  wordset.New(standardOperators + "& | ^ << >> <=> && -> ->> :="),
		sqliteFamily: wordset.New(standardOperators + "& | << >> == -> ->>"),
		otherFamily:  wordset.New(standardOperators + "& | ^ << >> == -> ->> :: ** ^= ~= !< !> ? |> &&"),
		postgresFamily: wordset.New(standardOperators + `:: := => ~ ~* !~ !~* ~~ ~~* !~~ !~~* & | # ^ << >> && ^@
			-> ->> #> #>> #- @> <@ ? ?| ?& @? @@ @@@ -|- &< &> <<| |>> &<| |&> ?# ?- ?-| ?|| <-> ## ~= <^ >^
			*< *<= *<> *= *> *>= &<& ->- <<= >>= ~<=~ ~<~ ~>=~ ~>~ #<# #<=# #= #> #># #>=# %# %% %> %>> <#> <% <<% <->> <->>> <<-> <<<-> <=>
			<@> ?<@ ?@ ?@> ?~ ^<@ ^? ^@> ^~ ~>`),
	}
	prefixOperators = [...]*wordset.Set{
		mysqlFamily:    wordset.New("+ - ~ !"),
		sqliteFamily:   wordset.New("+ - ~"),
		otherFamily:    wordset.New("+ - ~ ! @"),
		postgresFamily: wordset.New("+ - ~ @ @@ @-@ # !! |/ ||/ ?- ?| % %%"),
	}
)

// operator takes the rest of an operator behind its first token, and reports whether it stands
// between operands.
func (g *grammar) operator() bool { return operators[g.reading.family].Has(g.operatorAt()) }

// operatorAt takes the rest of an operator behind its first token.
func (g *grammar) operatorAt() string {
	first := g.i - 1
	if g.reading.family != postgresFamily {
		return g.low(first)
	}
	end := g.tokens[first].start
	for end < len(g.text) && strings.IndexByte("+-*/<>=~!@#%^&|`?:", g.text[end]) >= 0 {
		if rest := g.text[end:]; strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*") {
			break
		}
		end++
	}
	operator := g.text[g.tokens[first].start:end]
	for !strings.ContainsAny(operator, "~!@#%^&|`?") && len(operator) > 1 && strings.HasSuffix(operator, "-") || len(operator) > 1 && strings.HasSuffix(operator, "+") {
		operator = operator[:len(operator)-1] // a sign (PostgreSQL manual, 4.1.3)
	}
	for end = g.tokens[first].start + len(operator); g.i < len(g.tokens) && g.tokens[g.i].start < end; {
		g.i++
	}
	return operator
}
