// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	sqldriver "database/sql/driver"
	"strings"

	"github.com/toolvet/toolvet/checks/internal/sqltext"
)

// The result codes that matter (SQLite, "Result and Error Codes").
const (
	sqliteBusy     = 5
	sqliteLocked   = 6
	sqliteReadOnly = 8 // a journal that is left would have to be rolled back
	sqliteCorrupt  = 11
	sqliteCantOpen = 14
	sqliteAuth     = 23
	sqliteNotADB   = 26
)

// code is the primary result code of an error, or 0.
func (s *sqliteSession) code(err error) int { return s.driver.Code(err) & 0xff }

// refused tells why SQLite refuses the statement. Its own words are not told: they quote
// the statement.
func (s *sqliteSession) refused(ctx context.Context, err error) error {
	switch s.code(err) {
	case sqliteBusy, sqliteLocked, sqliteReadOnly, sqliteNotADB, sqliteCorrupt, sqliteCantOpen:
		return s.unreadable(ctx, err)
	case sqliteAuth:
		s.r.fault("send only what the policy allows", "does more than the policy allows, by SQLite's own account")
		return nil
	}
	if ended(ctx) {
		return ctx.Err()
	}
	message := err.Error() // SQLite has one code for all these faults, and its words alone tell them apart
	if name, ok := quoted(message, "no such table: "); ok {
		return s.missingTable(ctx, s.named(name))
	}
	if name, ok := quoted(message, "no such column: "); ok {
		return s.missingColumn(ctx, s.named(name))
	}
	if at, ok := s.syntax(ctx, message); ok {
		s.r.syntax(s.q, at)
		return nil
	}
	what, mend := sqliteFault(message)
	s.r.fault(mend, "%s", what)
	return nil
}

// named is the name that an error quotes, where the statement has it.
func (s *sqliteSession) named(full string) sqltext.Name {
	last := full[strings.LastIndexByte(full, '.')+1:]
	if name, ok := s.q.text.Find(last); ok {
		return name
	}
	return sqltext.Name{At: -1, Last: last}
}

// quoted is the name behind some words of a message; what SQLite and the driver add to
// it is left out.
func quoted(message, words string) (string, bool) {
	_, rest, ok := strings.Cut(message, words)
	if !ok {
		return "", false
	}
	name, _, _ := strings.Cut(rest, " (")
	name, _, _ = strings.Cut(name, " - ")
	return name, true
}

func between(message, before, after string) (string, bool) {
	_, rest, ok := strings.Cut(message, before)
	i := strings.LastIndex(rest, after)
	if !ok || i < 0 {
		return "", false
	}
	return rest[:i], true
}

// missingTable reports a missing table, and the nearest table of the schema.
func (s *sqliteSession) missingTable(ctx context.Context, name sqltext.Name) error {
	list, err := s.names(ctx, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name LIMIT ?", int64(maxCandidates))
	if err != nil {
		return s.unreadable(ctx, err)
	}
	s.r.missing(s.q, "table", name, list)
	return nil
}

// missingColumn tells of a column that none of the statement's tables has.
func (s *sqliteSession) missingColumn(ctx context.Context, name sqltext.Name) error {
	var list []string
	for _, table := range s.q.text.Relations() {
		columns, err := s.names(ctx, "SELECT name FROM pragma_table_info(?)", table.Last)
		if err != nil {
			return s.unreadable(ctx, err)
		}
		list = append(list, columns...)
	}
	s.r.missing(s.q, "column", name, list)
	return nil
}

// names asks a question of ours for names.
func (s *sqliteSession) names(ctx context.Context, query string, param any) ([]string, error) {
	rows, err := s.conn.(sqldriver.QueryerContext).QueryContext(ctx, query, []sqldriver.NamedValue{{Ordinal: 1, Value: param}})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return first(allRows(rows))
}

// syntax reports whether a message speaks of a syntax error, and where it is, or −1.
func (s *sqliteSession) syntax(ctx context.Context, message string) (at int, ok bool) {
	if strings.Contains(message, "incomplete input") {
		return len(s.q.source), true
	}
	near, ok := between(message, `near "`, `": syntax error`)
	if !ok {
		near, ok = between(message, `unrecognized token: "`, `"`)
	}
	if !ok || near == "" {
		return -1, ok
	}
	return s.place(ctx, near), true
}

// maxPlaces bounds how many occurrences of a token are tried.
const maxPlaces = 32

// place finds the occurrence of a token at which SQLite stumbles, or −1: the parser reads from
// left to right, so a text cut off behind it has the same fault.
func (s *sqliteSession) place(ctx context.Context, token string) int {
	at := 0
	for range maxPlaces {
		next := strings.Index(s.q.source[at:], token)
		if next < 0 {
			return -1
		}
		at += next
		err := s.prepare(ctx, s.q.source[:at+len(token)])
		if err != nil && strings.Contains(err.Error(), `"`+token+`"`) {
			return at
		}
		at += len(token)
	}
	return -1
}

// sqliteFault puts a message into words that quote nothing.
func sqliteFault(message string) (what, mend string) {
	has := func(words string) bool { return strings.Contains(message, words) }
	switch {
	case has("no such function"):
		return "calls a function that does not exist in SQLite, or that only the tool's own connection has", "correct the name"
	case has("wrong number of arguments"):
		return "calls a function with a wrong number of arguments", "correct the arguments"
	case has("ambiguous column name"):
		return "names a column of more than one table", "put the table's name before it"
	case has("misuse of aggregate"), has("misuse of window"):
		return "uses an aggregate where none can be", "move it into HAVING or a subquery"
	case has("do not have the same number of result columns"):
		return "has queries with different numbers of columns", "give each the same number"
	case has("columns but"), has("values for"):
		return "gives a table the wrong number of values", "give each column a value, or name the columns"
	case has("no such collation"), has("no such index"), has("no such module"):
		return "names a collation, index or module that does not exist", "correct the name"
	case has("table-valued function"), has("may not be modified"), has("cannot modify"):
		return "changes something that cannot be changed", "name a table"
	}
	return "is refused by SQLite", "correct it"
}
