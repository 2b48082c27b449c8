// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"slices"
	"time"

	"github.com/toolvet/toolvet/checks/internal/sqltext"
)

// A question is a statement that a database is asked about.
type question struct {
	o       *sqltext.Options
	source  string // as the tool is given it
	text    *sqltext.Text
	timeout time.Duration
}

// prepared are the kinds that the databases are asked about. All other statements could run by
// being prepared or explained, or cannot be.
var prepared = []sqltext.Kind{sqltext.Select, sqltext.Insert, sqltext.Update, sqltext.Delete, sqltext.Merge, sqltext.Lock}

// newQuestion makes a question of a text, or says why no database is asked about it.
func newQuestion(o *sqltext.Options, source, dialect string) (*question, string) {
	text := sqltext.Read(source, dialect)
	if text.Statements() != 1 {
		return nil, "only a single statement can be prepared"
	}
	for _, kind := range text.Kinds() {
		if !slices.Contains(prepared, kind) {
			return nil, "statements of the kind " + string(kind) + " are not prepared"
		}
	}
	timeout := o.StatementTimeout
	if timeout <= 0 {
		timeout = sqltext.DefaultStatementTimeout
	}
	return &question{o: o, source: source, text: text, timeout: timeout}, ""
}

// costs reports whether the policy asks what the statement costs.
func (q *question) costs() bool { return q.o.WarnCost > 0 || q.o.MaxCost > 0 || q.o.WarnRows > 0 }

// unplannable says why the planner is not asked about the statement, or "". Statements that
// package sql refuses by default may do something by being planned: MariaDB takes the lock of
// SELECT * FROM (SELECT GET_LOCK('a', 1)) d.
func (q *question) unplannable() string {
	strict := *q.o
	strict.AllowFunctions = nil
	switch {
	case q.text.Explains():
		return "it is an EXPLAIN itself"
	case strict.Refuses(q.source):
		return "it calls a function that toolvet refuses by default"
	}
	return ""
}

// reads reports whether the statement is a query and nothing else.
func (q *question) reads() bool {
	return !slices.ContainsFunc(q.text.Kinds(), func(k sqltext.Kind) bool { return k != sqltext.Select })
}

// at is " at" and the place of a byte of the statement; "" for a negative one.
func (q *question) at(offset int) string {
	if offset < 0 {
		return ""
	}
	return " at " + sqltext.Place(q.source, offset)
}
