// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package dbdriver says how package checks/sqlstate reaches databases: by the drivers in the packages below
// driver. The interfaces hold no more than the check asks for. All methods may be called concurrently; those of a
// connection are called by one goroutine at a time.
package dbdriver

import (
	"context"
	"database/sql/driver"
	"errors"
)

// A Driver reaches one kind of database.
type Driver interface {
	// Join puts the driver into its field.
	Join(*Databases)
}

// Databases are the databases that a program can reach. A nil one cannot be reached.
type Databases struct {
	Postgres Postgres
	MySQL    MySQL // and MariaDB
	SQLite   SQLite
}

// ErrDSN is the error of a dsn that cannot be read. An error with the reason would show parts of the dsn.
var ErrDSN = errors.New("the dsn cannot be read")

// A Refusal is a server's answer that it does not do what it was asked.
type Refusal struct {
	Code     string // SQLSTATE of PostgreSQL
	Number   uint16 // of MySQL
	Message  string // may quote the statement
	Position int    // of PostgreSQL: the character of the statement, counted from 1; 0: none
}

// Postgres reaches PostgreSQL.
type Postgres interface {
	// Address returns what a dsn names: a host with a port, or the directory of a socket. The error is ErrDSN.
	Address(dsn string) (host string, port uint16, err error)
	// Connect opens a connection whose client_encoding is UTF8. Its application_name is toolvet where neither the dsn
	// nor the environment names one.
	Connect(ctx context.Context, dsn string) (PostgresConn, error)
	// Refusal returns the server's refusal in an error of a method, if it is one.
	Refusal(err error) (Refusal, bool)
}

// A PostgresConn is a connection to PostgreSQL.
type PostgresConn interface {
	// Run runs statements by the simple protocol.
	Run(ctx context.Context, statements string) error
	// Query runs a single statement by the extended protocol, which refuses a second one. Parameters and results are
	// texts; NULL is nil.
	Query(ctx context.Context, statement string, params ...string) ([][][]byte, error)
	// Prepare parses a single statement and describes it, and runs nothing.
	Prepare(ctx context.Context, statement string) (*Description, error)
	// Close cancels what the server still does for the connection, closes it, and returns when nothing of it is left.
	Close(ctx context.Context)
}

// A Description is what PostgreSQL says of a prepared statement.
type Description struct {
	Parameters int
	Columns    []Column // of the result
}

// A Column of a result is one of a table, or computed: then Table is 0.
type Column struct {
	Table  uint32 // its OID
	Number uint16 // in the table, from 1
}

// MySQL reaches MySQL and MariaDB.
type MySQL interface {
	// Connect opens a connection. It implements driver.ExecerContext and driver.ConnPrepareContext; its statements
	// implement driver.StmtQueryContext. The driver must run a single statement in a text, read no file for the
	// server, and log nothing. The error is ErrDSN if c is wrong.
	Connect(ctx context.Context, c MySQLConfig) (driver.Conn, error)
	// Refusal returns the server's refusal in an error of a connection, if it is one.
	Refusal(err error) (Refusal, bool)
}

// A MySQLConfig names a database of MySQL.
type MySQLConfig struct {
	Network, Address         string // "tcp" with HOST:PORT, or "unix" with a path
	User, Password, Database string
	TLS                      string // "true", "false", "skip-verify" or "preferred"; "": false
	Collation                string // "": the driver's
	CleartextPasswords       bool   // the server may ask for them
}

// SQLite reads SQLite's files.
type SQLite interface {
	// Open opens a file so that nothing is ever written, not even beside it (query_only and defensive), and waits
	// 100 ms for a lock. An immutable file is read without locks. The connection implements driver.QueryerContext and
	// driver.ConnPrepareContext.
	Open(ctx context.Context, file string, immutable bool) (driver.Conn, error)
	// Authorize lets statements of a connection of Open compile only if allow is true for each of their actions. It
	// gets the arguments of SQLite's authorizer: an action code, two names, and the name of a trigger.
	Authorize(conn driver.Conn, allow func(action int, arg1, arg2, trigger string) bool) error
	// Code returns the result code of an error, 0 if it has none.
	Code(err error) int
}
