// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options Options
		want    []check.Problem
	}{
		"defaults": {Options{}, nil},
		"all well": {Options{Dialect: "PostgreSQL", Statements: []string{"Select", "insert"}, MaxStatements: 2, MaxLength: 1,
			DenyFunctions: []string{"my_*"}, DSN: "postgres://localhost/x", WarnCost: 1, MaxCost: 2, WarnRows: 1, StatementTimeout: time.Second}, nil},
		"a value": {Options{Dialect: "mysql", Parameter: Literal, MaxLength: 100}, nil},
		"dialect": {Options{Dialect: "db2"}, []check.Problem{{Field: "dialect",
			Message: "must be postgres, mysql, sqlite, mssql, oracle, bigquery, snowflake, spark, clickhouse, trino or generic"}}},
		"no kind": {Options{Statements: []string{}}, []check.Problem{{Field: "statements",
			Message: "lists no kind, so that no statement would be allowed: leave it out, or list one"}}},
		"other kind": {Options{Statements: []string{"read"}}, []check.Problem{{Field: "statements",
			Message: "must be kinds of statements: select, show, insert, update, delete, merge, create, alter, drop, truncate, grant, " +
				"lock, transaction, session, call, copy, maintenance, attach, pragma, other"}}},
		"negative": {Options{MaxStatements: -1, WarnRows: -1, DSNEnv: "X", StatementTimeout: -1}, []check.Problem{
			{Message: "max_statements and max_length must not be negative"},
			{Message: "warn_cost, max_cost and warn_rows must not be negative"},
			{Field: "statement_timeout", Message: "must not be negative"}}},
		"empty function": {Options{AllowFunctions: []string{""}}, []check.Problem{{
			Message: "deny_functions and allow_functions must not hold an empty name"}}},
		"other parameter": {Options{Parameter: "date"}, []check.Problem{{Field: "parameter",
			Message: "must be string, number or literal, or be left out for a whole statement"}}},
		"a value and kinds": {Options{Parameter: String, Statements: []string{"select"}}, []check.Problem{{Field: "parameter",
			Message: "must not stand beside statements, max_statements, deny_functions or allow_functions: a value is no statement"}}},
		"a value and a database": {Options{Parameter: String, DSN: "sqlite:x"}, []check.Problem{{Field: "parameter",
			Message: "must not stand beside dsn or dsn_env: a value is no statement that a database could prepare"}}},
		"two databases": {Options{DSN: "sqlite:x", DSNEnv: "X"}, []check.Problem{{Field: "dsn",
			Message: "must not stand beside dsn_env: keep one"}}},
		"a dsn as a name": {Options{DSNEnv: "postgres://u:p@localhost/d"}, []check.Problem{{Field: "dsn_env",
			Message: "must be the name of an environment variable: a dsn itself stands in dsn"}}},
		"cost of nothing": {Options{MaxCost: 1}, []check.Problem{{
			Message: "warn_cost, max_cost and warn_rows need a dsn or dsn_env: the database's planner is asked"}}},
		"warning too late": {Options{DSN: "sqlite:x", WarnCost: 2, MaxCost: 2}, []check.Problem{{Field: "warn_cost",
			Message: "must be less than max_cost, which already refuses such statements"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.options.Problems()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDialectName holds that the database decides about the dialect, if none is named.
func TestDialectName(t *testing.T) {
	t.Setenv("TOOLVET_TEST_DSN", "mysql://localhost/x")
	for want, o := range map[string]Options{
		"generic":  {},
		"spark":    {Dialect: "Databricks"},
		"postgres": {DSN: "postgresql://localhost/x"},
		"mysql":    {DSNEnv: "TOOLVET_TEST_DSN"},
		"sqlite":   {DSN: "sqlite:/x", Dialect: ""},
		"oracle":   {DSN: "postgres://localhost/x", Dialect: "oracle"},
	} {
		if got := o.DialectName(); got != want {
			t.Errorf("DialectName of %+v = %q, want %q", o, got, want)
		}
	}
}
