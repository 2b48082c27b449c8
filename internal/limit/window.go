// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"sync/atomic"
	"time"
)

// A calendar finds the hour, day or month of a time. It is safe for concurrent use.
type calendar struct {
	period Period
	zone   *time.Location
	last   atomic.Pointer[window] // most calls lie in the same one
}

// A window is a span of time, including its start but not its end.
type window struct{ start, end time.Time }

func (w window) holds(t time.Time) bool { return !t.Before(w.start) && t.Before(w.end) }

func (c *calendar) window(now time.Time) window {
	if w := c.last.Load(); w != nil && w.holds(now) {
		return *w
	}
	w := c.find(now.In(c.zone))
	c.last.Store(&w)
	return w
}

func (c *calendar) find(now time.Time) window {
	if c.period == Hour {
		// Not with time.Date: when the clock is set back, it cannot tell the two hours of the same name apart.
		into := time.Duration(now.Minute())*time.Minute + time.Duration(now.Second())*time.Second + time.Duration(now.Nanosecond())
		start := now.Add(-into)
		return window{start, start.Add(time.Hour)}
	}
	w := window{c.start(now, 0), c.start(now, 1)}
	// A midnight that does not exist, or exists twice, is on either side of now.
	switch {
	case now.Before(w.start):
		return window{c.start(now, -1), w.start}
	case !now.Before(w.end):
		return window{w.end, c.start(now, 2)}
	}
	return w
}

// start returns the beginning of the period n periods after the one with t's date.
func (c *calendar) start(t time.Time, n int) time.Time {
	y, m, d := t.Date()
	if c.period == Month {
		return time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, c.zone)
	}
	return time.Date(y, m, d+n, 0, 0, 0, 0, c.zone)
}
