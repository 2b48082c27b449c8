// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package memstore keeps jobs and runs in memory, for tests and for programs that need no jobs after
// they end. It reads every job for every question: it is meant to be short, and to show what a store has to do.
package memstore

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

type store struct {
	mu     sync.Mutex
	jobs   map[string]*schedule.Job // by id; nobody else has these pointers
	runs   map[string]*schedule.Run
	alerts map[string]*alert
	leases map[string]lease // by worker
	cancel map[string]bool  // running runs that somebody has cancelled
}

// A lease is one of a worker.
type lease struct {
	until  time.Time
	worker *schedule.Worker
}

type alert struct {
	schedule.Notice
	due  time.Time
	done bool
}

var _ schedule.Store = (*store)(nil)

// New makes an empty store. Its jobs and runs end with it.
func New() schedule.Store {
	return &store{jobs: map[string]*schedule.Job{}, runs: map[string]*schedule.Run{}, alerts: map[string]*alert{}, leases: map[string]lease{}, cancel: map[string]bool{}}
}

// do runs a transaction, one at a time. A transaction changes nothing before all that can fail has
// succeeded.
func (s *store) do(ctx context.Context, transaction func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return transaction()
}

// copied makes a copy through JSON, as a database does.
func copied[T any](v *T) (*T, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	c := new(T)
	return c, json.Unmarshal(text, c)
}

func copyJob(j *schedule.Job) (*schedule.Job, error) {
	c, err := copied(j)
	if err == nil {
		c.CheckAt = j.CheckAt
	}
	return c, err
}

func copyRun(r *schedule.Run) (*schedule.Run, error) {
	c, err := copied(r)
	if err == nil {
		c.Exclusive = r.Exclusive
	}
	return c, err
}

