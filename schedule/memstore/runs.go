// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package memstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

// open counts the runs of a job that have not ended, except for one.
func (s *store) open(job, except string) (n int) {
	for _, r := range s.runs {
		if r.Job == job && r.ID != except && r.State.Open() {
			n++
		}
	}
	return n
}

// insert stores a run unless its fire time and kind are taken, and reports whether it did. The run
// takes the place of a missed one.
func (s *store) insert(r *schedule.Run) bool {
	for id, old := range s.runs {
		if old.Job == r.Job && old.Fire.Equal(r.Fire) && old.Kind == r.Kind {
			if old.State != schedule.Missed || r.State == schedule.Missed {
				return false
			}
			delete(s.runs, id)
		}
	}
	s.runs[r.ID] = r
	return true
}

// AddRun implements [schedule.Store].
func (s *store) AddRun(ctx context.Context, r *schedule.Run, most int) error {
	return s.do(ctx, func() error {
		c, err := copyRun(r)
		switch {
		case err != nil:
			return err
		case s.jobs[r.Job] == nil:
			return schedule.ErrNotFound
		case s.open(r.Job, r.ID) >= most:
			return schedule.ErrTooMany
		case !s.insert(c):
			return schedule.ErrRunExists
		}
		return nil
	})
}

// Run implements [schedule.Store].
func (s *store) Run(ctx context.Context, id string) (r *schedule.Run, err error) {
	err = s.do(ctx, func() (err error) {
		stored, ok := s.runs[id]
		if !ok {
			return schedule.ErrNotFound
		}
		r, err = copyRun(stored)
		return err
	})
	return r, err
}

// Runs implements [schedule.Store].
func (s *store) Runs(ctx context.Context, f schedule.RunFilter) (list []*schedule.Run, err error) {
	err = s.do(ctx, func() (err error) {
		found := sorted(s.runs, func(r *schedule.Run) bool {
			return (f.Job == "" || f.Job == r.Job) && (f.Owner == nil || *f.Owner == s.jobs[r.Job].Owner.Subject) &&
				(f.State == "" || f.State == r.State) && (f.Before == "" || r.ID < f.Before)
		}, func(a, b *schedule.Run) int { return strings.Compare(b.ID, a.ID) })
		list, err = copies(atMost(found, jobspec.PageSize(f.Limit)), copyRun)
		for _, r := range list {
			if f.Brief {
				r.Result, r.Verdict = nil, nil
			}
		}
		return err
	})
	return list, err
}

// Fire implements [schedule.Store].
func (s *store) Fire(ctx context.Context, now time.Time, limit int, fire func(j *schedule.Job, open int, fired []time.Time) []*schedule.Run) (n int, err error) {
	err = s.do(ctx, func() error {
		due := sorted(s.jobs, func(j *schedule.Job) bool { return come(j.Next, now) },
			func(a, b *schedule.Job) int { return cmp.Or(a.Next.Compare(b.Next), byID(a, b)) })
		due = atMost(due, limit)
		versions, runs := make([]version, len(due)), make([][]*schedule.Run, len(due))
		for i, stored := range due {
			j, err := copyJob(stored)
			if err != nil {
				return err
			}
			if runs[i], err = copies(fire(j, s.open(j.ID, ""), s.fired(j)), copyRun); err != nil {
				return err
			}
			if versions[i], err = s.version(j); err != nil {
				return err
			}
		}
		for i, v := range versions {
			for _, r := range runs[i] {
				if s.insert(r) && r.State.Open() {
					v.job.Fired++
				}
			}
			s.put(v)
		}
		n = len(due)
		return nil
	})
	return n, err
}

// fired are the times for Fire.
func (s *store) fired(j *schedule.Job) (list []time.Time) {
	for _, r := range s.runs {
		if r.Job == j.ID && r.Kind == "schedule" && r.State != schedule.Missed && !r.Fire.Before(j.Next) && !j.Next.After(j.Through) {
			list = append(list, r.Fire)
		}
	}
	return list
}

