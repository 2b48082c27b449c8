// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

const runColumns = "id, job_id, fire_at, kind, state, attempt, worker, exclusive, ready_at, started_at, ended_at, doc"

func scanRuns(rows *sql.Rows, err error) ([]*schedule.Run, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []*schedule.Run
	for rows.Next() {
		r := new(schedule.Run)
		var doc, state string
		var fire, ready, started, ended int64
		var exclusive int
		if err := rows.Scan(&r.ID, &r.Job, &fire, &r.Kind, &state, &r.Attempt, &r.Worker, &exclusive, &ready, &started, &ended, &doc); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(doc), &r.RunInfo); err != nil {
			return nil, fmt.Errorf("a run in the store cannot be read: %w", err)
		}
		r.State, r.Exclusive = schedule.RunState(state), exclusive == 1
		r.Fire, r.Ready, r.Started, r.Ended = fromMS(fire), fromMS(ready), fromMS(started), fromMS(ended)
		list = append(list, r)
	}
	return list, rows.Err()
}

// instead replaces a missed run.
const instead = `ON CONFLICT (job_id, fire_at, kind) DO UPDATE SET id = excluded.id, state = excluded.state, attempt = 0, worker = '',
	exclusive = excluded.exclusive, lane = excluded.lane, waits = excluded.waits, ready_at = excluded.ready_at, started_at = 0, ended_at = excluded.ended_at, doc = excluded.doc
	WHERE schedule_runs.state = 'missed' AND excluded.state <> 'missed'`

// addRun stores a new run of a job. It reports false if another run has the fire time and kind, unless that run was missed.
// The caller then calls release.
func addRun(ctx context.Context, q querier, j *schedule.Job, r *schedule.Run) (bool, error) {
	doc, err := json.Marshal(r.RunInfo)
	if err != nil {
		return false, err
	}
	exclusive, waits := 0, sql.NullInt64{Int64: free, Valid: r.State == schedule.Queued}
	if r.Exclusive {
		exclusive, waits.Int64 = 1, forTurn
	}
	if j.State == schedule.Paused && r.Kind != "trigger" {
		waits.Int64 = forResume
	}
	done, err := q.ExecContext(ctx, "INSERT INTO schedule_runs ("+runColumns+", owner, lane, waits) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15) "+instead,
		r.ID, r.Job, ms(r.Fire), r.Kind, string(r.State), r.Attempt, r.Worker, exclusive, ms(r.Ready), ms(r.Started), ms(r.Ended), string(doc), j.Owner.Subject, lane(j), waits)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// AddRun implements [schedule.Store].
func (s *store) AddRun(ctx context.Context, r *schedule.Run, most int) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.transact(ctx, func(tx *sql.Tx) error {
		j, err := jobByID(ctx, tx, r.Job, s.forShare) // nobody can delete it meanwhile
		if err != nil {
			return err
		}
		var open int
		if err := tx.QueryRowContext(ctx, openRuns, r.Job, r.ID).Scan(&open); err != nil {
			return err
		}
		if open >= most {
			return schedule.ErrTooMany
		}
		added, err := addRun(ctx, tx, j, r)
		switch {
		case err != nil:
			return err
		case !added:
			return schedule.ErrRunExists
		}
		return release(ctx, tx, j)
	})
}

