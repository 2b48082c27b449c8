// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// putAlerts stores the new alerts of a job.
func putAlerts(ctx context.Context, q querier, j *schedule.Job) error {
	for _, a := range j.Alerts {
		doc, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := q.ExecContext(ctx, "INSERT INTO schedule_alerts VALUES ($1,$2,$3,$4,0,'',0,$5)", a.ID, j.ID, ms(a.Time), ms(a.Time), string(doc)); err != nil {
			return err
		}
	}
	return nil
}

// Alerts implements [schedule.Store].
func (s *store) Alerts(ctx context.Context, now, until time.Time, limit int) (list []*schedule.Notice, err error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	const due = `FROM schedule_alerts a WHERE told_at = 0 AND ready_at <= $1
		AND NOT EXISTS (SELECT 1 FROM schedule_alerts e WHERE e.job_id = a.job_id AND e.told_at = 0 AND e.id < a.id)`
	var any bool // usually there is none, and reading takes no lock
	if err := s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 "+due+")", ms(now)).Scan(&any); err != nil || !any {
		return nil, err
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		list, err = scanNotices(tx.QueryContext(ctx, "SELECT doc, told, tries "+due+" ORDER BY ready_at, id LIMIT $2"+s.skipLocked, ms(now), max(limit, 0)))
		if err != nil {
			return err
		}
		for _, n := range list {
			if _, err := tx.ExecContext(ctx, "UPDATE schedule_alerts SET ready_at = $2 WHERE id = $1", n.ID, ms(until)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func scanNotices(rows *sql.Rows, err error) (list []*schedule.Notice, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		n := new(schedule.Notice)
		var doc, told string
		if err := rows.Scan(&doc, &told, &n.Tries); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(doc), &n.Alert); err != nil {
			return nil, fmt.Errorf("an alert in the store cannot be read: %w", err)
		}
		for _, name := range strings.Fields(told) {
			if name, err := url.QueryUnescape(name); err == nil {
				n.Told = append(n.Told, name)
			}
		}
		list = append(list, n)
	}
	return list, rows.Err()
}

// Told implements [schedule.Store].
func (s *store) Told(ctx context.Context, n *schedule.Notice, now, next time.Time, done bool) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	at := int64(0)
	if done {
		at = ms(now)
	}
	told := make([]string, len(n.Told))
	for i, name := range n.Told {
		told[i] = url.QueryEscape(name) // without spaces
	}
	_, err := s.write.ExecContext(ctx, "UPDATE schedule_alerts SET told = $2, tries = $3, ready_at = $4, told_at = $5 WHERE id = $1",
		n.ID, strings.Join(told, " "), n.Tries, ms(next), at)
	return err
}

// AlertsSince implements [schedule.Store].
func (s *store) AlertsSince(ctx context.Context, at time.Time, id string) ([]*schedule.Alert, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	notices, err := scanNotices(s.read.QueryContext(ctx, `SELECT doc, told, tries FROM schedule_alerts
		WHERE made_at >= $1 AND (made_at > $1 OR id > $2) ORDER BY made_at, id LIMIT 1000`, ms(at), id))
	if err != nil {
		return nil, err
	}
	list := make([]*schedule.Alert, len(notices))
	for i, n := range notices {
		list[i] = &n.Alert
	}
	return list, nil
}
