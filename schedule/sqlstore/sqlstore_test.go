// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/storetest"
)

const base = "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable&connect_timeout=5"

var serial atomic.Int64

// places runs a test over an empty place of each kind.
func places(t *testing.T, f func(t *testing.T, place string)) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		f(t, filepath.Join(t.TempDir(), "schedule.db"))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		f(t, postgresPlace(t))
	})
}

func postgresPlace(t testing.TB) string {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), base)
	if err != nil {
		need.Postgres.Missing(t, err)
	}
	name := fmt.Sprintf("toolvet_schedule_%d_%d", os.Getpid(), serial.Add(1))
	if _, err := conn.Exec(context.Background(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := conn.Exec(context.Background(), "DROP SCHEMA "+name+" CASCADE")
		if err := errors.Join(err, conn.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return base + "&search_path=" + name
}

func open(t testing.TB, place string) *store {
	t.Helper()
	s, err := openAt(t.Context(), place, schema)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// stores runs a test over both stores.
func stores(t *testing.T, f func(t *testing.T, s *store)) {
	t.Parallel()
	places(t, func(t *testing.T, place string) { f(t, open(t, place)) })
}

var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

func newJob(name string, next time.Time) *schedule.Job {
	return &schedule.Job{
		ID: jobspec.NewID(now), Spec: schedule.Spec{Name: name, Tool: "files:read", Arguments: []byte(`{"path":"x"}`), Schedule: "@daily"},
		Canonical: "@daily", State: schedule.Active, Created: now, Updated: now, Next: next,
	}
}

func create(t *testing.T, s *store, jobs ...*schedule.Job) {
	t.Helper()
	for _, j := range jobs {
		if err := s.CreateJob(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
}

// enqueue stores a queued run.
func enlist(t *testing.T, s *store, worker string, lease time.Duration) {
	t.Helper()
	if err := s.Heartbeat(t.Context(), &schedule.Worker{ID: worker}, lease, true); err != nil {
		t.Fatal(err)
	}
}

// TestStore runs the suite for implementations of [schedule.Store].
func TestStore(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return filepath.Join(t.TempDir(), "schedule.db") },
		"PostgreSQL": postgresPlace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t testing.TB) func() schedule.Store {
				at := place(t)
				return func() schedule.Store { return open(t, at) }
			})
		})
	}
}

func TestNewerVersionIsRefused(t *testing.T) {
	stores(t, func(t *testing.T, s *store) {
		if _, err := s.write.Exec("UPDATE schedule_version SET version = 99"); err != nil {
			t.Fatal(err)
		}
		if err := s.migrate(t.Context(), schema); err == nil || !strings.Contains(err.Error(), "newer toolvet") {
			t.Errorf("a store of a newer version: %v", err)
		}
	})
}

// TestNewerVersionMeanwhile: a worker begins no run once a newer program has changed the tables.
func TestNewerVersionMeanwhile(t *testing.T) {
	stores(t, func(t *testing.T, s *store) {
		j := newJob("job", now)
		create(t, s, j)
		run := &schedule.Run{ID: jobspec.NewID(now), Job: j.ID, Fire: now, Kind: "schedule", State: schedule.Queued, Ready: now}
		if err := s.AddRun(t.Context(), run, 1); err != nil {
			t.Fatal(err)
		}
		enlist(t, s, "worker", time.Hour)
		claim := func() ([]schedule.Claim, error) {
			return s.Claim(t.Context(), "worker", now, schedule.Capacity{Room: func(string, []*schedule.Worker) int { return 1 }})
		}
		set := func(version int) {
			if _, err := s.write.Exec("UPDATE schedule_version SET version = $1", version); err != nil {
				t.Fatal(err)
			}
		}
		set(len(schema) + 1)
		if list, err := claim(); err == nil || !strings.Contains(err.Error(), "a newer toolvet has changed the store") {
			t.Errorf("claimed are %v, %v", list, err)
		}
		set(len(schema))
		if list, err := claim(); err != nil || len(list) != 1 || list[0].Run.ID != run.ID {
			t.Errorf("by the same version, claimed are %v, %v", list, err)
		}
	})
}

// TestBroken: a file that is not a store stays unchanged.
func TestBroken(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notes.txt")
	text := strings.Repeat("these are somebody's notes\n", 100)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), file); err == nil {
		t.Error("a text is opened as a store")
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != text {
		t.Errorf("the text was changed: %v", err)
	}
}

// TestModes: a store is for its owner, also one that an older version made for everyone. Rights of a group stay.
func TestModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	file := filepath.Join(t.TempDir(), "jobs.db")
	for _, tt := range []struct{ before, after os.FileMode }{{0, 0o600}, {0o644, 0o600}, {0o660, 0o660}} {
		if tt.before != 0 {
			if err := os.Chmod(file, tt.before); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{file, file + "-wal"} {
			if info, err := os.Stat(name); err == nil && info.Mode().Perm() != tt.after {
				t.Errorf("%s: mode %v after %v, want %v", filepath.Base(name), info.Mode().Perm(), tt.before, tt.after)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// setLease makes the leases of a scheduler last for so long.
func setLease(s *schedule.Scheduler, lease time.Duration) {
	tune(s, jobspec.Tuning{Lease: lease})
}

func tune(s *schedule.Scheduler, t jobspec.Tuning) {
	s.Inside().(interface{ Tune(t jobspec.Tuning) }).Tune(t)
}
