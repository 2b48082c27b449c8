// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstate

import (
	"context"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/sql"
)

// The beginnings of conversations that then go no further.
const (
	postgresOK    = "R\x00\x00\x00\x08\x00\x00\x00\x00" // AuthenticationOk
	postgresReady = "Z\x00\x00\x00\x05I"                // ReadyForQuery
	mysqlGreeting = "\x49\x00\x00\x00\x0a8.0.0\x00\x01\x00\x00\x00abcdefgh\x00\xff\xf7\xff\x02\x00\xff\x81\x15" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00ijklmnopqrst\x00mysql_native_password\x00" // HandshakeV10
	mysqlOK = "\x07\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00" // OK_Packet
)

// A mute database accepts connections, says the same to each, a piece after each that
// the client says, and then nothing.
type mute struct {
	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn
	done     sync.WaitGroup
}

func newMute(t testing.TB, says ...string) *mute {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mute{listener: l}
	m.done.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			m.mu.Lock()
			m.conns = append(m.conns, c)
			m.mu.Unlock()
			m.done.Go(func() { converse(c, says) })
		}
	})
	t.Cleanup(m.close)
	return m
}

func converse(c net.Conn, says []string) {
	for _, piece := range says {
		if _, err := c.Write([]byte(piece)); err != nil {
			return
		}
		if _, err := c.Read(make([]byte, 4096)); err != nil {
			return
		}
	}
}

func (m *mute) close() {
	m.listener.Close()
	m.mu.Lock()
	for _, c := range m.conns {
		c.Close()
	}
	m.mu.Unlock()
	m.done.Wait()
}

// soon is far more than a run may take after its context ended, and far less than what
// it waits for.
const soon = 5 * time.Second

// TestMute asks databases that stop talking at any stage: each run ends with its
// context, also when there are more of them than connections, and nothing is left.
func TestMute(t *testing.T) {
	for name, says := range map[string][]string{
		"postgres silent":         nil,
		"postgres half a message": {postgresOK[:5]},
		"postgres authenticated":  {postgresOK},
		"postgres ready":          {postgresOK + postgresReady},
		"mysql silent":            nil,
		"mysql half a greeting":   {mysqlGreeting[:20]},
		"mysql greeting":          {mysqlGreeting},
		"mysql ready":             {mysqlGreeting, mysqlOK},
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			m, s := newMute(t, says...), New(program...)
			scheme, _, _ := strings.Cut(name, " ")
			dsn := scheme + "://me:" + secret + "@" + m.listener.Addr().String() + "/db"
			if scheme == "postgres" {
				dsn += "?sslmode=disable"
			}
			var asking sync.WaitGroup
			for range 2 * maxConnections {
				asking.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
					defer cancel()
					start := time.Now()
					if got := lookWithin(ctx, t, s, &sql.Options{DSN: dsn}, "SELECT 1", check.World{}); got != late {
						t.Errorf("%q, want %q", got, late)
					}
					if took := time.Since(start); took > soon {
						t.Errorf("it took %v, and had 100ms", took)
					}
				})
			}
			asking.Wait()
			m.close()
			s.Close()
			waitUntil(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
		})
	}
}

// TestSlowPlan asks for the cost of views whose functions sleep when they are planned.
// The database's own limit ends that, or ours, and the session with it.
func TestSlowPlan(t *testing.T) {
	t.Parallel()
	postgres, mysql := newServerPostgres(t), newServerMySQL(t)
	postgres.run(t, "CREATE TABLE t (id int)",
		"CREATE FUNCTION naps() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM pg_sleep(100); RETURN 1; END$$",
		"CREATE VIEW slow AS SELECT * FROM t WHERE id = naps()")
	mysql.run(t, "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)",
		"CREATE FUNCTION naps() RETURNS int DETERMINISTIC NO SQL BEGIN DO SLEEP(100); RETURN 1; END",
		"CREATE VIEW slow AS SELECT * FROM t WHERE id = naps()")
	asleep := map[*server]string{
		postgres: "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'EXPLAIN%slow /* " + postgres.name + "%' AND state = 'active'",
		mysql:    "SELECT COUNT(*) FROM information_schema.processlist WHERE db = '" + mysql.name + "' AND id <> CONNECTION_ID() AND info IS NOT NULL",
	}
	for db, count := range asleep {
		s := newState(t)
		for limit, want := range map[time.Duration]string{50 * time.Millisecond: "error", time.Hour: late} {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			o := everything(db.dsn)
			o.StatementTimeout, o.WarnCost = limit, 1e9
			got := lookWithin(ctx, t, s, o, "SELECT * FROM slow /* "+db.name+" */", check.World{})
			cancel()
			if !strings.HasPrefix(got, want) || want != late && !strings.Contains(got, "did not answer in time") {
				t.Errorf("%s: statement_timeout %v: %q, want %q", db.dsn, limit, got, want)
			}
			waitUntil(t, "the database sleeps no more", func() bool { return db.value(t, count) == "0" })
		}
	}
}

// TestSQLiteHangs holds that a silent file system blocks at most the allowed number of looks.
func TestSQLiteHangs(t *testing.T) {
	t.Parallel()
	db := newServerSQLite(t, filepath.Join(t.TempDir(), "shop.db"))
	src, err := parseDSN(drivers, db.dsn, check.World{})
	if err != nil {
		t.Fatal(err)
	}
	s := newState(t)
	hung := s.databases.of(src).(*sqlite)
	for range maxConnections {
		hung.slots <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got := lookWithin(ctx, t, s, everything(db.dsn), "SELECT 1", check.World{}); got != late {
		t.Errorf("all looks hang: %q, want %q", got, late)
	}
	for range maxConnections {
		<-hung.slots
	}
	if got := look(t, s, everything(db.dsn), "SELECT 1"); got != "" {
		t.Errorf("none hangs any more: %s", got)
	}
}

// TestLeavesNothing counts goroutines after questions to real databases, some of which
// are cut off. It does not run beside other tests.
func TestLeavesNothing(t *testing.T) {
	postgres, mysql := newServerPostgres(t), newServerMySQL(t)
	postgres.run(t, "CREATE TABLE held (id int)")
	other := newPostgresAdmin(t, postgres.dsn)
	if _, err := other.ask("BEGIN; LOCK TABLE held IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	lite := newServerSQLite(t, filepath.Join(t.TempDir(), "shop.db"))
	before := runtime.NumGoroutine()
	s := New(program...)
	for _, ask := range []struct {
		dsn, statement string
	}{
		{postgres.dsn, "SELECT 1"}, {postgres.dsn, "SELECT nothing"}, {postgres.dsn, "SELECT * FROM held"},
		{mysql.dsn, "SELECT 1"}, {mysql.dsn, "SELECT nothing"}, {lite.dsn, "SELECT 1"}, {lite.dsn, "SELECT nothing"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		o := everything(ask.dsn)
		o.StatementTimeout = time.Hour
		got := lookWithin(ctx, t, s, o, ask.statement, check.World{})
		cancel()
		if held := strings.Contains(ask.statement, "held"); held != (got == late) {
			t.Errorf("%s: %q", ask.statement, got)
		}
	}
	s.Close()
	waitUntil(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
}
