// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import "time"

// A moment is a time on two clocks, in microseconds.
type moment struct {
	mono int64 // on a clock that nobody can set, since an arbitrary moment
	wall int64 // since 1970
}

// A tally counts the calls of one account. driver/redis/take.lua does the same in Lua.
type tally struct {
	// tat is GCRA's theoretical arrival time, on the clock mono: the bucket is full again then.
	tat int64
	// given is the sum of the steps by which tickets other than the newest moved tat back. A later ticket remembers a
	// tat that is too late by the part of given that was added since.
	given int64
	end   int64 // end of the window of used, on the clock wall
	used  int
	slots int
}

// refresh brings the tally to a moment: a window that has ended is empty. A time can be farther away than the terms
// allow, because a clock was set back or the terms changed. Refresh moves such a time as near as the terms allow. The
// spent calls stay spent, but they keep a caller out for no longer than an empty bucket or two windows do.
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

// passes reports whether a refreshed tally has a call left. A new one has.
func (t *tally) passes(terms *Terms, now moment) bool {
	return (terms.Interval == 0 || t.tat+terms.Interval.Microseconds() <= now.mono+terms.refill()) &&
		(terms.Concurrency == 0 || t.slots < terms.Concurrency) &&
		(terms.Quota == 0 || t.used < terms.Quota)
}

// spend takes one call from a tally that has one left.
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

// balance returns what a refreshed tally has left.
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

// restore gives back the rate and the quota of a call. After is the tally as it was right after the call. The caller
// counts slots itself.
//
// In GCRA, taking a call out of the past moves all later calls up by an interval, but none of them to before its own
// time. Only one part of this move is certain: the part of the call's interval that is still ahead. Older calls that
// were taken out since may already have used some of it; given bounds that part. So tat is never less than GCRA
// computes for the calls that were made alone, and the limit holds for those.
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

// settled reports whether a tally equals a new one.
func (t *tally) settled(now moment) bool {
	return t.slots == 0 && t.tat <= now.mono && (t.used == 0 || t.end <= now.wall)
}

// refill returns the time in which an empty bucket fills up, in microseconds.
func (t *Terms) refill() int64 { return t.Interval.Microseconds() * int64(t.Burst) }
