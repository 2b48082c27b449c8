// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
)

// A clock counts the time that a session's programs take by themselves, waiting or working. Time in which they wait for
// a processor does not count: others of the machine have it. So a limit means the same on a busy machine, and a
// server gets the same report there.
type clock struct {
	session *session
	now     sandbox.Running // at the last look
	at      time.Time       // of the last look
}

// look counts a wait of d that has just ended. It returns the programs' share of it, and how long they were idle in that
// share. One look decides for the whole wait. An idle wait counts as d, even if it lasted longer: toolvet, too, waits for a
// processor. The first wait counts in full, for want of an earlier look.
func (c *clock) look(d time.Duration) (took, idle time.Duration) {
	before, since := c.now.CPU, c.at
	c.now, c.at = c.session.running(), time.Now()
	switch {
	case !c.now.Busy:
		return d, d
	case since.IsZero():
		return d, 0
	}
	return max(0, min(c.now.CPU-before, c.at.Sub(since))), 0
}

// stretch is how many times its limit anything may take on a busy machine.
const stretch = 10

// until asks done again and again, at least once, until it is true or the programs have taken the limit.
func (s *session) until(limit time.Duration, done func() bool) bool {
	c, end := clock{session: s}, time.Now().Add(stretch*limit)
	for took := time.Duration(0); !done(); {
		if took >= limit || !time.Now().Before(end) {
			return false
		}
		time.Sleep(limit / 8)
		more, _ := c.look(limit / 8)
		took += more
	}
	return true
}

// errLate ends the context of a deadline whose programs took too long.
var errLate = fmt.Errorf("the programs took too long: %w", context.DeadlineExceeded)

// A deadline ends its context, with [errLate], once a session's programs have taken a limit by themselves.
type deadline struct {
	limit    time.Duration
	ctx      context.Context
	cancel   context.CancelCauseFunc
	progress atomic.Bool   // the limit begins anew
	over     chan struct{} // closed once the times below are final

	took, idle time.Duration
}

// newDeadline makes a deadline whose time begins with its watch. It needs its stop then, and its cancel else.
func newDeadline(ctx context.Context, limit time.Duration) *deadline {
	d := &deadline{limit: limit, over: make(chan struct{})}
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	return d
}

// within sets a deadline, which its stop removes.
func (s *session) within(ctx context.Context, limit time.Duration) *deadline {
	d := newDeadline(ctx, limit)
	d.watch(s)
	return d
}

// watch begins to count the time of a session's programs.
func (d *deadline) watch(s *session) {
	go func() {
		defer close(d.over)
		c, began, taken := clock{session: s}, time.Now(), time.Duration(0)
		for wait := 200 * time.Millisecond; ; wait = 2 * look { // most calls are over before the first look
			select {
			case <-d.ctx.Done():
				return
			case <-time.After(wait):
			}
			took, idle := c.look(wait)
			d.took, d.idle = d.took+took, d.idle+idle
			if taken += took; d.progress.Swap(false) {
				began, taken = c.at, 0
			}
			if taken >= d.limit || c.at.Sub(began) >= stretch*d.limit {
				d.cancel(errLate)
			}
		}
	}()
}

// late reports whether the limit was reached.
func (d *deadline) late() bool { return context.Cause(d.ctx) == errLate }

// stop removes the deadline, and returns the time that the programs took.
func (d *deadline) stop() time.Duration {
	d.cancel(nil)
	<-d.over
	return d.took
}
