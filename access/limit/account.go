// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import "time"

// A moment is a time on two clocks, in microseconds.
type moment struct {
	mono int64 // on a clock that nobody can set, from some moment on
	wall int64 // since 1970
}

// A tally is what one account has spent. redisstore/take.lua has the same in Lua.
type tally struct {
	// tat is GCRA's theoretical arrival time, on the clock mono: when the bucket is full.
	tat int64
	// given is how far tat was set back in all by tickets that were not the newest. What a
	// later ticket knows of tat is too great by what was added since.
	given int64
	end   int64 // of the window that used counts in, on the clock wall
	used  int
	slots int
}

// refresh brings the tally to a moment: a window that has ended is empty. Times that are farther
// away than the terms allow, because a clock was set back or the terms have changed, are brought
// as near as they may be; so what was spent stays spent, but keeps nobody out for longer than
// an empty bucket, or two windows.
func (t *tally) refresh(terms *Terms, now moment) {
	if terms.Interval > 0 {
		t.tat = min(t.tat, now.mono+terms.refill())
	}
	if terms.Quota > 0 {
		from, till := terms.Window(time.UnixMicro(now.wall))
		start, end := from.UnixMicro(), till.UnixMicro()
		switch {
		case now.wall >= t.end:
			t.used, t.end = 0, end
		case t.end-end > end-start:
			t.end = end
		}
	}
}

// passes reports whether a tally that is refreshed has one call left. A new one has.
func (t *tally) passes(terms *Terms, now moment) bool {
	return (terms.Interval == 0 || t.tat+terms.Interval.Microseconds() <= now.mono+terms.refill()) &&
		(terms.Concurrency == 0 || t.slots < terms.Concurrency) &&
		(terms.Quota == 0 || t.used < terms.Quota)
}

// spend takes one call from a tally that has one.
func (t *tally) spend(terms *Terms, now moment) {
	if terms.Interval > 0 {
		t.tat = max(t.tat, now.mono) + terms.Interval.Microseconds()
	}
	if terms.Concurrency > 0 {
		t.slots++
	}
	if terms.Quota > 0 {
		t.used++
	}
}

// balance tells what a tally that is refreshed has left.
func (t *tally) balance(terms *Terms, now moment) Balance {
	var b Balance
	if terms.Interval > 0 {
		step := terms.Interval.Microseconds()
		free := now.mono + terms.refill() - max(t.tat, now.mono)
		b.Rate.Calls = int(free / step)
		if b.Rate.Calls == 0 {
			b.Rate.Wait = time.Duration(step-free) * time.Microsecond
		}
	}
	if terms.Concurrency > 0 {
		b.Concurrency = max(terms.Concurrency-t.slots, 0)
	}
	if terms.Quota > 0 {
		b.Quota.Calls = max(terms.Quota-t.used, 0)
		if b.Quota.Calls == 0 {
			b.Quota.Wait = time.Duration(t.end-now.wall) * time.Microsecond
		}
	}
	return b
}

// restore gives back what was spent when the tally became after, but for the slot, which
// has no more to it than a number.
//
// In GCRA a call that is taken out of the past lets all later ones move up by an interval, but
// none beyond the time at which it was made. What moves up for certain is the part of the
// call's interval that is still ahead. Older calls that were taken out since have moved it up
// already: given tells by how much, at most. So tat is never less than GCRA's for those calls
// alone that were made, and the limit holds for these.
func (t *tally) restore(terms *Terms, after *tally, now moment) {
	if terms.Interval > 0 {
		own := after.tat - (t.given - after.given)
		back := min(terms.Interval.Microseconds(), min(own, t.tat)-now.mono)
		if back = max(back, 0); own != t.tat {
			t.given += back
		}
		t.tat -= back
	}
	if terms.Quota > 0 && t.end == after.end && t.used > 0 {
		t.used--
	}
}

// settled reports whether a tally says no more than a new one.
func (t *tally) settled(now moment) bool {
	return t.slots == 0 && t.tat <= now.mono && (t.used == 0 || t.end <= now.wall)
}

// refill is the time in which an empty bucket fills up, in microseconds.
func (t *Terms) refill() int64 { return t.Interval.Microseconds() * int64(t.Burst) }
