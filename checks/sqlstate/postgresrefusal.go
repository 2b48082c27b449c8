// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/toolvet/toolvet/checks/internal/sqltext"
)

// refused tells why PostgreSQL refuses the statement, of which skip bytes are ours. Its
// own words are not told: they quote the statement.
func (s *postgresSession) refused(ctx context.Context, err error, skip int) error {
	answer, ok := s.driver.Refusal(err)
	if ended(ctx) || !ok {
		return s.broken(ctx, err)
	}
	at := -1
	if answer.Position > skip {
		at = byteOf(s.q.source, answer.Position-1-skip)
	}
	if overdue(answer.Code) {
		return errUnfinished
	}
	switch answer.Code {
	case "42P01":
		return s.missing(ctx, "table", at, (*postgresSession).tables)
	case "42703":
		return s.missing(ctx, "column", at, (*postgresSession).columnNames)
	case "42601":
		s.r.syntax(s.q, at)
	default:
		what, mend := postgresFault(answer.Code)
		s.r.fault(mend, "%s%s", what, s.q.at(at))
	}
	return nil
}

// overdue reports whether an error code says that statement_timeout or lock_timeout is over.
func overdue(code string) bool { return code == "57014" || code == "55P03" }

// missing reports a missing name, with the nearest name in the catalog.
func (s *postgresSession) missing(ctx context.Context, what string, at int, candidates func(*postgresSession, context.Context) ([]string, error)) error {
	name, ok := s.q.text.NameAt(at)
	if !ok {
		name = sqltext.Name{At: at}
	}
	if err := s.exec(ctx, "ROLLBACK"); err != nil { // the refusal has ended the transaction
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	list, err := candidates(s, ctx)
	if err != nil {
		return s.broken(ctx, err)
	}
	if what == "table" {
		list = withSchema(list, &name)
	}
	s.r.missing(s.q, what, name, list)
	return nil
}

// withSchema looks for the name in other schemas: an existing name there was meant.
func withSchema(candidates []string, name *sqltext.Name) []string {
	for _, c := range candidates {
		if _, table, qualified := strings.Cut(c, "."); qualified && strings.EqualFold(table, name.Last) {
			name.Last = c
			return []string{c}
		}
	}
	return candidates
}

// byteOf is where a character of a text begins.
func byteOf(text string, character int) int {
	if character < 0 {
		return -1
	}
	at := 0
	for range character {
		if at >= len(text) {
			return len(text)
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// postgresFault puts an error code into words (PostgreSQL manual, appendix A).
func postgresFault(code string) (what, mend string) {
	switch code {
	case "42883":
		return "calls a function or uses an operator that does not exist for these types", "correct the name, or cast the arguments"
	case "42702", "42P09":
		return "names a column of more than one table", "put the table's name before it"
	case "42803":
		return "uses a column that is neither grouped nor in an aggregate", "put it into GROUP BY or an aggregate"
	case "42804", "42846", "22P02", "22007", "22008", "42P18":
		return "has a value of a type that does not fit", "cast it, or write it in the form of the type"
	case "3F000":
		return "names a schema that does not exist", "correct the name"
	case "42704":
		return "names a type, collation or the like that does not exist", "correct the name"
	case "42P02":
		return "has a parameter that is not known", "number parameters from $1"
	case "42501":
		return "uses what the role of the dsn has no privilege for", "leave it out, or grant the privilege to the role of the tool"
	case "42712":
		return "gives two tables the same name", "give them different aliases"
	case "42P10":
		return "orders or groups by a column that is not there", "name a column of the result"
	case "25006":
		return "calls a function that writes", "leave it out"
	case "22012":
		return "divides by zero", "correct it"
	case "0A000":
		return "asks for what this database does not support", "write it in another way"
	}
	return "is refused by the database (SQLSTATE " + code + ")", "look the code up in the manual of PostgreSQL, appendix A"
}