// copies copies each entry of a list.
func copies[T any](list []*T, by func(*T) (*T, error)) (out []*T, err error) {
	for _, v := range list {
		c, err := by(v)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// sorted returns the values of a map that keep chooses, in an order.
func sorted[T any](m map[string]*T, keep func(*T) bool, order func(a, b *T) int) (list []*T) {
	for _, v := range m {
		if keep(v) {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, order)
	return list
}

// atMost returns the first entries of a list.
func atMost[T any](list []T, limit int) []T { return list[:min(len(list), max(limit, 0))] }

// come reports whether a moment has come; the zero time never comes.
func come(at, now time.Time) bool { return !at.IsZero() && !at.After(now) }

// find returns the stored job with an id or a name.
func (s *store) find(id string) (*schedule.Job, error) {
	if j, ok := s.jobs[id]; ok {
		return j, nil
	}
	switch named := sorted(s.jobs, func(j *schedule.Job) bool { return j.Name == id }, byID); len(named) {
	case 0:
		return nil, schedule.ErrNotFound
	case 1:
		return named[0], nil
	}
	return nil, schedule.ErrAmbiguous
}

func byID(a, b *schedule.Job) int { return strings.Compare(a.ID, b.ID) }

// taken reports whether another job of the same owner has a job's name.
func (s *store) taken(j *schedule.Job) bool {
	for _, other := range s.jobs {
		if other.ID != j.ID && other.Name == j.Name && other.Owner.Subject == j.Owner.Subject {
			return true
		}
	}
	return false
}

// A version is a job as a transaction stores it, with its alerts.
type version struct {
	job    *schedule.Job
	alerts []*schedule.Alert
}

// version copies a job that is to be stored.
func (s *store) version(j *schedule.Job) (v version, err error) {
	if v.job, err = copyJob(j); err == nil {
		v.alerts, err = copies(j.Alerts, copied)
	}
	return v, err
}

// put stores a version.
func (s *store) put(v version) {
	s.jobs[v.job.ID] = v.job
	for _, a := range v.alerts {
		s.alerts[a.ID] = &alert{Notice: schedule.Notice{Alert: *a}, due: a.Time}
	}
}

// CreateJob implements [schedule.Store].
func (s *store) CreateJob(ctx context.Context, j *schedule.Job) error {
	return s.do(ctx, func() error {
		v, err := s.version(j)
		if err != nil {
			return err
		}
		if s.jobs[j.ID] != nil || s.taken(j) {
			return schedule.ErrNameTaken
		}
		if s.full(j) {
			return schedule.ErrQuota
		}
		s.put(v)
		return nil
	})
}

// full reports whether a job would exceed its quota.
func (s *store) full(j *schedule.Job) bool {
	live := func(j *schedule.Job) bool { return j.State == schedule.Active || j.State == schedule.Paused }
	n := 0
	for _, other := range s.jobs {
		if other.ID != j.ID && other.Owner.Subject == j.Owner.Subject && live(other) {
			n++
		}
	}
	return j.Quota > 0 && live(j) && n >= j.Quota
}

// Job implements [schedule.Store].
func (s *store) Job(ctx context.Context, id string) (j *schedule.Job, err error) {
	err = s.do(ctx, func() error {
		stored, err := s.find(id)
		if err == nil {
			j, err = copyJob(stored)
		}
		return err
	})
	return j, err
}

// UpdateJob implements [schedule.Store].
func (s *store) UpdateJob(ctx context.Context, id string, change func(*schedule.Job) error) (*schedule.Job, error) {
	var changed *schedule.Job
	err := s.do(ctx, func() error {
		stored, err := s.find(id)
		if err != nil {
			return err
		}
		j, err := copyJob(stored)
		if err != nil {
			return err
		}
		if err := change(j); err != nil {
			return err
		}
		v, err := s.version(j)
		if err != nil {
			return err
		}
		if s.taken(j) {
			return schedule.ErrNameTaken
		}
		if s.full(j) {
			return schedule.ErrQuota
		}
		s.put(v)
		changed = j
		return nil
	})
	return changed, err
}

// DeleteJob implements [schedule.Store].
func (s *store) DeleteJob(ctx context.Context, id string) error {
	return s.do(ctx, func() error {
		j, err := s.find(id)
		if err != nil {
			return err
		}
		delete(s.jobs, j.ID)
		remove(s.runs, func(r *schedule.Run) bool { return r.Job == j.ID })
		remove(s.alerts, func(a *alert) bool { return a.Job == j.ID })
		return nil
	})
}

// remove deletes values from a map and returns their number.
func remove[T any](m map[string]*T, which func(*T) bool) (n int) {
	for id, v := range m {
		if which(v) {
			delete(m, id)
			n++
		}
	}
	return n
}

// chooses reports whether a filter chooses a job.
func chooses(f *schedule.JobFilter, j *schedule.Job) bool {
	texts := strings.ToLower(strings.Join(append([]string{j.Name, j.Tool, j.Description}, j.Tags...), "\n"))
	return (f.State == "" || f.State == j.State) && (f.Health == "" || f.Health == health(j)) &&
		(!f.Reminds || j.AlertReminder != 0) && (f.Tag == "" || slices.Contains(j.Tags, f.Tag)) && (f.Server == "" || f.Server == serverOf(j)) &&
		(f.Owner == nil || *f.Owner == j.Owner.Subject) && (f.Name == "" || f.Name == j.Name) &&
		strings.Contains(texts, strings.ToLower(f.Search)) && j.ID > f.After &&
		(f.Before.IsZero() || !j.Next.IsZero() && j.Next.Before(f.Before))
}

func serverOf(j *schedule.Job) string {
	server, _, _ := strings.Cut(j.Tool, ":")
	return server
}

func health(j *schedule.Job) schedule.Status { return cmp.Or(j.Health.Status, schedule.Healthy) }

// Jobs implements [schedule.Store].
func (s *store) Jobs(ctx context.Context, f schedule.JobFilter) (list []*schedule.Job, err error) {
	err = s.do(ctx, func() (err error) {
		order := byID
		if !f.Before.IsZero() {
			order = func(a, b *schedule.Job) int { return cmp.Or(a.Next.Compare(b.Next), byID(a, b)) }
		}
		found := sorted(s.jobs, func(j *schedule.Job) bool { return chooses(&f, j) }, order)
		list, err = copies(atMost(found, jobspec.PageSize(f.Limit)), copyJob)
		for _, j := range list {
			switch text, _ := json.Marshal(j); {
			case f.Brief:
				j.Arguments, j.Description, j.Tags, j.Owner = nil, "", nil, schedule.Owner{}
			case f.Large > 0 && len(text) > f.Large:
				j.Arguments = nil
			}
		}
		return err
	})
	return list, err
}

// Counts implements [schedule.Store].
func (s *store) Counts(ctx context.Context, owner *string) (list []schedule.Count, err error) {
	err = s.do(ctx, func() error {
		counts := map[schedule.Count]int{}
		for _, j := range s.jobs {
			if owner == nil || *owner == j.Owner.Subject {
				counts[schedule.Count{State: j.State, Health: health(j)}]++
			}
		}
		for c, n := range counts {
			c.Jobs = n
			list = append(list, c)
		}
		slices.SortFunc(list, func(a, b schedule.Count) int {
			return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Health, b.Health))
		})
		return nil
	})
	return list, err
}

// Close implements [schedule.Store]. It does nothing.
func (s *store) Close() error { return nil }
