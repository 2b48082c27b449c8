// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/check"
)

// Options are those of package sql, where each is documented: one type can be converted to the other. They are
// safe for concurrent use.
type Options struct {
	Dialect       string
	Statements    []string
	MaxStatements int
	MaxLength     int
	Parameter     string

	DenyFunctions  []string
	AllowFunctions []string

	DSN              string
	DSNEnv           string
	StatementTimeout time.Duration
	WarnCost         float64
	MaxCost          float64
	WarnRows         float64
}

// The defaults of Options.
const (
	defaultMaxStatements    = 1
	defaultMaxLength        = 100_000
	defaultMaxLiteral       = 10_000 // of a literal
	DefaultStatementTimeout = 500 * time.Millisecond
)

// The kinds of Parameter: what a server puts into a statement.
const (
	Literal = "literal" // in quotes or not; what cannot be told apart from a column's name is let through
	String  = "string"  // in quotes
	Number  = "number"  // without quotes
)

// Problems reports what is wrong with the options.
func (o *Options) Problems() []check.Problem {
	var list []check.Problem
	fail := func(field, format string, args ...any) {
		list = append(list, check.Problem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if dialectOf(o.Dialect) == "" {
		fail("dialect", "must be postgres, mysql, sqlite, mssql, oracle, bigquery, snowflake, spark, clickhouse, trino or generic")
	}
	if o.Statements != nil && len(o.Statements) == 0 {
		fail("statements", "lists no kind, so that no statement would be allowed: leave it out, or list one")
	}
	for _, s := range o.Statements {
		if !validKind(s) {
			fail("statements", "must be kinds of statements: %s", join(Kinds))
		}
	}
	if o.MaxStatements < 0 || o.MaxLength < 0 {
		fail("", "max_statements and max_length must not be negative")
	}
	if slices.Contains(o.DenyFunctions, "") || slices.Contains(o.AllowFunctions, "") {
		fail("", "deny_functions and allow_functions must not hold an empty name")
	}
	o.parameterProblems(fail)
	o.databaseProblems(fail)
	return list
}

func (o *Options) parameterProblems(fail func(field, format string, args ...any)) {
	if o.Parameter == "" {
		return
	}
	if o.Parameter != Literal && o.Parameter != String && o.Parameter != Number {
		fail("parameter", "must be string, number or literal, or be left out for a whole statement")
	}
	if o.Statements != nil || o.MaxStatements != 0 || o.DenyFunctions != nil || o.AllowFunctions != nil {
		fail("parameter", "must not stand beside statements, max_statements, deny_functions or allow_functions: a value is no statement")
	}
	if o.Asks() {
		fail("parameter", "must not stand beside dsn or dsn_env: a value is no statement that a database could prepare")
	}
}

func (o *Options) databaseProblems(fail func(field, format string, args ...any)) {
	if o.DSN != "" && o.DSNEnv != "" {
		fail("dsn", "must not stand beside dsn_env: keep one")
	}
	if strings.ContainsAny(o.DSNEnv, ":/ =") { // messages show it
		fail("dsn_env", "must be the name of an environment variable: a dsn itself stands in dsn")
	}
	asks := o.WarnCost != 0 || o.MaxCost != 0 || o.WarnRows != 0
	switch {
	case asks && !o.Asks():
		fail("", "warn_cost, max_cost and warn_rows need a dsn or dsn_env: the database's planner is asked")
	case o.WarnCost < 0 || o.MaxCost < 0 || o.WarnRows < 0:
		fail("", "warn_cost, max_cost and warn_rows must not be negative")
	case o.MaxCost > 0 && o.WarnCost >= o.MaxCost:
		fail("warn_cost", "must be less than max_cost, which already refuses such statements")
	}
	if o.StatementTimeout < 0 {
		fail("statement_timeout", "must not be negative")
	}
}

// Asks reports whether there is a database to ask.
func (o *Options) Asks() bool { return o.DSN != "" || o.DSNEnv != "" }

// allows reports whether a kind of statement is allowed.
func (o *Options) allows(k Kind) bool {
	if o.Statements == nil {
		return k == Select
	}
	return slices.ContainsFunc(o.Statements, func(s string) bool { return strings.EqualFold(s, string(k)) })
}

// allowed lists the kinds that are allowed, for messages.
func (o *Options) allowed() string {
	if o.Statements == nil {
		return string(Select)
	}
	return strings.ToLower(join(o.Statements))
}

func join[S ~string](list []S) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}

func (o *Options) maxStatements() int { return orDefault(o.MaxStatements, defaultMaxStatements) }
func (o *Options) maxLength() int {
	if o.Parameter != "" {
		return orDefault(o.MaxLength, defaultMaxLiteral)
	}
	return orDefault(o.MaxLength, defaultMaxLength)
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// DialectName is the dialect that a text is read in: from the options, else from the database,
// else generic.
func (o *Options) DialectName() string {
	if o.Dialect != "" {
		return dialectOf(o.Dialect)
	}
	dsn := o.DSN
	if o.DSNEnv != "" {
		dsn = os.Getenv(o.DSNEnv)
	}
	scheme, _, _ := strings.Cut(dsn, ":")
	switch name := dialectOf(scheme); name {
	case "postgres", "mysql", "sqlite":
		return name
	}
	return "generic"
}
