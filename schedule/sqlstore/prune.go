// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"strconv"
	"time"
)

// pruned is the number of rows that one statement deletes. In SQLite, no worker can renew its lease while the
// statement runs.
const pruned = 500

// Prune implements [schedule.Store].
func (s *store) Prune(ctx context.Context, before time.Time, keep int) (int, error) {
	runs, err := s.deleteAll(ctx, "schedule_runs", "ended_at > 0 AND ended_at < $1", ms(before))
	if err != nil {
		return runs, err
	}
	alerts, err := s.deleteAll(ctx, "schedule_alerts", "made_at < $1", ms(before))
	if err != nil {
		return runs + alerts, err
	}
	many, err := s.pruneJobs(ctx, keep)
	return runs + alerts + many, err
}

// pruneJobs deletes the ended runs of each job except for the newest keep.
func (s *store) pruneJobs(ctx context.Context, keep int) (n int, err error) {
	within, cancel := context.WithTimeoutCause(ctx, 5*patience, errSilent) // it reads an index of all runs
	defer cancel()
	jobs, err := texts(s.read.QueryContext(within, "SELECT job_id FROM schedule_runs GROUP BY job_id HAVING count(*) > $1", keep))
	if err != nil {
		return 0, err
	}
	const older = `job_id = $1 AND ended_at > 0 AND id <= (
		SELECT id FROM schedule_runs WHERE job_id = $1 AND ended_at > 0 ORDER BY id DESC LIMIT 1 OFFSET $2)`
	for _, job := range jobs {
		deleted, err := s.deleteAll(ctx, "schedule_runs", older, job, keep)
		if n += deleted; err != nil {
			return n, err
		}
	}
	return n, nil
}

// deleteAll deletes the rows that meet a condition, some at a time.
func (s *store) deleteAll(ctx context.Context, table, condition string, values ...any) (total int, err error) {
	query := "DELETE FROM " + table + " WHERE id IN (SELECT id FROM " + table + " WHERE " + condition + " LIMIT " + strconv.Itoa(pruned) + ")"
	for {
		n, err := s.exec(ctx, query, values...)
		total += n
		if err != nil || n < pruned {
			return total, err
		}
	}
}

// exec executes a statement and returns the number of changed rows.
func (s *store) exec(ctx context.Context, query string, values ...any) (int, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	done, err := s.write.ExecContext(ctx, query, values...)
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}
