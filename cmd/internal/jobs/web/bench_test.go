// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/schedule"
)

// A database is a kind of database for a store.
type database struct {
	driver string
	id     string // of a row with the number i
	settle string // as the database does by itself before long
	place  func(b *testing.B) string
}

var databases = map[string]database{
	"SQLite":     {"sqlite", "printf('%023x', i)", "ANALYZE", func(b *testing.B) string { return filepath.Join(b.TempDir(), "schedule.db") }},
	"PostgreSQL": {"pgx", "lpad(to_hex(i), 23, '0')", "VACUUM (ANALYZE) schedule_jobs, schedule_runs, schedule_texts", postgresPlace},
}

// postgresPlace makes a new schema, if PostgreSQL is available.
func postgresPlace(b *testing.B) string {
	b.Helper()
	const base = "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable&connect_timeout=5"
	db, err := sql.Open("pgx", base)
	if err != nil {
		b.Fatal(err)
	}
	name := fmt.Sprintf("toolvet_web_%d", os.Getpid())
	if _, err := db.ExecContext(b.Context(), "CREATE SCHEMA "+name); err != nil {
		need.Postgres.Missing(b, err)
	}
	b.Cleanup(func() {
		_, err := db.ExecContext(context.Background(), "DROP SCHEMA "+name+" CASCADE")
		if err != nil {
			b.Error(err)
		}
		db.Close()
	})
	return base + "&search_path=" + name
}

// multiply copies a job n times, each with a run, and gives it a thousand runs with large results. The database does
// it, because a transaction for each would take long.
func (f *fixture) multiply(d database, j *schedule.Job, n int) {
	f.t.Helper()
	db, err := sql.Open(d.driver, f.place)
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	many := fmt.Sprintf("WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < %d) ", n)
	large := `{"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 60_000) + `"}]}}`
	for _, s := range []struct {
		statement string
		values    []any
	}{
		{many + `INSERT INTO schedule_jobs (id, name, state, server, owner, tags, next_at, check_at, doc, health)
			SELECT ID, 'job ' || i, state, server, owner, tags, next_at + i * 600, check_at,
				replace(replace(doc, id, ID), name, 'job ' || i), health FROM schedule_jobs, many WHERE id = $1`, []any{j.ID}},
		{"INSERT INTO schedule_texts SELECT id, name FROM schedule_jobs WHERE id <> $1", []any{j.ID}},
		{many + `INSERT INTO schedule_runs (id, job_id, fire_at, kind, state, attempt, worker, exclusive, ready_at, started_at, ended_at, doc)
			SELECT ID, ID, i, 'schedule', 'succeeded', 1, '', 1, i, i, i + 1, '{}' FROM many`, nil},
		{many + `INSERT INTO schedule_runs (id, job_id, fire_at, kind, state, attempt, worker, exclusive, ready_at, started_at, ended_at, doc)
			SELECT 'f' || ID, CAST($1 AS TEXT), i, 'schedule', 'succeeded', 1, '', 1, i, i, i + 1, CAST($2 AS TEXT) FROM many WHERE i <= 1000`, []any{j.ID, large}},
		{d.settle, nil},
	} {
		if _, err := db.ExecContext(f.t.Context(), strings.ReplaceAll(s.statement, "ID", d.id), s.values...); err != nil {
			f.t.Fatal(err)
		}
	}
}

// BenchmarkPages requests the pages of a store with 100,000 jobs that run within the day.
func BenchmarkPages(b *testing.B) {
	for name, d := range databases {
		b.Run(name, func(b *testing.B) {
			f := newFixtureIn(b, d.place(b), now, nil)
			j := f.create(schedule.Spec{Name: "original", Schedule: "every day at 9:31am", Description: "what it does, and why"}, nil)
			f.multiply(d, j, 100_000)
			f.create(schedule.Spec{Name: "warned"}, func(j *schedule.Job) { j.Health = sick(schedule.Warned, "no") })
			for name, path := range map[string]string{
				"first": "", "last": "?after=0000000000000000001869f", "warned": "?health=warned", "paused": "?state=paused", "search": "?q=99999", "nothing": "?q=nothing+is+like+that", "tag": "?tag=none", "server": "?server=none", "calendar": "calendar",
				"job": "jobs/" + j.ID, "runs": "jobs/" + j.ID + "?state=failed", "run": "runs/f" + strings.Repeat("0", 22) + "1",
			} {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						if p := f.get("/schedule/" + path); p.status != 200 {
							b.Fatal(p.status)
						}
					}
				})
			}
		})
	}
}
