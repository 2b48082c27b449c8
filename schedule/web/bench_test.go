// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"database/sql"
	"testing"

	"github.com/toolvet/toolvet/schedule"
)

// multiply copies a job n times, in the store's own file: a transaction for each would take long.
func (f *fixture) multiply(j *schedule.Job, n int) {
	f.t.Helper()
	db, err := sql.Open("sqlite", f.file)
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(f.t.Context(), `WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < $1)
		INSERT INTO schedule_jobs (id, name, state, server, owner, tags, search, next_at, check_at, doc, health)
		SELECT printf('%023x', i), printf('job %d', i), state, server, owner, tags, printf('job %d', i), next_at + i * 600, check_at,
			replace(replace(doc, id, printf('%023x', i)), name, printf('job %d', i)), health
		FROM schedule_jobs, many WHERE id = $2`, n, j.ID)
	if err != nil {
		f.t.Fatal(err)
	}
}

// BenchmarkPages asks for the pages of a store with 100,000 jobs, which run within the day.
func BenchmarkPages(b *testing.B) {
	f := newFixture(b, nil)
	f.multiply(f.create(schedule.Spec{Name: "original", Schedule: "every day at 9:31am", Description: "what it does, and why"}, nil), 100_000)
	f.create(schedule.Spec{Name: "warned"}, func(j *schedule.Job) { j.Health = sick(schedule.Warned, "no") })
	for name, path := range map[string]string{
		"first": "", "last": "?after=0000000000000000001869f", "warned": "?health=warned", "paused": "?state=paused", "search": "?q=99999", "nothing": "?q=nothing+is+like+that", "tag": "?tag=none", "server": "?server=none", "calendar": "calendar",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if p := f.get("/schedule/" + path); p.status != 200 {
					b.Fatal(p.status)
				}
			}
		})
	}
}
