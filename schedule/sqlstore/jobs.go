// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// jobColumns hold a job. The other columns are for searching.
const jobColumns = "doc, next_at, check_at"

func scanJobs(rows *sql.Rows, err error) ([]*schedule.Job, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []*schedule.Job
	for rows.Next() {
		var doc string
		var next, check sql.NullInt64
		if err := rows.Scan(&doc, &next, &check); err != nil {
			return nil, err
		}
		j := new(schedule.Job)
		if err := json.Unmarshal([]byte(doc), j); err != nil {
			return nil, fmt.Errorf("a job in the store cannot be read: %w", err)
		}
		j.Next, j.CheckAt = fromMS(next.Int64), fromMS(check.Int64)
		list = append(list, j)
	}
	return list, rows.Err()
}

// strange reports whether PostgreSQL cannot hold one of these texts. Such a text finds nothing, in either database.
func strange(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "\x00") || !utf8.ValidString(s) })
}

// text returns the text behind a pointer, "" for nil.
func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// jobByID finds a job by its id, or else by its name.
func jobByID(ctx context.Context, q querier, id, lock string) (*schedule.Job, error) {
	if strange(id) {
		return nil, schedule.ErrNotFound
	}
	for _, column := range []string{"id", "name"} {
		list, err := scanJobs(q.QueryContext(ctx, "SELECT "+jobColumns+" FROM schedule_jobs WHERE "+column+" = $1"+lock, id))
		if err != nil {
			return nil, err
		}
		switch len(list) {
		case 0:
		case 1:
			return list[0], nil
		default:
			return nil, schedule.ErrAmbiguous
		}
	}
	return nil, schedule.ErrNotFound
}

func serverOf(j *schedule.Job) string {
	server, _, _ := strings.Cut(j.Tool, ":")
	return server
}

// tagsOf returns the tags of a job, each between two line ends.
func tagsOf(j *schedule.Job) string { return "\n" + strings.Join(j.Tags, "\n") + "\n" }

// jobValues returns the columns of a job, in the order of the table.
func jobValues(j *schedule.Job) ([]any, error) {
	doc, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	return []any{j.ID, j.Name, string(j.State), serverOf(j), j.Owner.Subject, tagsOf(j), orNull(j.Next), orNull(j.CheckAt), string(doc), string(cmp.Or(j.Health.Status, schedule.Healthy)), j.Zone}, nil
}

// CreateJob implements [schedule.Store].
func (s *store) CreateJob(ctx context.Context, j *schedule.Job) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	values, err := jobValues(j)
	if err != nil {
		return err
	}
	return s.transact(ctx, func(tx *sql.Tx) error {
		if err := s.within(ctx, tx, j); err != nil {
			return err
		}
		done, err := tx.ExecContext(ctx, "INSERT INTO schedule_jobs VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11) ON CONFLICT DO NOTHING", values...)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return cmp.Or(err, schedule.ErrNameTaken)
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO schedule_texts VALUES ($1,$2)", j.ID, searched(j)); err != nil {
			return err
		}
		return putAlerts(ctx, tx, j)
	})
}

// within returns ErrQuota if a job would exceed its quota.
func (s *store) within(ctx context.Context, tx *sql.Tx, j *schedule.Job) error {
	if j.Quota <= 0 || j.State != schedule.Active && j.State != schedule.Paused {
		return nil
	}
	if s.quotas != "" { // others must not take the same place
		if _, err := tx.ExecContext(ctx, s.quotas, j.Owner.Subject); err != nil {
			return err
		}
	}
	var n int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM schedule_jobs WHERE owner = $1 AND state IN ('active', 'paused') AND id <> $2", j.Owner.Subject, j.ID).Scan(&n)
	if err == nil && n >= j.Quota {
		err = schedule.ErrQuota
	}
	return err
}

func putJob(ctx context.Context, q querier, j *schedule.Job) error {
	values, err := jobValues(j)
	if err == nil {
		err = putAlerts(ctx, q, j)
	}
	if err == nil {
		_, err = q.ExecContext(ctx, `UPDATE schedule_jobs SET name = $2, state = $3, server = $4, owner = $5, tags = $6,
			next_at = $7, check_at = $8, doc = $9, health = $10, zone = $11 WHERE id = $1`, values...)
	}
	return err
}

// Job implements [schedule.Store].
func (s *store) Job(ctx context.Context, id string) (*schedule.Job, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return jobByID(ctx, s.read, id, "")
}

