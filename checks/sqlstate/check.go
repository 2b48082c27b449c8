// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sqlstate asks the real database about arguments that are SQL: whether it parses there,
// whether the tables and columns exist, whether the role may use them, and its estimated cost.
//
// A statement is prepared, never executed, in a read-only transaction with a time limit kept by
// the server. Package sql has judged its text before: texts refused there, and statements other
// than queries and changes of rows, are not sent at all.
//
//	PostgreSQL       BEGIN READ ONLY, Parse and Describe, ROLLBACK
//	MariaDB, MySQL   START TRANSACTION READ ONLY, COM_STMT_PREPARE, ROLLBACK
//	SQLite           mode=ro and an authorizer, sqlite3_prepare
//
// Only if the policy asks for the cost is the statement planned, by EXPLAIN without
// ANALYZE. See the README for what planning may run.
package sqlstate

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/probe"
	"github.com/toolvet/toolvet/checks/internal/sqltext"
	"github.com/toolvet/toolvet/checks/sql"
	"github.com/toolvet/toolvet/driver"
)

//go:embed README.md
var doc string

// Check asks no database, because it has no driver. It refuses a call where the policy names one. A program with drivers
// runs the check of its own [State] in its place:
//
//	checks := suite.With(sqlstate.New(sqlite.New()).Check())
var Check = New().Check()

// A State holds the connections to databases. It is safe for concurrent use.
type State struct{ databases databases }

// New returns a State without connections, for the databases of these drivers. A connection is closed when it has not
// been used for some seconds.
func New(drivers ...driver.Driver) *State {
	s := &State{}
	for _, d := range drivers {
		d.Join(&s.databases.drivers)
	}
	return s
}

// Check returns the check that uses s.
func (s *State) Check() *check.Check {
	return &check.Check{
		Name:   "sql-state",
		Doc:    doc,
		Stage:  check.Semantic,
		Level:  check.RuntimeLevel,
		Demand: sql.Demand,
		Run:    s.run,
	}
}

// Close closes all connections, and returns when nothing of them is left. It waits for
// questions that are being asked; later ones open connections again.
func (s *State) Close() { s.databases.close() }

// longest bounds a run whose context has no deadline.
const longest = 10 * time.Second

func (s *State) run(ctx context.Context, pass *check.Pass) error {
	if len(pass.Targets) > 0 && !slices.ContainsFunc(pass.Targets, asks) {
		pass.Skipf("not looked: the policy names no database (dsn or dsn_env)")
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	return probe.Each(ctx, pass, func(ctx context.Context, t check.Target) ([]check.Finding, string, error) {
		if !asks(t) {
			return nil, "", nil
		}
		text, ok := t.Value.(string)
		if !ok {
			return nil, "the value is no string", nil // package sql reports it
		}
		r := &report{}
		err := s.ask(ctx, r, (*sqltext.Options)(t.Options.(*sql.Options)), pass, text)
		return r.findings, r.skipped, err
	})
}

func asks(t check.Target) bool {
	o, ok := t.Options.(*sql.Options)
	return ok && (*sqltext.Options)(o).Asks()
}

// ask asks the database of the options about a text. Its error says that ctx ended
// before the database answered.
func (s *State) ask(ctx context.Context, r *report, o *sqltext.Options, pass *check.Pass, text string) error {
	if o.Refuses(text) {
		r.skip("the text is refused as it is")
		return nil
	}
	src, err := sourceOf(s.databases.drivers, o, pass.World)
	if err != nil {
		return r.failed(ctx, "the database", err)
	}
	if src.skip != "" {
		r.skip(src.skip)
		return nil
	}
	if src.file != "" {
		pass.Depends(src.file)
		pass.Depends(src.file + "-wal")
	}
	q, why := newQuestion(o, text, src.dialect)
	if q == nil {
		r.skip(why)
		return nil
	}
	return r.failed(ctx, src.where, s.databases.of(src).ask(ctx, q, r))
}

// A database answers questions. It is safe for concurrent use.
type database interface {
	// ask reports what it finds. Its error says that the database could not be asked.
	ask(ctx context.Context, q *question, r *report) error
	// close closes its connections, and returns when none is left.
	close()
}

// An unusable error says that a database cannot be asked, and how to mend it. It holds
// no part of the dsn.
type unusable struct{ what, mend string }

func (e *unusable) Error() string { return e.what }

// errUnfinished reports that the database did not answer in time.
var errUnfinished = errors.New("did not answer in time")
