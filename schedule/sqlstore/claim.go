// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// A claim must find the runs that it may take without reading those that it may not, because a hanging server or a paused
// job can leave a hundred thousand of them. Two columns of a queued run make that possible.
//
// Its lane stands for the server, the owner and the tags of its job. All bounds of a claim are bounds of whole lanes. A claim
// reads one entry of an index for each lane, and then runs of the lanes that have room.
//
// Waits is 0 for a run that a claim may take, and another number if other runs of the same job, or the job, hold it back. Each of
// the numbers has indexes of its own, and queries name the number alone. So a planner that does not know how many runs
// are queued now has no other index to take.
const (
	free = 0
	// forTurn holds back all exclusive queued runs of a job but one that is ready first, since only one of them can run. The
	// one that is not held back may have to wait for a running one: a claim looks at it in vain, once for each job.
	forTurn = 1
	// forResume holds back the scheduled runs of a paused job.
	forResume = 2
	// toCancel marks a running run that somebody has cancelled. Other runs that are not queued have NULL.
	toCancel = 3
)

// lane returns the lane of a job's runs. An index of PostgreSQL does not take long texts, so it is a digest.
func lane(j *schedule.Job) string {
	sum := sha256.Sum256([]byte(serverOf(j) + "\x00" + j.Owner.Subject + "\x00" + tagsOf(j)))
	return hex.EncodeToString(sum[:16])
}

// arrange sets lane and waits of the queued runs of a job after the job, or the state of one of them, has changed.
func arrange(ctx context.Context, q querier, j *schedule.Job) error {
	paused := 0
	if j.State == schedule.Paused {
		paused = 1
	}
	_, err := q.ExecContext(ctx, `UPDATE schedule_runs SET lane = $2, waits = CASE WHEN $3 = 1 AND kind <> 'trigger' THEN $4 WHEN waits = $4 THEN exclusive ELSE waits END
		WHERE job_id = $1 AND state = 'queued' AND (lane <> $2 OR $3 = 1 AND kind <> 'trigger' AND waits <> $4 OR $3 = 0 AND waits = $4)`, j.ID, lane(j), paused, forResume)
	if err != nil {
		return err
	}
	return release(ctx, q, j)
}

// afterwards looks after the queued runs of a job when one of its runs has ended, or is queued again.
func afterwards(ctx context.Context, q querier, j *schedule.Job, r *schedule.Run) error {
	if r.State == schedule.Queued { // the job may have been paused, or moved to another lane, while it ran
		return arrange(ctx, q, j)
	}
	return release(ctx, q, j)
}

// release lets the first of the runs of a job that wait for their turn be claimed, unless an earlier one can be.
func release(ctx context.Context, q querier, j *schedule.Job) error {
	_, err := q.ExecContext(ctx, `UPDATE schedule_runs SET waits = 0
		WHERE id = (SELECT id FROM schedule_runs WHERE job_id = $1 AND waits = 1 ORDER BY ready_at, id LIMIT 1)
		AND NOT EXISTS (SELECT 1 FROM schedule_runs o WHERE o.job_id = $1 AND o.waits = 0 AND o.exclusive = 1 AND o.ready_at <= schedule_runs.ready_at)`, j.ID)
	return err
}

// A queue is a lane with runs that are ready.
type queue struct {
	lane, server, owner string
	tags                []string
	ready               int64           // of its first run
	runs                []*schedule.Run // of those read and not claimed, the first ones
	read                bool
}

// queues finds the lanes with runs that are ready.
func queues(ctx context.Context, q querier, now time.Time) ([]*queue, error) {
	rows, err := q.QueryContext(ctx, `WITH RECURSIVE found (v) AS (
			SELECT min(lane) FROM schedule_runs WHERE waits = 0
			UNION ALL SELECT (SELECT min(r.lane) FROM schedule_runs r WHERE waits = 0 AND r.lane > found.v) FROM found WHERE v IS NOT NULL)
		SELECT v, first.ready_at, j.server, j.owner, j.tags FROM found
		JOIN schedule_runs first ON first.id = (SELECT id FROM schedule_runs h WHERE h.lane = v AND h.waits = 0 ORDER BY h.ready_at, h.id LIMIT 1)
		JOIN schedule_jobs j ON j.id = first.job_id WHERE v IS NOT NULL AND first.ready_at <= $1`, ms(now))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []*queue
	for rows.Next() {
		var one queue
		var tags string
		if err := rows.Scan(&one.lane, &one.ready, &one.server, &one.owner, &tags); err != nil {
			return nil, err
		}
		one.tags = strings.FieldsFunc(tags, func(r rune) bool { return r == '\n' })
		list = append(list, &one)
	}
	return list, rows.Err()
}

// busy counts the running runs of owners and of tags.
func busy(ctx context.Context, q querier) (owners, tags map[string]int, err error) {
	rows, err := q.QueryContext(ctx, "SELECT j.owner, j.tags FROM schedule_runs r JOIN schedule_jobs j ON j.id = r.job_id WHERE r.state = 'running'")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	owners, tags = map[string]int{}, map[string]int{}
	for rows.Next() {
		var owner, all string
		if err := rows.Scan(&owner, &all); err != nil {
			return nil, nil, err
		}
		owners[owner]++
		for tag := range strings.FieldsFuncSeq(all, func(r rune) bool { return r == '\n' }) {
			tags[tag]++
		}
	}
	return owners, tags, rows.Err()
}