// UpdateJob implements [schedule.Store].
func (s *store) UpdateJob(ctx context.Context, id string, change func(*schedule.Job) error) (j *schedule.Job, err error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if j, err = jobByID(ctx, tx, id, s.forUpdate); err != nil {
			return err
		}
		was, paused, text := lane(j), j.State == schedule.Paused, searched(j)
		if err := change(j); err != nil {
			return err
		}
		if err := s.within(ctx, tx, j); err != nil {
			return err
		}
		if was != lane(j) || paused != (j.State == schedule.Paused) {
			if err := arrange(ctx, tx, j); err != nil {
				return err
			}
		}
		if now := searched(j); now != text {
			if _, err := tx.ExecContext(ctx, "UPDATE schedule_texts SET search = $2 WHERE id = $1", j.ID, now); err != nil {
				return err
			}
		}
		return putJob(ctx, tx, j)
	})
	switch {
	case conflict(err):
		return nil, schedule.ErrNameTaken
	case err != nil:
		return nil, err
	}
	return j, nil
}

// DeleteJob implements [schedule.Store].
func (s *store) DeleteJob(ctx context.Context, id string) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.transact(ctx, func(tx *sql.Tx) error {
		j, err := jobByID(ctx, tx, id, s.forUpdate)
		if err != nil {
			return err
		}
		for _, query := range []string{
			"DELETE FROM schedule_runs WHERE job_id = $1", "DELETE FROM schedule_alerts WHERE job_id = $1", "DELETE FROM schedule_texts WHERE id = $1",
			"DELETE FROM schedule_jobs WHERE id = $1",
		} {
			if _, err := tx.ExecContext(ctx, query, j.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// A where collects conditions and their values.
type where struct {
	conditions []string
	values     []any
}

func (w *where) add(condition string, value any) {
	w.values = append(w.values, value)
	w.conditions = append(w.conditions, strings.ReplaceAll(condition, "$?", fmt.Sprintf("$%d", len(w.values))))
}

func (w *where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conditions, " AND ")
}

// Jobs implements [schedule.Store].
func (s *store) Jobs(ctx context.Context, f schedule.JobFilter) ([]*schedule.Job, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	if strange(f.Tag, f.Search, f.Server, f.Name, f.After, string(f.State), string(f.Health), text(f.Owner)) {
		return nil, nil
	}
	var w where
	if f.State != "" {
		w.add("state = $?", string(f.State))
	}
	if f.Health != "" {
		w.add("health = $?", string(f.Health))
	}
	if f.Reminds {
		w.add("doc LIKE $? AND "+strings.Replace(s.zone, "timezone", "alert_reminder", 1)+" IS NOT NULL", `%"alert_reminder":%`) // the text alone is faster, and could be another member's
	}
	if f.Server != "" {
		w.add("server = $?", f.Server)
	}
	if f.Owner != nil {
		w.add("owner = $?", *f.Owner)
	}
	if f.Name != "" {
		w.add("name = $?", f.Name)
	}
	if f.Tag != "" {
		if err := s.tagged(ctx, &w, f.Tag); err != nil {
			return nil, err
		}
	}
	if f.Search != "" {
		if err := s.search(ctx, &w, f.Search); err != nil {
			return nil, err
		}
	}
	if f.After != "" {
		w.add("id > $?", f.After)
	}
	order := "id"
	if !f.Before.IsZero() {
		w.add("next_at < $?", ms(f.Before))
		order = "next_at, id"
	}
	columns := jobColumns
	switch {
	case f.Brief:
		columns = s.lacking("arguments", "description", "tags", "owner") + ", next_at, check_at"
	case f.Large > 0:
		columns = fmt.Sprintf("CASE WHEN length(doc) > %d THEN %s ELSE doc END, next_at, check_at", f.Large, s.lacking("arguments"))
	}
	query := fmt.Sprintf("SELECT %s FROM schedule_jobs%s ORDER BY %s LIMIT %d", columns, &w, order, jobspec.PageSize(f.Limit))
	list, err := scanJobs(s.read.QueryContext(ctx, query, w.values...))
	for _, j := range list {
		switch {
		case f.Brief:
			j.Arguments, j.Description, j.Tags, j.Owner = nil, "", nil, schedule.Owner{}
		case f.Large > 0 && len(j.Arguments) > f.Large:
			j.Arguments = nil
		}
	}
	return list, err
}

// Counts implements [schedule.Store].
func (s *store) Counts(ctx context.Context, owner *string) ([]schedule.Count, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	if strange(text(owner)) {
		return nil, nil
	}
	var w where
	if owner != nil {
		w.add("owner = $?", *owner)
	}
	// An index alone answers the inner query.
	query := fmt.Sprintf(`SELECT state, health, sum(n) FROM (SELECT owner, state, health, count(*) AS n FROM schedule_jobs%s GROUP BY owner, state, health) AS alike
		GROUP BY state, health ORDER BY state, health`, &w)
	rows, err := s.read.QueryContext(ctx, query, w.values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []schedule.Count
	for rows.Next() {
		var c schedule.Count
		if err := rows.Scan(&c.State, &c.Health, &c.Jobs); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// NextAt implements [schedule.Store].
func (s *store) NextAt(ctx context.Context, after time.Time) (time.Time, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	var fire, ready sql.NullInt64
	err := s.read.QueryRowContext(ctx, `SELECT (SELECT min(next_at) FROM schedule_jobs WHERE next_at > $1),
		(SELECT min(ready_at) FROM schedule_runs WHERE state = 'queued' AND ready_at > $1)`, ms(after)).Scan(&fire, &ready)
	switch {
	case err != nil:
		return time.Time{}, err
	case fire.Valid && ready.Valid:
		return fromMS(min(fire.Int64, ready.Int64)), nil
	}
	return fromMS(fire.Int64 + ready.Int64), nil // one of them is 0
}

// each finds the values of a column of the jobs with a Next. It reads one entry of an index for each.
const each = `WITH RECURSIVE found (v) AS (
	SELECT min(%[1]s) FROM schedule_jobs WHERE next_at IS NOT NULL
	UNION ALL SELECT (SELECT min(%[1]s) FROM schedule_jobs j WHERE next_at IS NOT NULL AND j.%[1]s > found.v) FROM found WHERE v IS NOT NULL)
	SELECT v FROM found WHERE v IS NOT NULL`

// Servers implements [schedule.Store].
func (s *store) Servers(ctx context.Context) ([]string, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return texts(s.read.QueryContext(ctx, fmt.Sprintf(each, "server")))
}

// Zones implements [schedule.Store].
func (s *store) Zones(ctx context.Context) ([]string, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return texts(s.read.QueryContext(ctx, fmt.Sprintf(each, "zone")))
}

// Checks implements [schedule.Store].
func (s *store) Checks(ctx context.Context, server string, now, again time.Time, limit int) (list []*schedule.Job, err error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	if strange(server) {
		return nil, nil
	}
	const due = "FROM schedule_jobs WHERE server = $1 AND check_at <= $2"
	var any bool // usually there is none, and reading takes no lock
	if err := s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 "+due+")", server, ms(now)).Scan(&any); err != nil || !any {
		return nil, err
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		list, err = scanJobs(tx.QueryContext(ctx, "SELECT "+jobColumns+" "+due+" ORDER BY check_at, next_at LIMIT $3"+s.skipLocked, server, ms(now), max(limit, 0)))
		if err != nil {
			return err
		}
		for _, j := range list {
			if _, err := tx.ExecContext(ctx, "UPDATE schedule_jobs SET check_at = $2 WHERE id = $1", j.ID, ms(again)); err != nil {
				return err
			}
			j.CheckAt = again
		}
		return nil
	})
	if err != nil { // they are still due
		return nil, err
	}
	return list, nil
}

// soonAtOnce is the number of jobs of one CheckSoon. More would keep Fire from them for long.
const soonAtOnce = 500

// CheckSoon implements [schedule.Store].
func (s *store) CheckSoon(ctx context.Context, server string, now time.Time, after schedule.Place) (last schedule.Place, err error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	if strange(server, after.ID) {
		return last, nil
	}
	first := ms(after.Next)
	if after.ID == "" {
		first = math.MinInt64
	}
	w := where{conditions: []string{"state = 'active'"}}
	w.add("(check_at IS NULL OR check_at > $?)", ms(now)) // the others are due as it is
	w.add("next_at >= $?", first)                         // SQLite takes an index for a bound of one column alone
	w.add("(next_at > $2 OR id > $?)", after.ID)
	if server != "" {
		w.add("server = $?", server)
	}
	query := fmt.Sprintf("UPDATE schedule_jobs SET check_at = $1 WHERE id IN (SELECT id FROM schedule_jobs%s ORDER BY next_at, id LIMIT %d%s) RETURNING next_at, id", &w, soonAtOnce, s.forUpdate)
	places, err := placesOf(s.write.QueryContext(ctx, query, w.values...))
	if err == nil && len(places) == soonAtOnce {
		last = slices.MaxFunc(places, func(a, b schedule.Place) int { return cmp.Or(a.Next.Compare(b.Next), strings.Compare(a.ID, b.ID)) })
	}
	return last, err
}

func placesOf(rows *sql.Rows, err error) (list []schedule.Place, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var next int64
		var p schedule.Place
		if err := rows.Scan(&next, &p.ID); err != nil {
			return nil, err
		}
		p.Next = fromMS(next)
		list = append(list, p)
	}
	return list, rows.Err()
}
