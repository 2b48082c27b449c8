// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"slices"
	"strings"
)

// Relations are the names of tables and views in the text, except for its own from WITH.
func (t *Text) Relations() []Name {
	var list []Name
	for i := range t.statements {
		s := &t.statements[i]
		own := s.commonTables()
		for _, n := range s.relations() {
			if len(list) < maxNames && !(n.Written == n.Last && slices.Contains(own, lower(n.Last))) {
				list = append(list, n)
			}
		}
	}
	return list
}

// commonTables are the names that WITH defines, in lower case: each is followed by AS
// and a bracket, perhaps with a list of columns before.
func (s *statement) commonTables() []string {
	var list []string
	for i := range s.tokens {
		if !s.names(i) || s.low(i) == "as" {
			continue
		}
		next := i + 1
		if s.low(next) == "(" {
			next = s.closing(next) + 1
		}
		if s.low(next) != "as" {
			continue
		}
		next++
		for s.low(next) == "not" || s.low(next) == "materialized" {
			next++
		}
		if s.low(next) == "(" && s.query(next+1) {
			list = append(list, lower(s.part(i)))
		}
	}
	return list
}

// relations are the names of the tables and views of a statement.
func (s *statement) relations() []Name {
	var list []Name
	for _, i := range s.beforeTables() {
		list = s.appendRelation(list, i)
	}
	return list
}

// beforeTables are the tokens behind which a table is expected. It knows at each depth whether a list of tables goes on.
func (s *statement) beforeTables() (places []int) {
	expect := func(i int, expected bool) {
		if expected {
			places = append(places, i)
		}
	}
	lists := []bool{false} // at each depth: a comma is followed by a table
	for i := range s.tokens {
		top := &lists[len(lists)-1]
		switch word := s.low(i); word {
		case "(":
			lists = append(lists, *top && (s.low(i-1) == "from" || s.low(i-1) == "join" || s.low(i-1) == "," || s.low(i-1) == "("))
			expect(i, lists[len(lists)-1])
		case "[":
			lists = append(lists, false)
		case ")", "]":
			if len(lists) > 1 {
				lists = lists[:len(lists)-1]
			}
		case "from", "join", "using":
			*top = word == "join" || word == "from" && !s.fromOperator(i) || word == "using" && (s.has(Merge) || s.has(Delete))
			expect(i, *top)
		case ",":
			expect(i, *top)
		case "into", "update", "table":
			expect(i, i == 0 || word == "into")
		case "where", "group", "order", "having", "limit", "union", "on", "set", "select", "values", "window":
			*top = *top && word == "on"
		}
	}
	return places
}

// asTable reports whether the call of a name at a place stands for a table: behind FROM, in a list of tables, behind IN,
// INTO FUNCTION or DESCRIBE.
func (s *statement) asTable(i int) bool {
	for s.low(i-1) == "." && i > 1 {
		i -= 2
	}
	switch s.low(i - 1) {
	case "from", "join", "in", "describe", "desc":
		return true
	case ",", "(":
		return slices.Contains(s.beforeTables(), i-1)
	case "table":
		return s.low(i-2) == "describe" || s.low(i-2) == "desc"
	default:
		return s.names(i-1) && (strings.EqualFold(s.raw(i-1), "function") || strings.EqualFold(s.raw(i-1), "lateral"))
	}
}

// fromOperator reports whether FROM at a place is no clause: IS DISTINCT FROM, or FROM
// within EXTRACT, TRIM and the like.
func (s *statement) fromOperator(i int) bool {
	if s.low(i-1) == "distinct" {
		return true
	}
	depth := 0
	for far := max(0, i-maxNames); i > far; {
		i--
		switch s.low(i) {
		case ")":
			depth++
		case "(":
			if depth--; depth < 0 {
				return s.names(i-1) && s.low(i-1) == "" && s.low(i+1) != "select" && s.low(i+1) != "with"
			}
		}
	}
	return false
}

func (s *statement) has(kind Kind) bool {
	return slices.ContainsFunc(s.needs, func(n need) bool { return n.kind == kind })
}

// appendRelation adds the name behind a place, if it is one and not that of a function.
func (s *statement) appendRelation(list []Name, i int) []Name {
	next := i + 1
	for s.low(next) == "only" || s.low(next) == "table" || s.low(next) == "ignore" {
		next++
	}
	if !s.names(next) || reserved.Has(s.low(next)) || s.low(next) == "select" || s.low(next) == "lateral" || s.low(next) == "values" {
		return list
	}
	n := s.nameFrom(next)
	end := next
	for s.low(end+1) == "." {
		end += 2
	}
	if s.low(end+1) == "(" && s.low(i) != "into" {
		return list
	}
	n.Privilege = s.privilege(i)
	return append(list, n)
}

// privilege is what the statement needs on the table behind a word.
func (s *statement) privilege(i int) string {
	switch {
	case s.low(i) == "into" && s.low(i-1) == "merge":
		return "SELECT"
	case s.low(i) == "into":
		return "INSERT"
	case s.low(i) == "update":
		return "UPDATE"
	case s.low(i) == "from" && s.low(i-1) == "delete":
		return "DELETE"
	}
	return "SELECT"
}