// Claim implements [schedule.Store].
func (s *store) Claim(ctx context.Context, worker string, now time.Time, c schedule.Capacity) (claims []schedule.Claim, err error) {
	err = s.do(ctx, func() error {
		if _, leased := s.leases[worker]; !leased {
			return schedule.ErrLost
		}
		fleet, err := s.fleet()
		if err != nil {
			return err
		}
		t := taking{Capacity: c, fleet: fleet, jobs: map[string]bool{}, owners: map[string]int{}, tags: map[string]int{}, room: map[string]int{}}
		for _, r := range s.runs {
			if r.State == schedule.Running {
				t.took(s.jobs[r.Job])
			}
		}
		ready := sorted(s.runs, func(r *schedule.Run) bool {
			return r.State == schedule.Queued && !r.Ready.After(now) && (r.Kind == "trigger" || s.jobs[r.Job].State != schedule.Paused)
		}, func(a, b *schedule.Run) int { return cmp.Or(a.Ready.Compare(b.Ready), strings.Compare(a.ID, b.ID)) })
		for {
			ready = slices.DeleteFunc(ready, func(r *schedule.Run) bool { return !t.free(r, s.jobs[r.Job]) })
			if len(ready) == 0 {
				break
			}
			r := slices.MinFunc(ready, func(a, b *schedule.Run) int { // the first of equals
				return cmp.Compare(t.owners[s.jobs[a.Job].Owner.Subject], t.owners[s.jobs[b.Job].Owner.Subject])
			})
			ready = slices.DeleteFunc(ready, func(other *schedule.Run) bool { return other == r })
			j, err := copyJob(s.jobs[r.Job])
			if err != nil {
				return err
			}
			c, err := copyRun(r)
			if err != nil {
				return err
			}
			c.State, c.Worker, c.Started = schedule.Running, worker, now
			c.Attempt++
			t.took(j)
			t.room[serverOf(j)]--
			claims = append(claims, schedule.Claim{Run: c, Job: j})
		}
		for _, c := range claims {
			r := s.runs[c.Run.ID]
			r.State, r.Worker, r.Started, r.Attempt = c.Run.State, worker, now, c.Run.Attempt
		}
		return nil
	})
	return claims, err
}

// taking is a claim under way.
type taking struct {
	schedule.Capacity
	fleet        []*schedule.Worker
	jobs         map[string]bool // with a running run
	owners, tags map[string]int  // running runs
	room         map[string]int  // by server
}

// took counts a run of a job that is running.
func (t *taking) took(j *schedule.Job) {
	t.jobs[j.ID] = true
	t.owners[j.Owner.Subject]++
	for _, tag := range j.Tags {
		t.tags[tag]++
	}
}

// free reports whether a run may begin now.
func (t *taking) free(r *schedule.Run, j *schedule.Job) bool {
	server := serverOf(j)
	if _, known := t.room[server]; !known {
		t.room[server] = t.Room(server, t.fleet)
	}
	full := slices.ContainsFunc(j.Tags, func(tag string) bool { most, bound := t.PerTag[tag]; return bound && t.tags[tag] >= most })
	return t.room[server] > 0 && !full && (t.PerOwner <= 0 || t.owners[j.Owner.Subject] < t.PerOwner) && !(r.Exclusive && t.jobs[j.ID])
}

// held returns the stored run if a worker still holds it: the worker and the attempt are the fence.
func (s *store) held(r *schedule.Run) *schedule.Run {
	stored := s.runs[r.ID]
	if stored == nil || stored.State != schedule.Running || stored.Worker != r.Worker || stored.Attempt != r.Attempt {
		return nil
	}
	return stored
}

// end stores how a run goes on.
func (s *store) end(stored, r *schedule.Run) {
	delete(s.cancel, r.ID)
	stored.State, stored.Ready, stored.Ended, stored.RunInfo = r.State, r.Ready, r.Ended, r.RunInfo
}

// Progress implements [schedule.Store].
func (s *store) Progress(ctx context.Context, r *schedule.Run) error {
	return s.do(ctx, func() error {
		c, err := copyRun(r)
		if stored := s.held(r); stored != nil && err == nil {
			stored.Progress = c.Progress
		}
		return err
	})
}

// Finish implements [schedule.Store].
func (s *store) Finish(ctx context.Context, r *schedule.Run, change func(*schedule.Job, int)) error {
	return s.do(ctx, func() error {
		stored := s.held(r)
		if stored == nil {
			return schedule.ErrLost
		}
		if r.State == schedule.Queued && s.cancel[r.ID] {
			r.State, r.Ended = schedule.Cancelled, r.Ready
		}
		c, err := copyRun(r)
		if err != nil {
			return err
		}
		j, err := copyJob(s.jobs[stored.Job])
		if err != nil {
			return err
		}
		change(j, s.open(j.ID, r.ID))
		v, err := s.version(j)
		if err != nil {
			return err
		}
		s.end(stored, c)
		s.put(v)
		return nil
	})
}

