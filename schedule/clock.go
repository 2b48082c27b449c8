// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/toolvet/toolvet/internal/when"
)

// jumps notices if somebody set the wall clock or the machine slept: the wall clock then moves by another amount than the
// monotonic clock.
type jumps struct {
	now        func() time.Time
	wall, mono time.Time
	idle       time.Duration // of the pauses since the last look
}

func newJumps(now func() time.Time) *jumps {
	return &jumps{now: now, wall: now().Round(0), mono: time.Now()}
}

// A look is what jumps saw since the look before.
type look struct {
	jump  time.Duration // of the wall clock
	since time.Duration // since the look before
	busy  time.Duration // of it, outside pauses
}

func (c *jumps) look() look {
	wall, mono := c.now().Round(0), time.Now()
	since := mono.Sub(c.mono)
	l := look{jump: wall.Sub(c.wall) - since, since: since, busy: since - c.idle}
	c.wall, c.mono, c.idle = wall, mono, 0
	return l
}

// pause waits as [pause] does, and counts the time as idle.
func (c *jumps) pause(ctx context.Context, d time.Duration, early <-chan struct{}) bool {
	began := time.Now()
	defer func() { c.idle += time.Since(began) }()
	return pause(ctx, d, early)
}

// noticed is the smallest jump that counts. NTP corrects smaller differences.
const noticed = 2 * time.Second

// jumped reacts to a jump of the wall clock.
//
// After a jump forward, Fire finds the times that were missed. All leases seem over, even those of workers that slept along
// with this one, so takeOver is held back until they had time for a heartbeat. The same goes
// for a stopped process, and for a machine with a monotonic clock that runs during sleep: neither shows a jump, but a long time
// since the last look.
//
// A store that answers late, such as a locked one, lets leases end, too, and is no jump.
//
// After a jump backward, jobs are due earlier again. Times that have fired do not fire twice, because the store has their
// runs.
func (e *engine) jumped(ctx context.Context, seen look) {
	by := seen.jump
	if by > noticed || seen.since > e.tuning.Lease {
		if by <= noticed && seen.busy > e.tuning.Lease/2 {
			e.log.Warn("the store, or this process, took long to answer", "took", seen.busy.Round(time.Second))
		} else {
			e.log.Warn("the clock has jumped forward, or the machine or this process slept", "by", by.Round(time.Second), "slept", seen.since.Round(time.Second))
		}
		e.mu.Lock()
		e.hold = time.Now().Add(e.tuning.Lease)
		e.mu.Unlock()
		kick(e.check)
	}
	if by < -noticed {
		e.log.Warn("the clock has jumped backward", "by", by.Round(time.Second))
		if err := e.realign(ctx, "the clock was set back"); err != nil && ctx.Err() == nil {
			e.log.Error("jobs could not be set to the clock", "err", err)
		}
	}
}

// realign computes the next run of all jobs anew, after the clock was set back or the offsets of time zones changed.
func (e *engine) realign(ctx context.Context, why string) error {
	if err := e.store.SetBack(ctx, e.now(), longestDelay); err != nil {
		return err
	}
	return e.alignAll(ctx, why)
}

// realignAtStart computes the next runs anew after a time without a scheduler: at once those of jobs that are due soon, so that none
// fires by old rules, and the others meanwhile.
func (e *engine) realignAtStart(ctx context.Context) (rest func(), _ error) {
	const why, soon = "the clock, the offsets of its time zone or its calendars changed while no scheduler was running", 15 * time.Minute
	if err := e.store.SetBack(ctx, e.now(), longestDelay); err != nil {
		return nil, err
	}
	list, err := e.store.Jobs(ctx, JobFilter{State: Active, Limit: 1000, Brief: true, Before: e.now().Add(soon)})
	if err == nil {
		err = e.alignEach(ctx, list, why)
	}
	if err != nil {
		return nil, err
	}
	return func() {
		e.untilDone(ctx, "jobs could not be set to the clock", func() error { return e.alignAll(ctx, why) })
	}, nil
}

func (e *engine) alignAll(ctx context.Context, why string) error {
	defer kick(e.check)
	f := JobFilter{State: Active, Limit: 1000, Brief: true}
	for {
		list, err := e.store.Jobs(ctx, f)
		if err != nil || len(list) == 0 {
			return err
		}
		if err := e.alignEach(ctx, list, why); err != nil {
			return err
		}
		f.After = list[len(list)-1].ID
	}
}

// alignEach aligns the jobs of a page.
func (e *engine) alignEach(ctx context.Context, page []*Job, why string) error {
	for _, j := range page {
		if !e.align(j, why) { // j is a copy
			continue
		}
		e.log.Info("a job's next run has moved", "job", j.Name, "next", j.Next, "why", why)
		_, err := e.store.UpdateJob(ctx, j.ID, func(j *Job) error { e.align(j, why); return nil })
		if err != nil && !errors.Is(err, ErrNotFound) { // deleted meanwhile
			return err
		}
		kick(e.wake) // it may be due earlier now
	}
	return nil
}

// untilDone tries something again until it succeeds, or ctx is done.
func (e *engine) untilDone(ctx context.Context, failed string, do func() error) {
	for {
		err := do()
		if err == nil || ctx.Err() != nil {
			return
		}
		e.log.Error(failed+": another try follows", "err", err)
		if !pause(ctx, 5*time.Second, nil) {
			return
		}
	}
}

// align computes the next run of a job anew, by the clock and its time zone, and reports whether the job changed.
func (e *engine) align(j *Job, why string) bool {
	if j.State != Active || j.Next.IsZero() {
		return false
	}
	now := e.now()
	was, closed := j.Next, j.Closed
	e.recall(j)
	recalled := !slices.Equal(closed, j.Closed)
	schedule, err := j.current(now)
	if err != nil {
		return false // fire says so
	}
	after := j.Through
	if after.IsZero() || after.After(now) {
		if !j.Next.After(now) {
			return recalled // it is due, and nobody knows up to which time it was dealt with
		}
		after = now
	}
	next, checkAt := j.following(schedule, after), j.CheckAt
	if next.IsZero() {
		if j.Closed = closed; recalled {
			e.log.Warn("a job keeps its calendars, because the new ones leave no time to run", "job", j.Name)
		}
		return false // fire ends it
	}
	j.setNext(next, now, e.tuning.Ahead, e.tuning.Recheck)
	if next.Equal(was) {
		if checkAt.IsZero() || !j.CheckAt.Before(checkAt) {
			j.CheckAt = checkAt
			return recalled
		}
		return true
	}
	j.Moved = &Move{At: now, From: was, To: next, Why: why}
	return true
}

// current returns the schedule of a job. It parses the schedule anew if the clock was set back since the job was made: "every
// 90m" and "in 5 minutes" would count from a moment in the future.
func (j *Job) current(now time.Time) (*when.Schedule, error) {
	if !j.Updated.After(now.Add(time.Minute)) { // the clocks of two machines differ by less
		return j.restored()
	}
	schedule, err := j.schedule(now)
	if err != nil {
		return nil, err
	}
	j.Canonical, j.Words, j.Updated = schedule.Canonical(), j.inWords(schedule), now
	return j.open(schedule)
}
