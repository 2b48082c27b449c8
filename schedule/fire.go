// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/toolvet/toolvet/internal/when"
)

// maxMissed bounds the missed times that are counted one by one, because the store waits meanwhile. A job cannot
// catch up with more.
const maxMissed = maxCatchUp

// maxOpen is the number of runs of a job that may wait. A worker in search of a run passes by all of them.
const maxOpen = 1000

// fire returns the new runs of a job that is due, and sets its next run.
func (s *Scheduler) fire(j *Job, open int, fired []time.Time, now time.Time) (runs []*Run) {
	schedule, err := j.restored()
	if err != nil { // this machine does not know the zone
		j.setNext(time.Time{}, now, 0, 0)
		j.turn(Failing, "its schedule cannot be read any more: "+err.Error(), now)
		return nil
	}
	fresh, late, counted := times(j, fired, schedule, now)
	if now.After(j.Through) {
		j.Through = now
	}
	caught, missed := j.catchUp(fresh, late)
	add := func(at time.Time) *Run {
		r := s.newRun(j, at, "schedule")
		runs = append(runs, r)
		return r
	}
	left := j.MaxRuns - j.Fired
	if j.FireOnce {
		left = 1 - j.Fired
	}
	limited := j.MaxRuns > 0 || j.FireOnce
	if n := len(missed); n > 0 {
		r := add(missed[n-1])
		r.State, r.Ended, r.Reason = Missed, now, missedReason(n, counted, missed[0], missed[n-1], j)
		j.fail(r, r.Reason, now)
	}
	for _, at := range caught {
		if limited && left <= 0 {
			break
		}
		r := add(at)
		r.Exclusive = r.Exclusive || at.Before(now.Add(-grace)) // one after the other
		left--
		open++
	}
	for _, at := range fresh {
		if limited && left <= 0 {
			break
		}
		r := add(at)
		if why := j.overlaps(open); why != "" {
			r.State, r.Ended, r.Reason = Skipped, now, why
			continue
		}
		if j.Jitter > 0 {
			r.Ready = r.Ready.Add(rand.N(time.Duration(j.Jitter)))
		}
		left--
		open++
	}
	next := schedule.Next(now)
	if limited && left <= 0 || !next.IsZero() && !j.Until.IsZero() && next.After(j.Until) {
		next = time.Time{}
	}
	j.setNext(next.UTC(), now, s.tuning.Ahead, s.tuning.Recheck)
	if next.IsZero() {
		j.Next = time.Time{}
		j.settle(open)
	}
	return runs
}

// overlaps returns the reason to skip a run while others of its job have not ended, or "".
func (j *Job) overlaps(open int) string {
	switch {
	case open >= maxOpen:
		return fmt.Sprintf("%d runs before it had not ended", maxOpen)
	case open > 0 && j.Overlap != "queue" && j.Overlap != "allow":
		return "the run before it had not ended"
	}
	return ""
}

// times returns the times of a job up to now: fresh ones, and ones that are too late. If there are too many of the late
// ones to count, it returns only the first and the last of them, and counted is false.
func times(j *Job, fired []time.Time, schedule *when.Schedule, now time.Time) (fresh, late []time.Time, counted bool) {
	const maxLast = 4 * maxMissed // bounds the search for the last ones
	deadline, left := now.Add(-grace), 0
	counted = true
	for at := j.Next; !at.IsZero() && !at.After(now); at = schedule.Next(at) {
		switch {
		case slices.ContainsFunc(fired, at.Equal):
		case !j.Until.IsZero() && at.After(j.Until):
			return fresh, late, counted
		case !at.Before(deadline):
			fresh = append(fresh, at)
		case len(late) < maxMissed:
			late = append(late, at)
		case counted:
			counted = false
			at = nearly(schedule, at, deadline, at.Sub(late[0]))
			left = maxLast
		case left > 0:
			left--
			late = append(slices.Delete(late, 1, 2), at)
		default:
			at = deadline.Add(-time.Nanosecond)
		}
	}
	return fresh, late, counted
}

// nearly skips most of the times between from and deadline. It returns a moment that is followed by at least one time of
// the schedule before the deadline, if there is one after from, but by few of them. It first tries a span before the deadline.
func nearly(schedule *when.Schedule, from, deadline time.Time, span time.Duration) time.Time {
	for ; span > 0; span *= 2 { // at most a hundred years are doubled
		at := deadline.Add(-span)
		if !at.After(from) {
			break
		}
		if next := schedule.Next(at); !next.IsZero() && next.Before(deadline) {
			return at
		}
	}
	return from
}

// catchUp parts late times into runs to catch up with and missed ones.
func (j *Job) catchUp(fresh, late []time.Time) (run, missed []time.Time) {
	n := 0
	switch j.CatchUp {
	case "last":
		if len(fresh) == 0 {
			n = 1
		}
	case "all":
		if n = j.CatchUpLimit; n == 0 {
			n = 10
		}
	}
	n = min(n, len(late))
	return late[len(late)-n:], late[:len(late)-n]
}

func missedReason(n int, counted bool, first, last time.Time, j *Job) string {
	zone, err := when.LoadZone(j.Zone)
	if err != nil {
		zone = time.UTC
	}
	const form = "2006-01-02 15:04:05 MST"
	if n == 1 {
		return "missed, because no scheduler was running"
	}
	number := fmt.Sprint(n)
	if !counted {
		number = "more than " + number
	}
	return fmt.Sprintf("%s runs were missed, from %s to %s, because no scheduler was running", number, first.In(zone).Format(form), last.In(zone).Format(form))
}

// settle ends a job that neither fires any more nor has open runs.
func (j *Job) settle(open int) {
	if !j.Next.IsZero() || open > 0 || j.State != Active {
		return
	}
	j.State = Completed
	if j.Health.Status == Failing {
		j.State = Failed
	}
}
