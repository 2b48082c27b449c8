// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/sqlstore"
)

// A place is the place of a store.
type place struct {
	driver, at string
	close      func() error
}

// newSchema makes a new schema in a database.
func newSchema(ctx context.Context, server string, jobs int) (*place, error) {
	db, err := sql.Open("pgx", server)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("bench_schedule_%d_%d", os.Getpid(), jobs)
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+name); err != nil {
		return nil, err
	}
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return &place{driver: "pgx", at: u.String(), close: func() error {
		defer db.Close()
		_, err := db.Exec("DROP SCHEMA " + name + " CASCADE")
		return err
	}}, nil
}

// fill puts jobs into a store in one transaction, each with as many runs that have ended. Making them one by one is a
// measurement of its own.
func (p *place) fill(ctx context.Context, jobs []*schedule.Job, runs int) error {
	store, err := sqlstore.Open(ctx, p.at) // makes the tables
	if err != nil {
		return err
	}
	if err := store.Close(); err != nil {
		return err
	}
	db, err := sql.Open(p.driver, p.at)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	insert, err := tx.PrepareContext(ctx, `INSERT INTO schedule_jobs (id, name, state, server, owner, tags, next_at, check_at, doc, health)
		VALUES ($1,$2,$3,$4,$5,$6,$7,NULL,$8,$9)`)
	if err != nil {
		return err
	}
	text, err := tx.PrepareContext(ctx, "INSERT INTO schedule_texts VALUES ($1,$2)")
	if err != nil {
		return err
	}
	for _, j := range jobs {
		doc, err := json.Marshal(j)
		if err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, j.ID, j.Name, string(j.State), "files", j.Owner.Subject, "\n", j.Next.UnixMilli(), string(doc), string(j.Health.Status)); err != nil {
			return err
		}
		if _, err := text.ExecContext(ctx, j.ID, strings.ToLower(j.Name+"\n"+j.Tool+"\n"+j.Description)); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS INTEGER))
		INSERT INTO schedule_runs (id, job_id, fire_at, kind, state, attempt, worker, exclusive, ready_at, started_at, ended_at, doc, owner)
		SELECT substr(j.id, 1, 20) || CAST(100 + i AS TEXT), j.id, j.next_at - i * 86400000, 'schedule', 'succeeded', 1, 'bench', 1, j.next_at - i * 86400000,
			j.next_at - i * 86400000, j.next_at - i * 86400000 + 900, '{"result":{"content":[{"type":"text","text":"the report of the day is there"}]}}', j.owner
		FROM schedule_jobs j CROSS JOIN n`, runs); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	settle := "ANALYZE"
	if p.driver != "sqlite" {
		settle = "VACUUM (ANALYZE)" // as autovacuum does before long
	}
	_, err = db.ExecContext(ctx, settle)
	return err
}

// newJob makes a job that fires once.
func newJob(made time.Time, name, owner string, at time.Time) *schedule.Job {
	at = at.UTC().Truncate(time.Millisecond)
	return &schedule.Job{
		ID: jobspec.NewID(made),
		Spec: schedule.Spec{
			Name: name, Tool: "files:read_text_file", Arguments: json.RawMessage(`{"path":"/data/report.txt"}`),
			Schedule: at.Format(time.RFC3339Nano), Description: "read the report of the day",
		},
		Canonical: at.Format(time.RFC3339Nano), Words: "once", State: schedule.Active, Owner: schedule.Owner{Subject: owner},
		Created: made, Updated: made, Next: at, Health: schedule.Health{Status: schedule.Healthy, Since: made},
	}
}
