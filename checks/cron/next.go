// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cron

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/clockshift"
)

// maxTimes bounds what Next returns.
const maxTimes = 10000

// Next returns the next n times at which an expression fires after a time, in a zone. The
// expression has five fields, six with seconds first, or is a macro such as @daily or "@every
// 90s"; nil is UTC. Fewer than n times mean that it does not fire again within 12 years. A time
// of day that comes twice, when clocks are put back, counts once; a time skipped when clocks are
// put forward fires later by the shift, or not at all that day if the shift is less than an hour.
func Next(expr string, zone *time.Location, from time.Time, n int) ([]time.Time, error) {
	if len(expr) > maxLength {
		return nil, fmt.Errorf("cron: an expression has at most %d bytes", maxLength)
	}
	e, err := parse(strings.TrimSpace(expr))
	if err != nil {
		return nil, fmt.Errorf("cron: %w", err)
	}
	if zone == nil {
		zone = time.UTC
	}
	times := make([]time.Time, 0, min(max(n, 0), 16))
	for t := from.In(zone); len(times) < min(n, maxTimes); {
		if t = e.after(t); t.IsZero() {
			break
		}
		times = append(times, t)
	}
	return times, nil
}

// after returns the first time after t, in t's zone; zero if there is none.
func (e *expression) after(t time.Time) time.Time {
	next := e.schedule.Next(t)
	for e.fixed && !next.IsZero() && comesAgain(next) {
		next = e.schedule.Next(next)
	}
	return next
}

// comesAgain reports whether the clock has shown this time before, because it was put back.
func comesAgain(t time.Time) bool {
	start, _ := t.ZoneBounds()
	if start.IsZero() {
		return false
	}
	_, now := t.Zone()
	_, before := start.Add(-time.Second).Zone()
	return t.Sub(start) < time.Duration(before-now)*time.Second
}

// fasterThan reports whether two times are closer than an interval. The pattern of a
// field comes back after 60 times at most.
func (e *expression) fasterThan(first time.Time, interval time.Duration) bool {
	if !e.fine && interval <= time.Minute {
		return false
	}
	for range 61 {
		next := e.after(first)
		if next.IsZero() {
			return false
		}
		if next.Sub(first) < interval {
			return true
		}
		first = next
	}
	return false
}

// shifts warns of times of the next year that come twice or not at all.
func (e *expression) shifts(now time.Time) []check.Finding {
	if !e.fixed {
		return nil
	}
	var findings []check.Finding
	for t := now; ; {
		end := clockshift.Next(t)
		if end.IsZero() || end.After(now.AddDate(1, 0, 0)) || len(findings) >= 4 {
			return findings
		}
		_, before := end.Add(-time.Second).Zone()
		_, after := end.Zone()
		if e.within(end, before, after) {
			findings = append(findings, e.shift(end, before < after, now))
		}
		t = end
	}
}

// within reports whether it fires at a time of day that a shift of the clock skips or
// repeats. It is asked in a zone that has no shift.
func (e *expression) within(at time.Time, before, after int) bool {
	low, high := before, after
	if low > high {
		low, high = high, low
	}
	wall := time.FixedZone("", low) // the local times from the lower to the higher offset
	from := at.In(wall)
	next := e.schedule.Next(from.Add(-time.Second))
	return !next.IsZero() && next.Before(from.Add(time.Duration(high-low)*time.Second))
}

func (e *expression) shift(at time.Time, skipped bool, now time.Time) check.Finding {
	what := "a time that comes twice"
	if skipped {
		what = "a time that does not exist"
	}
	var next []string
	for t := now; len(next) < 3; {
		if t = e.after(t); t.IsZero() {
			break
		}
		next = append(next, t.Format(time.RFC3339))
	}
	return check.Finding{
		Severity:   check.Warning,
		Message:    fmt.Sprintf("fires at %s in %s on %s, when the clock is moved", what, at.Location(), at.Format(time.DateOnly)),
		Suggestion: "give an hour at which the clock is not moved; the next times are " + strings.Join(next, ", "),
	}
}
