// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"time"

	"github.com/toolvet/toolvet/internal/blackout"
)

// A shift moves a run whose time is closed, or leaves it out.
const (
	ShiftNone   = "none"   // it is left out
	ShiftBefore = "before" // it moves to the last day before that is open at this time of day
	ShiftAfter  = "after"  // it moves to the next such day
)

// maxShift is the number of days that a time moves at most. If all of them are closed, it is left out.
const maxShift = 31

// closest is the least distance of times that can be moved from one day to another: a day, less what clocks are moved by.
const closest = 20 * time.Hour

// Except returns the schedule without the times that are closed, or with these moved. It is an *[Error] if no time after now is
// left, or if times that come more than once a day are to be moved.
func (s *Schedule) Except(c *blackout.Set, shift string, now time.Time) (*Schedule, error) {
	if shift == ShiftBefore || shift == ShiftAfter { // first, because to move the times of every minute takes long
		times := s.Times(now, 100)
		for i := range len(times) - 1 {
			if times[i+1].Sub(times[i]) < closest {
				return nil, wrong(nil, "fires more than once a day: such runs cannot be moved to another day")
			}
		}
	}
	next := s.Without(c, shift)
	if next.Next(now).IsZero() {
		return nil, wrong(nil, "never fires: all its times within %d years are at times that are left out", maxYears)
	}
	return next, nil
}

// Without is Except for a schedule that was accepted before: it may never fire again.
func (s *Schedule) Without(c *blackout.Set, shift string) *Schedule {
	if c.Empty() {
		return s
	}
	e := *s
	e.next = func(after time.Time) time.Time { return s.open(c, after) }
	if shift == ShiftBefore || shift == ShiftAfter {
		e.next = func(after time.Time) time.Time { return s.shifted(c, shift, after) }
	}
	return &e
}

// open returns the first time after another that is not closed.
func (s *Schedule) open(c *blackout.Set, after time.Time) time.Time {
	at := s.next(after)
	for end := at.AddDate(maxYears, 0, 0); !at.IsZero() && at.Before(end); { // a moment may be far away itself
		until, shut := c.At(naive(at))
		if !shut {
			return at
		}
		from := instant(until, s.zone).Add(-time.Nanosecond)
		if from.Before(at) { // the clock was put back meanwhile
			from = at
		}
		at = s.next(from)
	}
	return time.Time{}
}

// shifted returns the first time after another, once those that are closed have moved. A time moves by maxShift at most, so
// that only those around the result can become it.
func (s *Schedule) shifted(c *blackout.Set, shift string, after time.Time) time.Time {
	var first time.Time
	at := s.next(after.AddDate(0, 0, -maxShift-1))
	for end := at.AddDate(maxYears, 0, 0); !at.IsZero() && at.Before(end); at = s.next(at) {
		if !first.IsZero() && at.After(first.AddDate(0, 0, maxShift+1)) {
			break
		}
		if moved := s.move(c, shift, at); moved.After(after) && (first.IsZero() || moved.Before(first)) {
			first = moved
		}
	}
	return first
}

// move returns the time itself if it is open, and otherwise that of the nearest open day. Zero: there is none.
func (s *Schedule) move(c *blackout.Set, shift string, at time.Time) time.Time {
	n := naive(at)
	if _, shut := c.At(n); !shut {
		return at
	}
	step := 1
	if shift == ShiftBefore {
		step = -1
	}
	for days := range maxShift {
		day := n.AddDate(0, 0, step*(days+1))
		if _, shut := c.At(day); !shut {
			return instant(day, s.zone)
		}
	}
	return time.Time{}
}
