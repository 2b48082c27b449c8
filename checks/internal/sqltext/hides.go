// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wordset"
)

// hides describes a call, a query or a choice anywhere in a bare value; "" if there is none. Databases have too many
// expressions for a walk to follow each: CASE, ARRAY[…], {fn …}, EXTRACT(… FROM …), FILTER (WHERE …) and the next
// version's. A call or a query of these forms is no prose, with any text around it.
func (f *fragment) hides() string {
	for i := range f.tokens {
		switch {
		case f.callsRefused(i):
			return "calls a function that is not for values"
		case f.low(i-1) == "(" && f.queryAt(i):
			return "adds a query"
		case f.tellsOf(i):
			return "tells of the database"
		case f.chooses(i):
			return "adds a condition (CASE, IF)"
		case f.guesses(i):
			return "adds a condition, which tells of the data by its outcome"
		}
	}
	if f.low(0) == "select" && f.listed(1) && f.whole() || f.low(0) == "values" && f.low(1) == "(" && f.fixed(2) && (f.low(3) == ")" || f.low(3) == ",") {
		return "adds a query" // as in IN (value)
	}
	return ""
}

// callsRefused reports whether a function that values must not call is called at a token.
func (f *fragment) callsRefused(i int) bool {
	switch {
	case f.escapedCall(i):
		return true
	case f.low(i) == "]" && f.low(i-2) == "[" && f.names(i-1): // [name](…), unless it is a link of Markdown
		return f.low(i+1) == "(" && (f.fixed(i+2) || f.low(i+3) == "(") && refused(f.appendName(nil, i-1))
	case f.names(i) && f.low(i-1) == "." && (f.low(i-2) == ")" || f.low(i-2) == "]") && columnCalled().reason(f.appendName(nil, i)) != "":
		return refused(f.appendName(nil, i)) // (x).pg_sleep
	case !f.names(i) || f.low(i+1) != "(" || f.mentions(i+1):
		return false
	}
	name, last := f.callee(i, nil), f.appendName(nil, i)
	return alwaysDenied().reason(name) != "" || !programs(name, last) && refused(last)
}

// refused reports whether a value must not call a function.
func refused(name []byte) bool {
	return alwaysDenied().reason(name) != "" || channels.Has(string(name))
}

// mentions reports whether brackets behind the name of a function hold prose: a number and a word, as in "sleep (8
// hours)", or the number of an issue, as in "add Sleep (#7480)".
func (f *fragment) mentions(i int) bool {
	if issue.MatchString(f.text[f.tokens[i].end:]) {
		return true // no operand for any database, and a comment without an end to MySQL
	}
	if i+2 >= len(f.tokens) || f.tokens[i+1].kind != numberToken || f.tokens[i+2].kind != wordToken || f.low(i+2) != "" {
		return false
	}
	for k := i + 3; k < f.closing(i); k++ {
		if kind := f.tokens[k].kind; kind != wordToken && kind != numberToken {
			return false // 5 OPERATOR(pg_catalog.+) 1, 5 MEMBER OF('[5]')
		}
	}
	return true
}

var issue = lazyregexp.New(`^#[0-9]+\)[^\n]*$`)

// queryAt reports whether a query, and no prose, begins at a token behind a bracket.
func (f *fragment) queryAt(i int) bool {
	switch f.low(i) {
	case "select":
		return f.listed(i+1) || f.readsFrom(i) || f.names(i+1) && f.low(i+2) == ")" && f.calculated(i-1)
	case "values":
		return f.low(i+1) == "(" || f.word(i+1) == "row" && f.low(i+2) == "("
	case "table":
		if f.word(i+1) == "only" && f.names(i+2) {
			i++
		}
		switch f.low(i + 2) {
		case "for":
			return f.names(i+1) && locks.Has(f.word(i+3))
		case ")", ".", "*", "order", "limit", "offset", "fetch", "union", "except", "intersect":
			return f.names(i + 1)
		}
	case "with":
		return f.word(i+1) == "recursive" || f.names(i+1) && (f.low(i+2) == "(" || f.low(i+2) == "as" && f.low(i+3) == "(")
	case "from": // FROM first, as Spark and BigQuery have it
		return f.names(i+1) && (f.low(i+2) == "select" || f.low(i+2) == "|>" || f.low(i+2) == ")" && f.operandAt(i-1))
	}
	return false
}

// operandAt reports whether the bracket at a token is an operand by what stands before it, or the whole text, rather than
// a remark as in "Ann (from Spain)".
func (f *fragment) operandAt(i int) bool {
	switch before := f.low(i - 1); before {
	case "in", "exists", "any", "all", "some":
		return true
	default:
		return comparisons.Has(before) || i == 0 && f.closing(i) == len(f.tokens)-1
	}
}

// calculated reports whether the bracket at a token is an operand behind an operator or a comma with a constant before, as in
// 'a' || (SELECT user), rather than a remark as in "a colour, (select one)".
func (f *fragment) calculated(i int) bool {
	if i < 2 || f.low(i-1) == "(" {
		return i > 1 && f.names(i-2) // the argument of a call
	}
	return f.fixed(i-2) && f.tokens[i-1].kind == symbolToken && f.low(i-1) != ")"
}

var locks = wordset.New("update share no key")

