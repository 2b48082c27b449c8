// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package memstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// Heartbeat implements [schedule.Store].
func (s *store) Heartbeat(ctx context.Context, worker string, lease time.Duration, first bool) error {
	return s.do(ctx, func() error {
		if _, leased := s.leases[worker]; !leased && !first {
			return schedule.ErrLost
		}
		s.leases[worker] = time.Now().Add(lease)
		return nil
	})
}

// Leave implements [schedule.Store].
func (s *store) Leave(ctx context.Context, worker string) error {
	return s.do(ctx, func() error {
		if _, leased := s.leases[worker]; leased {
			s.leases[worker] = time.Time{}
		}
		return nil
	})
}

// Served implements [schedule.Store].
func (s *store) Served(ctx context.Context) (served bool, err error) {
	err = s.do(ctx, func() error {
		clock := time.Now()
		for _, until := range s.leases {
			served = served || !until.Before(clock)
		}
		return nil
	})
	return served, err
}

// TakeOver implements [schedule.Store].
func (s *store) TakeOver(ctx context.Context, now time.Time, lease time.Duration, attempts int, lost func(*schedule.Job, *schedule.Run, int)) error {
	return s.do(ctx, func() error {
		clock := time.Now()
		var runs []*schedule.Run
		versions := map[string]version{} // of jobs that lost a run
		dead := func(worker string) bool {
			until, leased := s.leases[worker]
			return leased && until.Before(clock)
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
			if c.State, c.Ready = schedule.Queued, now; !j.AtMostOnce && c.Attempt < attempts {
				continue
			}
			c.State, c.Ended = schedule.Lost, now
			open := s.open(j.ID, r.ID)
			for _, ended := range runs {
				if ended.Job == j.ID && ended.State == schedule.Lost && ended.ID != r.ID {
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
			end(s.runs[r.ID], r)
		}
		for _, v := range versions {
			s.put(v)
		}
		for worker, until := range s.leases {
			if until.Before(clock) {
				delete(s.leases, worker)
			} else if most := clock.Add(lease); until.After(most) {
				s.leases[worker] = most
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
