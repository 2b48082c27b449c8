// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// Now implements [schedule.Store].
func (s *store) Now(ctx context.Context) (time.Time, error) { return time.Time{}, ctx.Err() }

// Heartbeat implements [schedule.Store].
func (s *store) Heartbeat(ctx context.Context, w *schedule.Worker, d time.Duration, first bool) error {
	return s.do(ctx, func() error {
		if _, leased := s.leases[w.ID]; !leased && !first {
			return schedule.ErrLost
		}
		c, err := copied(w)
		if err != nil {
			return err
		}
		clock := time.Now()
		c.Seen = clock.UTC().Truncate(time.Millisecond)
		s.leases[w.ID] = lease{clock.Add(d), c}
		return nil
	})
}

// Leave implements [schedule.Store].
func (s *store) Leave(ctx context.Context, worker string) error {
	return s.do(ctx, func() error {
		if l, leased := s.leases[worker]; leased {
			s.leases[worker] = lease{worker: l.worker}
		}
		return nil
	})
}

// Workers implements [schedule.Store].
func (s *store) Workers(ctx context.Context) (list []*schedule.Worker, err error) {
	err = s.do(ctx, func() (err error) {
		list, err = s.fleet()
		return err
	})
	return list, err
}

func (s *store) fleet() (list []*schedule.Worker, _ error) {
	clock := time.Now()
	for _, id := range slices.Sorted(maps.Keys(s.leases)) {
		if l := s.leases[id]; !l.until.Before(clock) {
			c, err := copied(l.worker)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// TakeOver implements [schedule.Store].
func (s *store) TakeOver(ctx context.Context, now time.Time, longest time.Duration, attempts int, lost func(*schedule.Job, *schedule.Run, int)) error {
	return s.do(ctx, func() error {
		clock := time.Now()
		var runs []*schedule.Run
		versions := map[string]version{} // of jobs that lost a run
		dead := func(worker string) bool {
			l, leased := s.leases[worker]
			return leased && l.until.Before(clock)
		}
		for _, r := range sorted(s.runs, func(r *schedule.Run) bool { return r.State == schedule.Running && dead(r.Worker) },
			func(a, b *schedule.Run) int { return strings.Compare(a.ID, b.ID) }) {
			c, err := copyRun(r)
			if err != nil {
				return err
			}
			j, err := copyJob(cmp.Or(versions[r.Job].job, s.jobs[r.Job]))
			if err != nil {
				return err
			}
			runs = append(runs, c)
			c.State, c.Ready = schedule.Queued, now
			switch {
			case s.cancel[c.ID]:
				c.State = schedule.Cancelled
			case j.AtMostOnce || c.Attempt >= attempts:
				c.State = schedule.Lost
			default:
				continue
			}
			c.Ended = now
			open := s.open(j.ID, r.ID)
			for _, ended := range runs {
				if ended.Job == j.ID && !ended.State.Open() && ended.ID != r.ID {
					open-- // lost in this transaction
				}
			}
			lost(j, c, open)
			v, err := s.version(j)
			if err != nil {
				return err
			}
			v.alerts = append(versions[j.ID].alerts, v.alerts...)
			versions[j.ID] = v
		}
		for _, r := range runs {
			s.end(s.runs[r.ID], r)
		}
		for _, v := range versions {
			s.put(v)
		}
		for worker, l := range s.leases {
			if l.until.Before(clock) {
				delete(s.leases, worker)
			} else if most := clock.Add(longest); l.until.After(most) {
				s.leases[worker] = lease{most, l.worker}
			}
		}
		return nil
	})
}

// Alerts implements [schedule.Store].
func (s *store) Alerts(ctx context.Context, now, until time.Time, limit int) (list []*schedule.Notice, err error) {
	err = s.do(ctx, func() (err error) {
		first := map[string]string{} // the id of the alert that is next, by job
		for id, a := range s.alerts {
			if next, ok := first[a.Job]; !a.done && (!ok || id < next) {
				first[a.Job] = id
			}
		}
		due := sorted(s.alerts, func(a *alert) bool { return first[a.Job] == a.ID && !a.due.After(now) },
			func(a, b *alert) int { return cmp.Or(a.due.Compare(b.due), strings.Compare(a.ID, b.ID)) })
		for _, a := range atMost(due, limit) {
			n, err := copied(&a.Notice)
			if err != nil {
				return err
			}
			list = append(list, n)
		}
		for _, n := range list {
			s.alerts[n.ID].due = until
		}
		return nil
	})
	return list, err
}

// Told implements [schedule.Store].
func (s *store) Told(ctx context.Context, n *schedule.Notice, now, next time.Time, done bool) error {
	return s.do(ctx, func() error {
		if a := s.alerts[n.ID]; a != nil {
			a.Told, a.Tries, a.due, a.done = slices.Clone(n.Told), n.Tries, next, done
		}
		return nil
	})
}

// AlertsSince implements [schedule.Store].
func (s *store) AlertsSince(ctx context.Context, at time.Time, id string) (list []*schedule.Alert, err error) {
	err = s.do(ctx, func() error {
		found := sorted(s.alerts, func(a *alert) bool { return a.Time.After(at) || a.Time.Equal(at) && a.ID > id },
			func(a, b *alert) int { return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.ID, b.ID)) })
		for _, a := range atMost(found, 1000) {
			c := a.Alert
			list = append(list, &c)
		}
		return nil
	})
	return list, err
}

// SetBack implements [schedule.Store].
func (s *store) SetBack(ctx context.Context, now time.Time, delay time.Duration) error {
	return s.do(ctx, func() error {
		for _, r := range s.runs {
			if r.State == schedule.Queued && r.Ready.After(now) && (r.Fire.After(now) || r.Started.After(now)) {
				r.Ready = now
			}
		}
		for _, a := range s.alerts {
			if a.due.After(now.Add(delay)) {
				a.due = now
			}
		}
		return nil
	})
}

// Zones implements [schedule.Store].
func (s *store) Zones(ctx context.Context) (list []string, err error) {
	err = s.do(ctx, func() error {
		for _, j := range s.jobs {
			if !j.Next.IsZero() && !slices.Contains(list, j.Zone) {
				list = append(list, j.Zone)
			}
		}
		return nil
	})
	return list, err
}

// Servers implements [schedule.Store].
func (s *store) Servers(ctx context.Context) (list []string, err error) {
	err = s.do(ctx, func() error {
		for _, j := range s.jobs {
			if server := serverOf(j); !j.Next.IsZero() && !slices.Contains(list, server) {
				list = append(list, server)
			}
		}
		return nil
	})
	return list, err
}

// Prune implements [schedule.Store].
func (s *store) Prune(ctx context.Context, before time.Time, keep int) (n int, err error) {
	err = s.do(ctx, func() error {
		n = remove(s.alerts, func(a *alert) bool { return a.Time.Before(before) })
		n += remove(s.runs, func(r *schedule.Run) bool { return !r.Ended.IsZero() && r.Ended.Before(before) })
		ended := map[string]int{} // runs that are newer, by job
		for _, r := range sorted(s.runs, func(r *schedule.Run) bool { return !r.Ended.IsZero() },
			func(a, b *schedule.Run) int { return strings.Compare(b.ID, a.ID) }) {
			if ended[r.Job]++; ended[r.Job] > keep {
				delete(s.runs, r.ID)
				n++
			}
		}
		return nil
	})
	return n, err
}
