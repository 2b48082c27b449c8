// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	modernc "modernc.org/sqlite"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/sql"
	"github.com/toolvet/toolvet/driver"
	mysqldriver "github.com/toolvet/toolvet/driver/mysql"
	postgresdriver "github.com/toolvet/toolvet/driver/postgres"
	sqlitedriver "github.com/toolvet/toolvet/driver/sqlite"
	"github.com/toolvet/toolvet/internal/test/need"
)

// program is what a program hands over, and drivers what the check makes of it.
var (
	program = []driver.Driver{postgresdriver.New(), mysqldriver.New(), sqlitedriver.New()}
	drivers = New(program...).databases.drivers
)

var serial atomic.Int64

// unique is a name that no other test uses.
func unique() string { return fmt.Sprintf("toolvet_%d_%d", os.Getpid(), serial.Add(1)) }

// A server is a database for one test.
type server struct {
	admin        // its administrator
	dsn   string // of a role that may do all in it
	name  string // of its schema or database
}

// An admin runs statements for a test.
type admin interface {
	// ask returns the first value of the last result, or "".
	ask(statement string) (string, error)
	close()
}

func (s *server) run(t testing.TB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		s.value(t, statement)
	}
}

func (s *server) value(t testing.TB, statement string) string {
	t.Helper()
	v, err := s.ask(statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return v
}

type postgresAdmin struct{ *pgconn.PgConn }

func (a postgresAdmin) close() { a.Close(context.Background()) }

func (a postgresAdmin) ask(statement string) (string, error) {
	results, err := a.Exec(context.Background(), statement).ReadAll()
	if err != nil || len(results) == 0 || len(results[len(results)-1].Rows) == 0 {
		return "", err
	}
	return string(results[len(results)-1].Rows[0][0]), nil
}

const postgresBase = "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable&connect_timeout=5"

// newServerPostgres makes a schema in the PostgreSQL on this machine.
func newServerPostgres(t testing.TB) *server {
	t.Helper()
	s := &server{name: unique()}
	s.dsn = postgresBase + "&search_path=" + s.name
	s.admin = newPostgresAdmin(t, s.dsn)
	s.run(t, "CREATE SCHEMA "+s.name)
	t.Cleanup(func() { s.run(t, "DROP SCHEMA "+s.name+" CASCADE") })
	return s
}

func newPostgresAdmin(t testing.TB, dsn string) admin {
	t.Helper()
	conn, err := pgconn.Connect(context.Background(), dsn)
	if err != nil {
		need.Postgres.Missing(t, err)
	}
	a := postgresAdmin{conn}
	t.Cleanup(a.close)
	return a
}

type mysqlAdmin struct{ *mysqlConn }

func (a mysqlAdmin) close() { a.Close() }

func (a mysqlAdmin) ask(statement string) (string, error) {
	rows, err := a.query(context.Background(), statement)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0][0], nil
}

const mysqlBase = "mysql://root@127.0.0.1:3306/"

// newServerMySQL makes a database in the MariaDB or MySQL on this machine.
func newServerMySQL(t testing.TB) *server {
	t.Helper()
	s := &server{name: unique()}
	root := newMySQLAdmin(t, mysqlBase)
	if _, err := root.ask("CREATE DATABASE " + s.name); err != nil {
		t.Fatal(err)
	}
	s.dsn = mysqlBase + s.name
	s.admin = newMySQLAdmin(t, s.dsn)
	t.Cleanup(func() { s.run(t, "DROP DATABASE "+s.name) })
	return s
}

func newMySQLAdmin(t testing.TB, dsn string) admin {
	t.Helper()
	conn, err := newMySQL(drivers.MySQL, &source{dsn: dsn}).open(context.Background())
	if err != nil {
		need.MariaDB.Missing(t, err)
	}
	a := mysqlAdmin{conn}
	t.Cleanup(a.close)
	return a
}

// look asks about one statement, and returns what was found as text.
func look(t testing.TB, s *State, o *sql.Options, statement string) string {
	t.Helper()
	return lookWithin(t.Context(), t, s, o, statement, check.World{})
}

// late is what lookWithin returns if the context ended first: the gate says then that
// the check did not finish.
const late = "late"

func lookWithin(ctx context.Context, t testing.TB, s *State, o *sql.Options, statement string, world check.World) string {
	t.Helper()
	c := s.Check()
	run := new(check.Run).Init(c, &call.Call{}, nil)
	run.World = world
	run.Targets = []check.Target{{Pointer: "/query", Value: statement, Options: o}}
	if err := run.Do(ctx); err != nil {
		if ctx.Err() == nil || !errors.Is(err, ctx.Err()) || strings.Contains(err.Error(), secret) || len(run.Findings) > 0 {
			t.Errorf("the check broke: %v", err)
		}
		return late
	}
	got := written(run)
	if strings.Contains(got, secret) {
		t.Errorf("a password or a value is told: %s", got)
	}
	return got
}

// secret is the password or value in tests that must not be told.
const secret = "s3cr3t"

// written is what a run found, as text.
func written(run *check.Run) string {
	var b strings.Builder
	for _, f := range run.Findings {
		fmt.Fprintf(&b, "%s %s\n", f.Severity, f)
		if f.Suggestion != "" {
			fmt.Fprintf(&b, "→ %s\n", f.Suggestion)
		}
	}
	if skip := run.Skip; skip != nil {
		fmt.Fprintf(&b, "skip: %s\n", skip.Why)
	}
	return b.String()
}

// everything allows all statements that can be prepared, so that the database sees them.
func everything(dsn string) *sql.Options {
	return &sql.Options{
		DSN:              dsn,
		Statements:       []string{"select", "insert", "update", "delete", "merge", "lock", "create"},
		AllowFunctions:   []string{"nextval", "setval", "set_config", "pg_notify", "pg_sleep", "sleep", "get_lock"},
		StatementTimeout: time.Minute, // a machine under load
	}
}

func newState(t testing.TB) *State {
	s := New(program...)
	t.Cleanup(s.Close)
	return s
}

// newServerSQLite makes a SQLite database.
func newServerSQLite(t testing.TB, file string) *server {
	t.Helper()
	connector, err := modernc.NewConnector("file:" + (&url.URL{Path: file}).EscapedPath())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connector.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := mysqlAdmin{&mysqlConn{Conn: conn}} // the same interfaces of database/sql/driver
	t.Cleanup(a.close)
	return &server{admin: a, dsn: "sqlite:" + (&url.URL{Path: file}).EscapedPath()}
}
