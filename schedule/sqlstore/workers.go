// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// maxAttempts bounds how often a run is begun whose workers die: it may be what kills them.
const maxAttempts = 10

// Heartbeat implements [schedule.Store].
func (s *Store) Heartbeat(ctx context.Context, worker string, lease time.Duration, first bool) error {
	query := "UPDATE schedule_workers SET until_at = " + s.now + " + $2 WHERE id = $1"
	if first {
		query = "INSERT INTO schedule_workers VALUES ($1, " + s.now + " + $2)"
	}
	done, err := s.write.ExecContext(ctx, query, worker, lease.Milliseconds())
	if err != nil {
		return err
	}
	n, err := done.RowsAffected()
	if err == nil && n == 0 {
		err = schedule.ErrLost
	}
	return err
}

// Leave implements [schedule.Store].
func (s *Store) Leave(ctx context.Context, worker string) error {
	_, err := s.write.ExecContext(ctx, "UPDATE schedule_workers SET until_at = 0 WHERE id = $1", worker)
	return err
}

// TakeOver implements [schedule.Store].
func (s *Store) TakeOver(ctx context.Context, now time.Time) (lost []*schedule.Run, err error) {
	var any bool
	if err := s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM schedule_workers WHERE until_at < "+s.now+")").Scan(&any); err != nil || !any {
		return nil, err
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		dead, err := texts(tx.QueryContext(ctx, "SELECT id FROM schedule_workers WHERE until_at < "+s.now+s.skipLocked))
		if err != nil {
			return err
		}
		for _, worker := range dead {
			gone, err := s.bury(ctx, tx, worker, now)
			if err != nil {
				return err
			}
			lost = append(lost, gone...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}

// bury hands on what a dead worker has begun, and returns what is lost of it.
func (s *Store) bury(ctx context.Context, tx *sql.Tx, worker string, now time.Time) (lost []*schedule.Run, err error) {
	list, err := scanRuns(tx.QueryContext(ctx, "SELECT "+runColumns+" FROM schedule_runs WHERE worker = $1 AND state = 'running'"+s.forUpdate, worker))
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		j, err := jobByID(ctx, tx, r.Job, "")
		if err != nil {
			return nil, err
		}
		r.State, r.Ready = schedule.Queued, now
		if j.AtMostOnce || r.Attempt >= maxAttempts {
			r.State, r.Ended = schedule.Lost, now
			lost = append(lost, r)
		}
		if _, err := tx.ExecContext(ctx, "UPDATE schedule_runs SET state = $2, ready_at = $3, ended_at = $4 WHERE id = $1", r.ID, string(r.State), ms(r.Ready), ms(r.Ended)); err != nil {
			return nil, err
		}
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM schedule_workers WHERE id = $1", worker)
	return lost, err
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