// Run implements [schedule.Store].
func (s *store) Run(ctx context.Context, id string) (*schedule.Run, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	if strange(id) {
		return nil, schedule.ErrNotFound
	}
	list, err := scanRuns(s.read.QueryContext(ctx, "SELECT "+runColumns+" FROM schedule_runs WHERE id = $1", id))
	if err == nil && len(list) == 0 {
		err = schedule.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Runs implements [schedule.Store].
func (s *store) Runs(ctx context.Context, f schedule.RunFilter) ([]*schedule.Run, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	if strange(f.Job, f.Before, string(f.State), text(f.Owner)) {
		return nil, nil
	}
	var w where
	if f.Job != "" {
		w.add("job_id = $?", f.Job)
	}
	if f.State != "" {
		w.add("state = $?", string(f.State))
	}
	order := "id DESC"
	switch {
	case f.Owner != nil:
		// A comparison of rows, so that PostgreSQL takes the index of both. By equality and the order of ids, it would read
		// all runs backward in the hope to meet the owner's soon.
		w.add("(owner, id) >= ($?, '')", *f.Owner)
		w.values = append(w.values, cmp.Or(f.Before, "g"))
		w.add("(owner, id) < ($?, $"+fmt.Sprint(len(w.values))+")", *f.Owner)
		order = "owner DESC, id DESC"
	case f.Before != "":
		w.add("id < $?", f.Before)
	}
	columns := runColumns
	if f.Brief {
		columns = strings.TrimSuffix(columns, "doc") + s.lacking("result", "verdict")
	}
	list, err := scanRuns(s.read.QueryContext(ctx, fmt.Sprintf("SELECT %s FROM schedule_runs%s ORDER BY %s LIMIT %d", columns, &w, order, jobspec.PageSize(f.Limit)), w.values...))
	if f.Brief {
		for _, r := range list {
			r.Result, r.Verdict = nil, nil
		}
	}
	return list, err
}

const openRuns = "SELECT count(*) FROM schedule_runs WHERE job_id = $1 AND state IN ('queued', 'running') AND id <> $2"

// firedAlready returns the times for Fire.
func firedAlready(ctx context.Context, q querier, j *schedule.Job) ([]time.Time, error) {
	if j.Next.After(j.Through) {
		return nil, nil // always, unless the clock was set back
	}
	rows, err := q.QueryContext(ctx, "SELECT fire_at FROM schedule_runs WHERE job_id = $1 AND fire_at >= $2 AND kind = 'schedule' AND state <> 'missed'", j.ID, ms(j.Next))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []time.Time
	for rows.Next() {
		var at int64
		if err := rows.Scan(&at); err != nil {
			return nil, err
		}
		list = append(list, fromMS(at))
	}
	return list, rows.Err()
}

// Fire implements [schedule.Store].
func (s *store) Fire(ctx context.Context, now time.Time, limit int, fire func(j *schedule.Job, open int, fired []time.Time) []*schedule.Run) (n int, err error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	err = s.transact(ctx, func(tx *sql.Tx) error {
		list, err := scanJobs(tx.QueryContext(ctx, "SELECT "+jobColumns+" FROM schedule_jobs WHERE next_at <= $1 ORDER BY next_at LIMIT $2"+s.skipLocked, ms(now), max(limit, 0)))
		if err != nil {
			return err
		}
		n = len(list)
		for _, j := range list {
			var open int
			if err := tx.QueryRowContext(ctx, openRuns, j.ID, "").Scan(&open); err != nil {
				return err
			}
			fired, err := firedAlready(ctx, tx, j)
			if err != nil {
				return err
			}
			for _, r := range fire(j, open, fired) {
				added, err := addRun(ctx, tx, j, r)
				if err != nil {
					return err
				}
				if added && r.State.Open() {
					j.Fired++
				}
			}
			if err := release(ctx, tx, j); err != nil {
				return err
			}
			if err := putJob(ctx, tx, j); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// conflict reports whether a statement failed because of somebody else's write.
func conflict(err error) bool {
	var pg interface{ SQLState() string } // pgconn.PgError
	if errors.As(err, &pg) {
		return pg.SQLState() == "23505" || pg.SQLState() == "40P01" // unique_violation, deadlock_detected
	}
	var lite interface{ Code() int } // sqlite.Error
	return errors.As(err, &lite) && lite.Code() == sqliteConstraintUnique
}

// sqliteConstraintUnique is SQLITE_CONSTRAINT_UNIQUE (SQLite, "Result and Error Codes").
const sqliteConstraintUnique = 2067

// endRun stores the new state of a running run, and reports whether its worker still holds it.
func endRun(ctx context.Context, q querier, r *schedule.Run) (bool, error) {
	doc, err := json.Marshal(r.RunInfo)
	if err != nil {
		return false, err
	}
	done, err := q.ExecContext(ctx, `UPDATE schedule_runs SET state = $4, ready_at = $5, ended_at = $6, doc = $7, waits = CASE $4 WHEN 'running' THEN waits WHEN 'queued' THEN 0 END
		WHERE id = $1 AND worker = $2 AND attempt = $3 AND state = 'running'`, r.ID, r.Worker, r.Attempt, string(r.State), ms(r.Ready), ms(r.Ended), string(doc))
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// Progress implements [schedule.Store].
func (s *store) Progress(ctx context.Context, r *schedule.Run) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	_, err := endRun(ctx, s.write, r) // its state stays Running
	return err
}

// Finish implements [schedule.Store].
func (s *store) Finish(ctx context.Context, r *schedule.Run, change func(*schedule.Job, int)) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.transact(ctx, func(tx *sql.Tx) error {
		j, err := jobByID(ctx, tx, r.Job, s.forUpdate) // jobs before runs, the order in which Fire locks
		if errors.Is(err, schedule.ErrNotFound) {
			return schedule.ErrLost // deleted
		}
		if err != nil {
			return err
		}
		if err := ifCancelled(ctx, tx, r); err != nil {
			return err
		}
		mine, err := endRun(ctx, tx, r)
		if err != nil {
			return err // not ErrLost: it is tried again
		}
		if !mine {
			return schedule.ErrLost
		}
		var open int
		if err := tx.QueryRowContext(ctx, openRuns, j.ID, r.ID).Scan(&open); err != nil {
			return err
		}
		change(j, open)
		if err := afterwards(ctx, tx, j, r); err != nil {
			return err
		}
		return putJob(ctx, tx, j)
	})
}

// ifCancelled ends a run that is to go back into the queue, if somebody has cancelled it.
func ifCancelled(ctx context.Context, q querier, r *schedule.Run) error {
	if r.State != schedule.Queued {
		return nil
	}
	asked, err := texts(q.QueryContext(ctx, "SELECT id FROM schedule_runs WHERE id = $1 AND state = 'running' AND waits = $2", r.ID, toCancel))
	if len(asked) > 0 {
		r.State, r.Ended = schedule.Cancelled, r.Ready
	}
	return err
}

// Cancel implements [schedule.Store].
func (s *store) Cancel(ctx context.Context, id, reason string, now time.Time, change func(*schedule.Job, int)) (r *schedule.Run, err error) {
	if r, err = s.Run(ctx, id); err != nil {
		return nil, err
	}
	ctx, cancel := s.bound(ctx)
	defer cancel()
	err = s.transact(ctx, func(tx *sql.Tx) error {
		j, err := jobByID(ctx, tx, r.Job, s.forUpdate) // jobs before runs, the order in which Fire locks
		if err != nil {
			return err
		}
		list, err := scanRuns(tx.QueryContext(ctx, "SELECT "+runColumns+" FROM schedule_runs WHERE id = $1"+s.forUpdate, id))
		if err == nil && len(list) == 0 {
			err = schedule.ErrNotFound
		}
		if err != nil {
			return err
		}
		switch r = list[0]; r.State {
		case schedule.Running:
			_, err := tx.ExecContext(ctx, "UPDATE schedule_runs SET waits = $2 WHERE id = $1", id, toCancel)
			return err
		case schedule.Queued:
		default:
			return nil
		}
		r.State, r.Ended, r.Reason = schedule.Cancelled, now, reason
		doc, err := json.Marshal(r.RunInfo)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE schedule_runs SET state = 'cancelled', waits = NULL, ended_at = $2, doc = $3 WHERE id = $1", id, ms(now), string(doc)); err != nil {
			return err
		}
		var open int
		if err := tx.QueryRowContext(ctx, openRuns, j.ID, r.ID).Scan(&open); err != nil {
			return err
		}
		change(j, open)
		if err := release(ctx, tx, j); err != nil {
			return err
		}
		return putJob(ctx, tx, j)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// ToCancel implements [schedule.Store].
func (s *store) ToCancel(ctx context.Context, worker string) ([]string, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return texts(s.read.QueryContext(ctx, "SELECT id FROM schedule_runs WHERE worker = $1 AND state = 'running' AND waits = $2", worker, toCancel))
}

// Backlog implements [schedule.Store].
func (s *store) Backlog(ctx context.Context, now time.Time) (ready, running int, oldest time.Time, err error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	var first sql.NullInt64
	err = s.read.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM schedule_runs WHERE state = 'queued' AND ready_at <= $1 AND waits <> $2),
		(SELECT count(*) FROM schedule_runs WHERE state = 'running'),
		(SELECT min(ready_at) FROM schedule_runs WHERE state = 'queued' AND ready_at <= $1 AND waits <> $2)`, ms(now), forResume).Scan(&ready, &running, &first)
	return ready, running, fromMS(first.Int64), err
}