// readsFrom reports whether a SELECT behind a bracket has a FROM before the bracket closes. No list of what may stand between is
// complete: names with another name behind, operators, casts, and words that only one database knows.
func (f *fragment) readsFrom(i int) bool {
	end := f.closing(i - 1)
	for k := i + 2; k+1 < end; k++ {
		switch f.low(k) {
		case "(":
			k = f.closing(k)
		case "from":
			return true
		}
	}
	return false
}

// tellsOf reports whether a call at a token works on a fact of the database, as in concat(0x7e, version()) and convert(int,
// @@version).
func (f *fragment) tellsOf(i int) bool {
	if f.low(i+1) != "(" || !makers.Has(f.low(i)) && !makers.Has(f.word(i)) {
		return false
	}
	for k := i + 2; k < f.closing(i+1); k++ {
		if strings.HasPrefix(f.text[f.tokens[k].start:], "@@") || facts.Has(f.word(k)) && f.low(k+1) == "(" {
			return true
		}
	}
	return false
}

var (
	makers = wordset.New("concat concat_ws group_concat cast convert try_cast try_convert char_length hex unhex md5 ascii substr substring mid length make_set elt to_char")
	facts  = wordset.New("version user database schema current_user session_user system_user db_name host_name user_name suser_name current_database current_schema sqlite_version")
)

// chooses reports whether an expression at a token makes its value depend on another: CASE with its parts, and a function
// that chooses, with a call or a comparison to choose by.
func (f *fragment) chooses(i int) bool {
	if f.low(i) == "case" {
		end := f.caseEnd(i)
		for k := i; k < end; k++ {
			if f.fixed(k) || f.low(k) == "(" || comparisons.Has(f.low(k)) {
				return true // columns alone are no different from prose
			}
		}
		return false
	}
	if f.low(i+1) != "(" || f.low(i-1) == "." || !f.names(i) || !choices.Has(string(f.appendName(nil, i))) {
		return false
	}
	compared := false
	for k := i + 2; k < f.closing(i+1); k++ {
		if f.names(k) && f.low(k+1) == "(" || compared && f.low(k) == "," {
			return true
		}
		compared = compared || comparisons.Has(f.low(k))
	}
	return false
}

var choices = wordset.New("if iif decode nullif ifnull coalesce nvl nvl2 elt choose make_set")

// guesses reports whether an expression at a token compares a part of a column with a value: substr(password, 1, 1) = 'a',
// or, as the whole text, password LIKE 'a%'. The number of rows then tells a letter at a time.
func (f *fragment) guesses(i int) bool {
	if !f.names(i) {
		return false
	}
	if readers.Has(f.low(i)) || readers.Has(f.word(i)) {
		if f.low(i+1) == "(" && f.names(i+2) {
			end := f.closing(i + 1)
			return comparisons.Has(f.low(end+1)) || f.low(end+1) == "in" || f.low(end+1) == "between" || i > 0 && comparisons.Has(f.low(i-1))
		}
	}
	if partials.Has(f.low(i)) || partials.Has(f.word(i)) {
		if f.low(i+1) == "(" && f.takesColumn(i+1) && comparisons.Has(f.low(f.closing(i+1)+1)) {
			return true
		}
	}
	last := len(f.tokens) - 1
	first := i == 0 || i == 1 && f.low(0) == "not"
	if last < i+2 || f.tokens[last].kind != stringToken || !first && f.low(i-1) != "." {
		return false
	}
	pattern := f.text[f.tokens[last].start:f.tokens[last].end]
	switch operator := f.text[f.tokens[i+1].start:f.tokens[last-1].end]; strings.ToLower(operator) {
	case "like", "ilike", "not like", "not ilike", "glob", "similar to":
		return strings.ContainsAny(pattern, "%*")
	case "regexp", "rlike", "not regexp", "not rlike", "~", "~*", "!~", "!~*", "<", ">", "<=", ">=", "<>", "!=":
		return true
	}
	return false
}

var readers = wordset.New("substr substring mid ascii ord char_length character_length octet_length bit_length")

// partials have a second argument, or another call as the only one, where they are no prose: left(password, 1).
var partials = wordset.New("left right instr locate strpos charindex patindex unicode")

// takesColumn reports whether the brackets at a token hold a column, with a comma or a call beside it.
func (f *fragment) takesColumn(i int) bool {
	column, more := false, false
	for k := i + 1; k < f.closing(i); k++ {
		column = column || f.names(k) && f.low(k+1) != "("
		more = more || f.low(k) == "," || f.low(k) == "("
	}
	return column && more
}

// caseEnd is the place of the END of the CASE at a token, or 0 if there is none, or no WHEN and THEN before it.
func (s *statement) caseEnd(i int) int {
	depth, when, then := 0, false, false
	for ; i < len(s.tokens); i++ {
		switch s.word(i) {
		case "case":
			depth++
		case "when":
			when = true
		case "then":
			then = then || when
		case "end":
			if depth--; depth == 0 {
				if !then {
					return 0
				}
				return i
			}
		}
	}
	return 0
}

// whole reports whether the fragment is SQL from its first token to its last, and reads a table or selects a call with several
// arguments or a call inside. Prose such as "Select item(s)" does neither.
func (f *fragment) whole() bool {
	w := &walk{fragment: f}
	w.start(false)
	for i := range f.tokens {
		reads := f.low(i) == "from" && f.names(i+1)
		calls := i > 0 && f.low(0) == "select" && f.names(i-1) && f.low(i) == "(" && (f.low(i+2) == "(" || f.low(i+2) == ",")
		if reads || calls {
			return !w.broken
		}
	}
	return false
}
