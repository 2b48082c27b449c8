// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/sql"
)

// TestUnreachable holds that an unreachable database is an error with its place and a remedy, and
// without the password.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	closed := closedPort(t)
	s := newState(t)
	for dsn, want := range map[string][]string{
		"postgres://me:s3cr3t@" + closed + "/db":                  {"the PostgreSQL database at " + closed + " cannot be reached", "→ start it"},
		"mysql://me:s3cr3t@" + closed + "/db":                     {"the MySQL database at " + closed + " cannot be reached", "→ start it"},
		"mysql://me:s3cr3t@" + closed + "/db?allowAllFiles=true":  {"a parameter that is not known"},
		"postgres://me:s3cr3t@" + closed + "/db?sslmode=whatever": {"has a dsn that cannot be read"},
		"oracle://me:s3cr3t@" + closed + "/db":                    {"has a dsn that cannot be read", "→ write postgres://"},
		"mysql://me:s3cr3t@%zz/":                                  {"has a dsn that cannot be read"},
		"sqlite::memory:":                                         {"has a dsn that cannot be read"},
		"sqlite:s3cr3t.db":                                        {"a relative file"},
	} {
		got := look(t, s, &sql.Options{DSN: dsn}, "SELECT 1")
		if !strings.HasPrefix(got, "error /query: cannot be checked: ") || strings.Contains(got, secret) {
			t.Errorf("%s: %s", dsn, got)
		}
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q, want %q in it", dsn, got, part)
			}
		}
	}
}

// closedPort is an address that nobody listens at.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestPostgresRefusal(t *testing.T) {
	t.Parallel()
	newServerPostgres(t)
	s := newState(t)
	for change, want := range map[[2]string]string{
		{"postgres@", "toolvet_nobody:s3cr3t@"}:         "refuses the user or the password",
		{":5432/postgres", ":5432/toolvet_no_database"}: "has no database of the name in the dsn",
	} {
		got := look(t, s, &sql.Options{DSN: strings.Replace(postgresBase, change[0], change[1], 1)}, "SELECT 1")
		if !strings.HasPrefix(got, "error /query: cannot be checked: the PostgreSQL database at 127.0.0.1:5432 "+want) || strings.Contains(got, secret) {
			t.Errorf("%s: %s", change[1], got)
		}
	}
}

// TestNotADatabase asks something that answers, but not as a database.
func TestNotADatabase(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			c.Close()
		}
	}()
	s := newState(t)
	for _, scheme := range []string{"postgres", "mysql"} {
		got := look(t, s, &sql.Options{DSN: scheme + "://me@" + l.Addr().String() + "/db"}, "SELECT 1")
		if !strings.Contains(got, "error /query: cannot be checked: ") {
			t.Errorf("%s: %s", scheme, got)
		}
	}
}

func TestNetworkFault(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"has a host name that cannot be resolved": fmt.Errorf("dial: %w", &net.DNSError{Err: "no such host", IsNotFound: true}),
		"cannot be reached":                       &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		"does not speak":                          &net.OpError{Op: "read", Err: syscall.ECONNRESET},
	} {
		if got := networkFault(err); !strings.Contains(got.Error(), want) {
			t.Errorf("%v: %q, want %q in it", err, got, want)
		}
	}
}

func TestDSNEnv(t *testing.T) {
	db := newServerSQLite(t, filepath.Join(t.TempDir(), "shop.db"))
	db.run(t, "CREATE TABLE t (number int)")
	o := &sql.Options{DSNEnv: "TOOLVET_TEST_DSN"}
	s := newState(t)
	want := "error /query: cannot be checked: the database is named by the environment variable TOOLVET_TEST_DSN, which is not set\n→ set it where toolvet runs\n"
	if got := look(t, s, o, "SELECT number FROM t"); got != want {
		t.Errorf("not set: %q, want %q", got, want)
	}
	t.Setenv("TOOLVET_TEST_DSN", db.dsn)
	if got := look(t, s, o, "SELECT [number] FROM t"); got != "" {
		t.Errorf("set: %s", got)
	}
	if got := look(t, s, o, "SELECT [numbr] FROM t"); !strings.Contains(got, `did you mean "number"?`) {
		t.Errorf("set, with a fault: %s", got)
	}
}

func TestNoDatabase(t *testing.T) {
	t.Parallel()
	s := newState(t)
	want := "skip: not looked: the policy names no database (dsn or dsn_env)\n"
	if got := look(t, s, &sql.Options{}, "SELECT 1"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDialect holds that a policy cannot have a text judged as one database reads it, and
// sent to another.
func TestDialect(t *testing.T) {
	t.Parallel()
	db := newServerSQLite(t, filepath.Join(t.TempDir(), "shop.db"))
	s := newState(t)
	for dialect, want := range map[string]string{
		"": "", "sqlite": "", "generic": "",
		"mysql": "error /query: cannot be checked: the database is not of the policy's dialect\n→ leave out dialect, which is then that of the dsn\n",
	} {
		if got := look(t, s, &sql.Options{DSN: db.dsn, Dialect: dialect}, "SELECT 1"); got != want {
			t.Errorf("dialect %q: %q, want %q", dialect, got, want)
		}
	}
}

// TestLong asks about statements of a megabyte.
func TestLong(t *testing.T) {
	t.Parallel()
	s := newState(t)
	for _, db := range []*server{newServerPostgres(t), newServerMySQL(t), newServerSQLite(t, filepath.Join(t.TempDir(), "t.db"))} {
		o := everything(db.dsn)
		o.MaxLength, o.StatementTimeout = 2<<20, 10*time.Second
		long := "SELECT '" + strings.Repeat(secret+" ", 1<<20/len(secret)) + "'"
		if got := look(t, s, o, long); got != "" {
			t.Errorf("%s: %.200s", db.dsn, got)
		}
		got := look(t, s, o, long+" FROM nosuch")
		if !strings.HasPrefix(got, "error /query: names a table at character ") || len(got) > 200 {
			t.Errorf("%s: %.200s", db.dsn, got)
		}
		o.MaxLength = 0
		if got := look(t, s, o, long); got != "skip: not looked: the text is refused as it is\n" {
			t.Errorf("%s, not allowed: %.200s", db.dsn, got)
		}
	}
}

// TestSeveral asks about several arguments at once, some of which name no database.
func TestSeveral(t *testing.T) {
	t.Parallel()
	db := newServerSQLite(t, filepath.Join(t.TempDir(), "shop.db"))
	db.run(t, "CREATE TABLE t (number int)")
	c := newState(t).Check()
	run := new(check.Run).Init(c, &call.Call{}, nil)
	run.Targets = []check.Target{
		{Pointer: "/a", Value: "SELECT number FROM t", Options: everything(db.dsn)},
		{Pointer: "/b", Value: "SELECT id FROM u", Options: &sql.Options{}},
		{Pointer: "/c", Value: "SELECT numbr FROM t", Options: everything(db.dsn)},
		{Pointer: "/d", Value: 5, Options: everything(db.dsn)},
	}
	if err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "error /c: names a column at character 8 that does not exist in the database\n→ did you mean \"number\"?\nskip: not looked: the value is no string\n"
	if diff := cmp.Diff(want, written(run)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
