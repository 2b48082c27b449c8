// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// Now implements [schedule.Store].
func (s *store) Now(ctx context.Context) (time.Time, error) {
	if s.file != "" {
		return time.Time{}, nil
	}
	ctx, cancel := s.bound(ctx)
	defer cancel()
	var at int64
	err := s.read.QueryRowContext(ctx, "SELECT "+s.now).Scan(&at)
	return fromMS(at), err
}

// Heartbeat implements [schedule.Store].
func (s *store) Heartbeat(ctx context.Context, w *schedule.Worker, lease time.Duration, first bool) error {
	if err := s.there(); err != nil {
		return err
	}
	ctx, cancel := s.bound(ctx)
	defer cancel()
	doc, err := json.Marshal(w)
	if err != nil {
		return err
	}
	query := "UPDATE schedule_workers SET until_at = " + s.now + " + $2, seen_at = " + s.now + ", doc = $3 WHERE id = $1"
	if first {
		query = "INSERT INTO schedule_workers (id, until_at, seen_at, doc) VALUES ($1, " + s.now + " + $2, " + s.now + ", $3)"
	}
	done, err := s.write.ExecContext(ctx, query, w.ID, lease.Milliseconds(), string(doc))
	if err != nil {
		return err
	}
	n, err := done.RowsAffected()
	if err == nil && n == 0 {
		err = schedule.ErrLost
	}
	return err
}

// there returns an error if the store's file is not the one that was opened.
func (s *store) there() error {
	if s.file == "" {
		return nil
	}
	now, err := os.Stat(s.file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.opened) {
		return fmt.Errorf("%s: %w", s.file, schedule.ErrGone)
	}
	return nil // an operation will report any other fault
}

// Leave implements [schedule.Store].
func (s *store) Leave(ctx context.Context, worker string) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	_, err := s.write.ExecContext(ctx, "UPDATE schedule_workers SET until_at = 0 WHERE id = $1", worker)
	return err
}

// Workers implements [schedule.Store].
func (s *store) Workers(ctx context.Context) ([]*schedule.Worker, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.workers(ctx, s.read)
}

func (s *store) workers(ctx context.Context, q querier) ([]*schedule.Worker, error) {
	rows, err := q.QueryContext(ctx, "SELECT id, seen_at, doc FROM schedule_workers WHERE until_at >= "+s.now+" ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []*schedule.Worker
	for rows.Next() {
		w := new(schedule.Worker)
		var id, doc string
		var seen int64
		if err := rows.Scan(&id, &seen, &doc); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(doc), w); err != nil {
			return nil, fmt.Errorf("a worker in the store cannot be read: %w", err)
		}
		w.ID, w.Seen = id, fromMS(seen)
		list = append(list, w)
	}
	return list, rows.Err()
}

// TakeOver implements [schedule.Store].
func (s *store) TakeOver(ctx context.Context, now time.Time, lease time.Duration, attempts int, lost func(*schedule.Job, *schedule.Run, int)) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	var any bool
	if err := s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM schedule_workers WHERE until_at < "+s.now+" OR until_at > "+s.now+" + $1)", lease.Milliseconds()).Scan(&any); err != nil || !any {
		return err
	}
	return s.transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE schedule_workers SET until_at = "+s.now+" + $1 WHERE until_at > "+s.now+" + $1", lease.Milliseconds()); err != nil {
			return err
		}
		dead, err := texts(tx.QueryContext(ctx, "SELECT id FROM schedule_workers WHERE until_at < "+s.now+s.skipLocked))
		if err != nil {
			return err
		}
		for _, worker := range dead {
			if err := s.bury(ctx, tx, worker, now, attempts, lost); err != nil {
				return err
			}
		}
		return nil
	})
}

// bury hands on the runs of a dead worker.
func (s *store) bury(ctx context.Context, tx *sql.Tx, worker string, now time.Time, attempts int, lost func(*schedule.Job, *schedule.Run, int)) error {
	list, err := scanRuns(tx.QueryContext(ctx, "SELECT "+runColumns+" FROM schedule_runs WHERE worker = $1 AND state = 'running'", worker))
	if err != nil {
		return err
	}
	for _, r := range list {
		j, err := jobByID(ctx, tx, r.Job, s.forUpdate) // jobs before runs, the order in which Fire locks
		if errors.Is(err, schedule.ErrNotFound) {
			continue // deleted just now
		}
		if err != nil {
			return err
		}
		r.State, r.Ready = schedule.Queued, now
		if err := ifCancelled(ctx, tx, r); err != nil {
			return err
		}
		gone := j.AtMostOnce || r.Attempt >= attempts || r.State == schedule.Cancelled
		if gone {
			if r.Ended = now; r.State == schedule.Queued {
				r.State = schedule.Lost
			}
			var open int
			if err := tx.QueryRowContext(ctx, openRuns, j.ID, r.ID).Scan(&open); err != nil {
				return err
			}
			lost(j, r, open)
		}
		changed, err := endRun(ctx, tx, r)
		if err != nil {
			return err
		}
		if err := afterwards(ctx, tx, j, r); err != nil {
			return err
		}
		if changed && gone {
			if err := putJob(ctx, tx, j); err != nil {
				return err
			}
		}
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM schedule_workers WHERE id = $1", worker)
	return err
}

// SetBack implements [schedule.Store].
func (s *store) SetBack(ctx context.Context, now time.Time, delay time.Duration) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.transact(ctx, func(tx *sql.Tx) error {
		jobs, err := texts(tx.QueryContext(ctx, "UPDATE schedule_runs SET ready_at = $1 WHERE state = 'queued' AND ready_at > $1 AND (fire_at > $1 OR started_at > $1) RETURNING job_id", ms(now)))
		if err != nil {
			return err
		}
		slices.Sort(jobs)
		for _, id := range slices.Compact(jobs) { // the order in which the runs of these jobs are ready may be another now
			if err := release(ctx, tx, &schedule.Job{ID: id}); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, "UPDATE schedule_alerts SET ready_at = $1 WHERE told_at = 0 AND ready_at > $2", ms(now), ms(now.Add(delay)))
		return err
	})
}

func texts(rows *sql.Rows, err error) (list []string, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}
