// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"time"
)

// jumps finds out when the wall clock is set, or the machine slept: it then goes another way
// than the monotonic clock.
type jumps struct {
	now        func() time.Time
	wall, mono time.Time
}

func newJumps(now func() time.Time) *jumps {
	return &jumps{now: now, wall: now().Round(0), mono: time.Now()}
}

// look is how far the wall clock has jumped since the last look.
func (c *jumps) look() time.Duration {
	wall, mono := c.now().Round(0), time.Now()
	jump := wall.Sub(c.wall) - mono.Sub(c.mono)
	c.wall, c.mono = wall, mono
	return jump
}

// noticed is how far a clock must jump to be noticed; NTP corrects smaller differences.
const noticed = 2 * time.Second

// jumped does what follows from a jump. Forward, Fire finds times that were missed; and all
// leases seem over, also of workers that slept along with this one: they get time to say that
// they live. Backward, jobs are due earlier again; times that have fired do not fire twice,
// because their fire keys are stored.
func (e *engine) jumped(ctx context.Context, by time.Duration) {
	switch {
	case by > noticed:
		e.log.Warn("the clock has jumped forward, or the machine slept", "by", by.Round(time.Second))
		e.mu.Lock()
		e.hold = time.Now().Add(e.cfg.Lease)
		e.mu.Unlock()
		kick(e.check)
	case by < -noticed:
		e.log.Warn("the clock has jumped backward", "by", by.Round(time.Second))
		if err := e.realign(ctx); err != nil {
			e.log.Error("jobs could not be set to the clock", "err", err)
		}
	}
}

// realign computes the next run of all jobs anew, because the clock was put back or the rules
// of time zones have changed since it was stored. Jobs that are due stay as they are.
func (e *engine) realign(ctx context.Context) error {
	f := JobFilter{State: Active, Limit: 1000}
	for {
		list, err := e.store.Jobs(ctx, f)
		if err != nil || len(list) == 0 {
			return err
		}
		now := e.now()
		for _, j := range list {
			if next, differs := aligned(j, now); differs {
				e.log.Info("a job's next run is at another time now", "job", j.Name, "next", next)
				_, err := e.store.UpdateJob(ctx, j.ID, func(j *Job) error {
					if next, differs := aligned(j, now); differs {
						j.setNext(next, now, e.cfg.Ahead, e.cfg.Recheck)
					}
					return nil
				})
				if err != nil {
					return err
				}
			}
		}
		f.After = list[len(list)-1].ID
	}
}

// aligned is the next run of a job by its schedule, and whether the store says another.
func aligned(j *Job, now time.Time) (time.Time, bool) {
	if j.State != Active || j.Next.IsZero() || !j.Next.After(now) {
		return time.Time{}, false
	}
	schedule, err := j.restored()
	if err != nil {
		return time.Time{}, false // fire says so
	}
	next := j.following(schedule, now)
	return next, !next.IsZero() && !next.Equal(j.Next)
}
