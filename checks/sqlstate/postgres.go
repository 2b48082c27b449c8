// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/dbdriver"
)

// postgres asks a PostgreSQL database.
type postgres struct {
	driver dbdriver.Postgres
	dsn    string
	pool   *pool[dbdriver.PostgresConn]
}

func newPostgres(d dbdriver.Postgres, src *source) *postgres {
	p := &postgres{driver: d, dsn: src.dsn}
	p.pool = newPool(p.open, shutPostgres)
	return p
}

func (p *postgres) open(ctx context.Context) (dbdriver.PostgresConn, error) {
	conn, err := p.driver.Connect(ctx, p.dsn)
	if err != nil {
		return nil, p.unreachable(ctx, err)
	}
	return conn, nil
}

// unreachable says why there is no connection, without what the error says of the dsn.
func (p *postgres) unreachable(ctx context.Context, err error) error {
	if ended(ctx) || errors.Is(err, context.DeadlineExceeded) {
		return errUnfinished
	}
	if errors.Is(err, dbdriver.ErrDSN) {
		return badDSN
	}
	if answer, ok := p.driver.Refusal(err); ok {
		return refusal(answer.Code)
	}
	return networkFault(err)
}

// networkFault tells apart what a user can mend.
func networkFault(err error) error {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return &unusable{"has a host name that cannot be resolved", "correct the host in the policy's dsn"}
	case errors.As(err, &op) && op.Op == "dial":
		return &unusable{"cannot be reached", "start it, or correct the host and port in the policy's dsn"}
	}
	return &unusable{"does not speak as such a database does, or not with this encryption", "correct the dsn, its port and its sslmode or tls"}
}

func refusal(code string) error {
	switch code {
	case "28P01", "28000":
		return &unusable{"refuses the user or the password", "correct them in the policy's dsn"}
	case "3D000":
		return &unusable{"has no database of the name in the dsn", "correct the name in the policy's dsn"}
	case "42501":
		return &unusable{"does not let the user of the dsn connect", "grant CONNECT to it"}
	case "53300":
		return &unusable{"has no connection left", "raise its max_connections, or try again"}
	case "57P03", "57P01", "57P02":
		return &unusable{"is starting up or shutting down", "try again"}
	}
	return &unusable{"refuses to be asked (SQLSTATE " + code + ")", "look it up in the manual of PostgreSQL, appendix A"}
}

// shutPostgres closes a connection. A connection cut off in the middle cancels its question on
// the server.
func shutPostgres(c dbdriver.PostgresConn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c.Close(ctx)
}

func (p *postgres) close() { p.pool.close() }

func (p *postgres) ask(ctx context.Context, q *question, r *report) error {
	return p.pool.with(ctx, func(c dbdriver.PostgresConn) (again bool, err error) {
		s := &postgresSession{driver: p.driver, conn: c, q: q, r: r}
		if err := s.begin(ctx); err != nil {
			return false, stale{err}
		}
		planned, err := s.look(ctx)
		if err != nil || planned { // planning may have changed the session
			return false, err
		}
		return true, s.exec(ctx, "ROLLBACK")
	})
}

// A postgresSession asks one question on one connection.
type postgresSession struct {
	driver dbdriver.Postgres
	conn   dbdriver.PostgresConn
	q      *question
	r      *report
}

// begin starts a read-only transaction, with limits that the server keeps. They end with the
// transaction, so that a pooler in between is not confused.
func (s *postgresSession) begin(ctx context.Context) error {
	limit := max(1, s.q.timeout.Milliseconds())
	return s.exec(ctx, fmt.Sprintf("BEGIN READ ONLY; SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = %d; "+
		"SET LOCAL idle_in_transaction_session_timeout = %d", limit, limit, max(limit, 10_000)))
}

func (s *postgresSession) exec(ctx context.Context, statement string) error {
	return s.broken(ctx, s.conn.Run(ctx, statement))
}

// broken is the error of a question of ours.
func (s *postgresSession) broken(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ended(ctx):
		return ctx.Err()
	}
	if answer, ok := s.driver.Refusal(err); ok {
		if overdue(answer.Code) {
			return errUnfinished
		}
		return refusal(answer.Code)
	}
	return err
}

// look prepares the statement, and finds out what can be said of it. Planning may have changed
// the session.
func (s *postgresSession) look(ctx context.Context) (planned bool, err error) {
	d, err := s.conn.Prepare(ctx, s.q.source)
	if err != nil {
		return false, s.refused(ctx, err, 0)
	}
	denied, err := s.privileges(ctx, d)
	if err != nil {
		return true, s.unlooked(ctx, err)
	}
	if denied {
		return false, nil
	}
	runs, err := s.functions(ctx)
	if err != nil {
		return true, s.unlooked(ctx, err)
	}
	if !s.q.costs() {
		return false, nil
	}
	why := s.q.unplannable()
	if runs && why == "" {
		why = "it calls a function that the planner may run"
	}
	if why != "" {
		s.r.noCost(s.q, why)
		return false, nil
	}
	return true, s.plan(ctx, d.Parameters)
}

// unlooked is the error of a look into the catalog. A refusal by the catalog itself says nothing
// of the statement.
func (s *postgresSession) unlooked(ctx context.Context, err error) error {
	err = s.broken(ctx, err)
	if errors.As(err, new(*unusable)) {
		s.r.skip("the database does not tell which privileges there are")
		return nil
	}
	return err
}

const explainPostgres = "EXPLAIN (FORMAT JSON) "

// plan asks the planner. It may run functions declared immutable or stable, such as those of a
// view: what they write is refused by the transaction, and the connection is closed.
func (s *postgresSession) plan(ctx context.Context, parameters int) error {
	statement, ours := explainPostgres+s.q.source, len(explainPostgres)
	if parameters > 0 {
		if err := s.generic(ctx); err != nil {
			return err
		}
		defer func() { _ = s.exec(ctx, "ROLLBACK; DEALLOCATE toolvet") }() // a pooler may go on with the session
		statement = explainPostgres + "EXECUTE toolvet(NULL" + strings.Repeat(", NULL", parameters-1) + ")"
		ours = len(statement)
	}
	rows, err := s.conn.Query(ctx, statement)
	if err != nil {
		return s.refused(ctx, err, ours)
	}
	if len(rows) == 1 && len(rows[0]) == 1 {
		if e, ok := postgresEstimate(rows[0][0]); ok {
			s.r.estimated(s.q, e)
			return nil
		}
	}
	return &unusable{"answers EXPLAIN in a form that is not known", "leave out warn_cost, max_cost and warn_rows"}
}

// generic lets the statement be planned without the values of its parameters
// (PostgreSQL manual, "PREPARE", notes).
func (s *postgresSession) generic(ctx context.Context) error {
	if err := s.exec(ctx, "SET LOCAL plan_cache_mode = force_generic_plan"); err != nil {
		return err
	}
	// Not by exec: what it sends may hold several statements.
	_, err := s.conn.Query(ctx, "PREPARE toolvet AS "+s.q.source)
	return s.broken(ctx, err)
}
