// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/internal/sqltext"
)

// A mysqlSession asks one question on one connection.
type mysqlSession struct {
	*mysqlConn
	q *question
	r *report
}

// begin starts a read-only transaction, with limits that the server keeps.
func (s *mysqlSession) begin(ctx context.Context) error {
	limits := fmt.Sprintf("SET SESSION max_execution_time = %d, lock_wait_timeout = 1, innodb_lock_wait_timeout = 1", max(1, s.q.timeout.Milliseconds()))
	if s.mariadb {
		limits = fmt.Sprintf("SET SESSION max_statement_time = %f, lock_wait_timeout = 1, innodb_lock_wait_timeout = 1", s.q.timeout.Seconds())
	}
	if err := s.exec(ctx, limits); err != nil {
		return s.broken(ctx, err)
	}
	return s.broken(ctx, s.exec(ctx, "START TRANSACTION READ ONLY"))
}

// broken is the error of a question of ours.
func (s *mysqlSession) broken(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ended(ctx):
		return ctx.Err()
	}
	if answer, ok := s.driver.Refusal(err); ok {
		if unfinished(answer.Number) {
			return errUnfinished
		}
		return mysqlRefusal(answer.Number)
	}
	return err
}

// readOnly is the error of a write in a read-only transaction.
const readOnly = 1792

// unfinished reports whether an error says that a limit is reached.
func unfinished(number uint16) bool {
	return number == 1205 || number == 1969 || number == 3024 || number == 1317
}

// look prepares the statement, and finds out what can be said of it.
func (s *mysqlSession) look(ctx context.Context) (planned bool, err error) {
	stmt, err := s.Conn.(sqldriver.ConnPrepareContext).PrepareContext(ctx, s.q.source)
	if err != nil {
		return false, s.refused(ctx, err)
	}
	parameters := stmt.NumInput()
	if err := stmt.Close(); err != nil {
		return false, s.broken(ctx, err)
	}
	if !s.q.costs() {
		return false, nil
	}
	why, err := s.unplannable(ctx, parameters)
	if err != nil {
		return false, s.broken(ctx, err)
	}
	if why != "" {
		s.r.noCost(s.q, why)
		return false, nil
	}
	return true, s.plan(ctx)
}

// unplannable says why the planner is not asked about the statement, or "".
func (s *mysqlSession) unplannable(ctx context.Context, parameters int) (why string, err error) {
	if why := s.q.unplannable(); why != "" {
		return why, nil
	}
	if parameters > 0 {
		return "it has parameters, whose values the planner does not know", nil
	}
	stored, err := s.callsStored(ctx)
	if stored {
		why = "it calls a stored function, which the planner may run"
	}
	return why, err
}

// plan asks the planner. It runs expressions that it takes for constant, such as stored functions
// in a view: what they write is refused by the transaction, and the connection is closed.
func (s *mysqlSession) plan(ctx context.Context) error {
	lines, err := s.query(ctx, "EXPLAIN "+s.q.source)
	if err != nil {
		return s.refused(ctx, err)
	}
	status, err := s.query(ctx, "SHOW SESSION STATUS LIKE 'Last_query_cost'")
	if err != nil {
		return s.broken(ctx, err)
	}
	cost := ""
	if len(status) == 1 && len(status[0]) == 2 {
		cost = status[0][1]
	}
	s.r.estimated(s.q, mysqlEstimate(lines, cost))
	return nil
}

// refused tells why the statement is refused. The server's own words are not told: they
// quote the statement.
func (s *mysqlSession) refused(ctx context.Context, err error) error {
	answer, ok := s.driver.Refusal(err)
	if ended(ctx) || !ok || unfinished(answer.Number) {
		return s.broken(ctx, err)
	}
	switch answer.Number {
	case 1064:
		s.r.syntax(s.q, s.syntax(answer.Message))
	case 1146, 1109:
		return s.missingTable(ctx, s.named(answer.Message))
	case 1054:
		return s.missingColumn(ctx, s.named(answer.Message))
	case 1295:
		s.r.skip("the database does not prepare statements of this kind")
	case readOnly:
		return s.writes(ctx)
	default:
		what, mend := mysqlFault(answer.Number)
		s.r.fault(mend, "%s%s", what, s.q.at(s.named(answer.Message).At))
	}
	return nil
}

// writes reports a statement that cannot be prepared in a read-only transaction: a query calls a
// function that does. For other statements that the policy allows, MariaDB does not even look at
// the names then; its tables are looked up.
func (s *mysqlSession) writes(ctx context.Context) error {
	if s.q.reads() {
		s.r.fault("leave it out", "calls a function that writes")
		return nil
	}
	s.r.skip("the database prepares what writes or locks only where it could be run; only its tables are looked up")
	for _, name := range s.q.text.Relations() {
		list, err := s.tables(ctx, name)
		if err != nil {
			return s.broken(ctx, err)
		}
		known := slices.ContainsFunc(list, func(t string) bool { return strings.EqualFold(t, name.Last) })
		if !known && len(list) < maxCandidates {
			s.r.missing(s.q, "table", name, list)
		}
	}
	return nil
}

// named is the name that an error quotes, where the statement has it.
func (s *mysqlSession) named(message string) sqltext.Name {
	full, quoted := between(message, "FUNCTION ", " does not exist")
	if !quoted {
		_, rest, _ := strings.Cut(message, "'")
		full, _, _ = strings.Cut(rest, "'")
	}
	last := full[strings.LastIndexByte(full, '.')+1:]
	if name, ok := s.q.text.Find(last); ok {
		return name
	}
	return sqltext.Name{At: -1, Last: last}
}

// syntax is where the text begins that an error quotes as the place, or −1. The text is
// the rest of the statement, of which the server shows the beginning alone.
func (s *mysqlSession) syntax(message string) int {
	near, ok := between(message, "near '", "' at line ")
	if !ok {
		return -1
	}
	statement := strings.TrimRight(s.q.source, "; \t\n\v\f\r")
	if near == "" {
		return len(statement)
	}
	for _, near := range []string{near, strings.TrimSuffix(near, "...")} { // MariaDB marks what it cuts off
		if at, unique := s.q.text.Near(near); unique {
			return at
		}
	}
	if rest, is := strings.CutSuffix(statement, near); is {
		return len(rest)
	}
	return -1
}

func (s *mysqlSession) missingTable(ctx context.Context, name sqltext.Name) error {
	list, err := s.tables(ctx, name)
	if err != nil {
		return s.broken(ctx, err)
	}
	s.r.missing(s.q, "table", name, list)
	return nil
}

func (s *mysqlSession) missingColumn(ctx context.Context, name sqltext.Name) error {
	list, err := s.columns(ctx)
	if err != nil {
		return s.broken(ctx, err)
	}
	s.r.missing(s.q, "column", name, list)
	return nil
}
