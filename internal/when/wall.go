// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"time"

	"github.com/toolvet/toolvet/internal/clockshift"
)

// naive returns the time that a clock shows at an instant, written as a time in UTC.
func naive(t time.Time) time.Time {
	_, offset := t.Zone()
	return time.Unix(t.Unix()+int64(offset), int64(t.Nanosecond())).UTC()
}

// A wall returns the next time after another that a schedule wants a clock to show. Both are naive; zero means never.
type wall func(after time.Time) time.Time

// fixed fires when a clock of the zone shows a time. The package comment has the exceptions.
func (w wall) fixed(zone *time.Location) func(time.Time) time.Time {
	return func(after time.Time) time.Time {
		for n := naive(after); ; {
			if n = w(n); n.IsZero() {
				return n
			}
			if t := instant(n, zone); t.After(after) {
				return t
			}
		}
	}
}

// instant returns the instant at which a clock of the zone first shows a time. If the clock skips that time, it
// returns the first instant after the gap.
func instant(n time.Time, zone *time.Location) time.Time {
	// Offsets are less than a day, and no two shifts are within two days of each other.
	before := n.Add(-24 * time.Hour).In(zone)
	for t := before; ; {
		end := clockshift.Next(t)
		_, offset := t.Zone()
		at := n.Add(-time.Duration(offset) * time.Second)
		if end.IsZero() || at.Before(end) {
			if start, _ := t.ZoneBounds(); !start.IsZero() && at.Before(start) {
				return start.In(zone) // in the gap before this offset
			}
			return at.In(zone)
		}
		t = end.In(zone)
	}
}

// elapsed fires whenever a clock of the zone shows a time, even for the second time.
func (w wall) elapsed(zone *time.Location) func(time.Time) time.Time {
	return func(after time.Time) time.Time {
		t, from := after, naive(after)
		for {
			n := w(from)
			if n.IsZero() {
				return n
			}
			end := clockshift.Next(t)
			_, offset := t.Zone()
			at := n.Add(-time.Duration(offset) * time.Second)
			if end.IsZero() || at.Before(end) {
				return at.In(zone)
			}
			t = end.In(zone)
			from = naive(t).Add(-time.Nanosecond)
		}
	}
}