// Claim implements [schedule.Store].
func (s *store) Claim(ctx context.Context, worker string, now time.Time, c schedule.Capacity) (claims []schedule.Claim, err error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	if any, err := queues(ctx, s.read, now); err != nil || len(any) == 0 { // usually there is none, and reading takes no lock
		return nil, err
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		// A buried worker may have slept. Nobody would bury it once more, and its new runs would never go on.
		if listed, err := texts(tx.QueryContext(ctx, "SELECT id FROM schedule_workers WHERE id = $1"+s.forShare, worker)); err != nil || len(listed) == 0 {
			return cmp.Or(err, schedule.ErrLost)
		}
		// This program cannot store the end of a run in tables that it does not know. The run would be made once more elsewhere.
		if err := s.known(ctx, tx); err != nil {
			return err
		}
		if s.claims != "" && (c.PerOwner > 0 || len(c.PerTag) > 0) { // others must not fill the same room
			if _, err := tx.ExecContext(ctx, s.claims); err != nil {
				return err
			}
		}
		t := &taking{tx: tx, store: s, worker: worker, now: now, room: map[string]int{}, jobs: map[string]bool{}}
		claims, err = t.take(ctx, c)
		return err
	})
	if conflict(err) { // another worker claimed a run of the same job at the same time
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return claims, nil
}

// taking is a claim under way.
type taking struct {
	tx           *sql.Tx
	store        *store
	worker       string
	now          time.Time
	room         map[string]int  // by server
	owners, tags map[string]int  // running runs
	jobs         map[string]bool // that have a claimed run
}

// take claims runs, one at a time from the queue whose turn it is.
func (t *taking) take(ctx context.Context, c schedule.Capacity) (claims []schedule.Claim, _ error) {
	list, err := queues(ctx, t.tx, t.now)
	if err != nil {
		return nil, err
	}
	fleet, err := t.store.workers(ctx, t.tx)
	if err != nil {
		return nil, err
	}
	if t.owners, t.tags, err = busy(ctx, t.tx); err != nil {
		return nil, err
	}
	for _, q := range list {
		if _, known := t.room[q.server]; !known {
			t.room[q.server] = c.Room(q.server, fleet)
		}
	}
	for {
		list = slices.DeleteFunc(list, func(q *queue) bool {
			return t.room[q.server] <= 0 || q.read && len(q.runs) == 0 || c.PerOwner > 0 && t.owners[q.owner] >= c.PerOwner ||
				slices.ContainsFunc(q.tags, func(tag string) bool { most, bound := c.PerTag[tag]; return bound && t.tags[tag] >= most })
		})
		if len(list) == 0 {
			return claims, nil
		}
		q := slices.MinFunc(list, func(a, b *queue) int {
			return cmp.Or(cmp.Compare(t.owners[a.owner], t.owners[b.owner]), cmp.Compare(a.ready, b.ready), cmp.Compare(a.lane, b.lane))
		})
		claim, err := t.next(ctx, q)
		if err != nil {
			return nil, err
		}
		if claim != nil {
			claims = append(claims, *claim)
		}
	}
}

// next claims the first run of a queue. It returns nil if that run is not free after all.
func (t *taking) next(ctx context.Context, q *queue) (*schedule.Claim, error) {
	if !q.read {
		q.read = true
		var err error
		q.runs, err = scanRuns(t.tx.QueryContext(ctx, "SELECT "+runColumns+` FROM schedule_runs r WHERE waits = 0 AND lane = $1 AND ready_at <= $2
			AND (exclusive = 0 OR NOT EXISTS (SELECT 1 FROM schedule_runs o WHERE o.job_id = r.job_id AND o.state = 'running'))
			ORDER BY ready_at, id LIMIT $3`+t.store.skipLocked, q.lane, ms(t.now), t.room[q.server]))
		if err != nil || len(q.runs) == 0 {
			return nil, err
		}
	}
	r := q.runs[0]
	if q.runs = q.runs[1:]; len(q.runs) > 0 {
		q.ready = ms(q.runs[0].Ready)
	}
	if r.Exclusive && t.jobs[r.Job] {
		return nil, nil
	}
	j, err := jobByID(ctx, t.tx, r.Job, "")
	if errors.Is(err, schedule.ErrNotFound) {
		return nil, nil // deleted just now
	}
	if err != nil {
		return nil, err
	}
	r.State, r.Worker, r.Started = schedule.Running, t.worker, t.now
	r.Attempt++
	if _, err := t.tx.ExecContext(ctx, "UPDATE schedule_runs SET state = 'running', waits = NULL, worker = $2, started_at = $3, attempt = $4 WHERE id = $1", r.ID, t.worker, ms(t.now), r.Attempt); err != nil {
		return nil, err
	}
	t.jobs[r.Job] = true
	t.room[q.server]--
	t.owners[q.owner]++
	for _, tag := range q.tags {
		t.tags[tag]++
	}
	return &schedule.Claim{Run: r, Job: j}, nil
}