// NextAt implements [schedule.Store].
func (s *store) NextAt(ctx context.Context, after time.Time) (next time.Time, err error) {
	earlier := func(at time.Time) {
		if at.After(after) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	err = s.do(ctx, func() error {
		for _, j := range s.jobs {
			earlier(j.Next)
		}
		for _, r := range s.runs {
			if r.State == schedule.Queued {
				earlier(r.Ready)
			}
		}
		return nil
	})
	return next, err
}

// Checks implements [schedule.Store].
func (s *store) Checks(ctx context.Context, server string, now, again time.Time, limit int) (list []*schedule.Job, err error) {
	err = s.do(ctx, func() (err error) {
		due := sorted(s.jobs, func(j *schedule.Job) bool { return come(j.CheckAt, now) && server == serverOf(j) },
			func(a, b *schedule.Job) int {
				return cmp.Or(a.CheckAt.Compare(b.CheckAt), a.Next.Compare(b.Next), byID(a, b))
			})
		due = atMost(due, limit)
		list, err = copies(due, copyJob)
		for i, j := range list {
			j.CheckAt, due[i].CheckAt = again, again
		}
		return err
	})
	return list, err
}

// soonAtOnce is the number of jobs of one CheckSoon. It is small, so that tests see several.
const soonAtOnce = 2

// CheckSoon implements [schedule.Store].
func (s *store) CheckSoon(ctx context.Context, server string, now time.Time, after schedule.Place) (last schedule.Place, err error) {
	err = s.do(ctx, func() error {
		list := sorted(s.jobs, func(j *schedule.Job) bool {
			return j.State == schedule.Active && !j.Next.IsZero() && (server == "" || server == serverOf(j)) &&
				(after.ID == "" || cmp.Or(j.Next.Compare(after.Next), strings.Compare(j.ID, after.ID)) > 0)
		}, func(a, b *schedule.Job) int { return cmp.Or(a.Next.Compare(b.Next), byID(a, b)) })
		for i, j := range atMost(list, soonAtOnce) {
			if j.CheckAt = now; i == soonAtOnce-1 {
				last = schedule.Place{Next: j.Next, ID: j.ID}
			}
		}
		return nil
	})
	return last, err
}

// Cancel implements [schedule.Store].
func (s *store) Cancel(ctx context.Context, id, reason string, now time.Time, change func(*schedule.Job, int)) (r *schedule.Run, err error) {
	err = s.do(ctx, func() error {
		stored, ok := s.runs[id]
		if !ok {
			return schedule.ErrNotFound
		}
		if stored.State == schedule.Running {
			s.cancel[id] = true
		}
		if r, err = copyRun(stored); err != nil || stored.State != schedule.Queued {
			return err
		}
		j, err := copyJob(s.jobs[stored.Job])
		if err != nil {
			return err
		}
		change(j, s.open(j.ID, id))
		v, err := s.version(j)
		if err != nil {
			return err
		}
		stored.State, stored.Ended, stored.Reason = schedule.Cancelled, now, reason
		s.put(v)
		r, err = copyRun(stored)
		return err
	})
	return r, err
}

// ToCancel implements [schedule.Store].
func (s *store) ToCancel(ctx context.Context, worker string) (list []string, err error) {
	err = s.do(ctx, func() error {
		for id := range s.cancel {
			if r := s.runs[id]; r != nil && r.State == schedule.Running && r.Worker == worker {
				list = append(list, id)
			}
		}
		return nil
	})
	return list, err
}

// Backlog implements [schedule.Store].
func (s *store) Backlog(ctx context.Context, now time.Time) (ready, running int, oldest time.Time, err error) {
	err = s.do(ctx, func() error {
		for _, r := range s.runs {
			switch {
			case r.State == schedule.Running:
				running++
			case r.State == schedule.Queued && !r.Ready.After(now) && (r.Kind == "trigger" || s.jobs[r.Job].State != schedule.Paused):
				if ready++; oldest.IsZero() || r.Ready.Before(oldest) {
					oldest = r.Ready
				}
			}
		}
		return nil
	})
	return ready, running, oldest, err
}
