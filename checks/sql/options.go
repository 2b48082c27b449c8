// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/sqltext"
)

// Options are a policy's demands on SQL. The zero Options demand one read-only statement, for any
// database.
//
// Options must not be changed once a check has seen them. They are safe for
// concurrent use.
type Options struct {
	Dialect       string   `policy:"dialect" doc:"whose SQL it is: postgres, mysql, sqlite, mssql, oracle, bigquery, snowflake, spark, clickhouse, trino or generic, or an alias (postgresql, redshift, mariadb, sqlserver, tsql, databricks, hive, athena, presto, ansi); default: that of the database in dsn, else generic, which refuses what any of them would take for something else"`
	Statements    []string `policy:"statements" doc:"kinds of statements that are allowed: select, show, insert, update, delete, merge, create, alter, drop, truncate, grant, lock, transaction, session, call, copy, maintenance, attach, pragma, other; default select"`
	MaxStatements int      `policy:"max_statements" doc:"how many statements there may be; default 1"`
	MaxLength     int      `policy:"max_length" doc:"how many bytes the text may have; default 100000, of a literal 10000"`
	Parameter     string   `policy:"parameter" doc:"the value is no statement, but put into one by the server: string, in quotes; number, without; literal, if it is not known which"`

	DenyFunctions  []string `policy:"deny_functions" doc:"functions that must not be called, besides those that toolvet knows; * at the end stands for any ending"`
	AllowFunctions []string `policy:"allow_functions" doc:"functions that may be called although toolvet refuses them by default"`

	DSN              string        `policy:"dsn" secret:"true" doc:"the database to ask: postgres://USER:PASSWORD@HOST:PORT/DATABASE, mysql://… for MySQL and MariaDB, or sqlite: and a file; never shown; default: nothing is asked"`
	DSNEnv           string        `policy:"dsn_env" secret:"true" variable:"true" doc:"name of the environment variable that holds the dsn; or write dsn: ${NAME}"`
	StatementTimeout time.Duration `policy:"statement_timeout" doc:"how long the database may think about one question; default 500ms"`
	WarnCost         float64       `policy:"warn_cost" doc:"a higher cost, by the planner's own estimate, brings a warning"`
	MaxCost          float64       `policy:"max_cost" doc:"the cost, by the planner's own estimate, must not be higher; an unknown cost is an error, too"`
	WarnRows         float64       `policy:"warn_rows" doc:"more rows, by the planner's own estimate, bring a warning"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem { return (*sqltext.Options)(o).Problems() }
