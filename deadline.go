// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A stageContext is a context with a deadline that starts its timer only when somebody waits
// on Done. Most checks only poll Err, and starting a timer wakes a thread.
type stageContext struct {
	context.Context // the parent
	began           time.Time
	timeout         time.Duration
	over            atomic.Bool // end was called

	once   sync.Once
	timed  context.Context // has the timer; nil if nobody has waited
	cancel context.CancelFunc
}

// withTimeout is like context.WithTimeout; the caller must call end in place of a CancelFunc.
func withTimeout(ctx context.Context, d time.Duration) *stageContext {
	return &stageContext{Context: ctx, began: time.Now(), timeout: d}
}

func (c *stageContext) end() {
	c.over.Store(true)
	c.wait()
	c.cancel()
}

// wait sets the timer, unless it is set or the context has ended.
func (c *stageContext) wait() {
	c.once.Do(func() {
		if c.over.Load() {
			c.timed, c.cancel = ended, func() {}
			return
		}
		c.timed, c.cancel = context.WithDeadline(c.Context, c.began.Add(c.timeout))
	})
}

// ended is a canceled context.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// Deadline implements context.Context.
func (c *stageContext) Deadline() (time.Time, bool) {
	deadline := c.began.Add(c.timeout)
	if earlier, ok := c.Context.Deadline(); ok && earlier.Before(deadline) {
		return earlier, true
	}
	return deadline, true
}

// Done implements context.Context.
func (c *stageContext) Done() <-chan struct{} {
	c.wait()
	return c.timed.Done()
}

// Err implements context.Context.
func (c *stageContext) Err() error {
	switch {
	case c.Context.Err() != nil:
		return c.Context.Err()
	case c.over.Load():
		return context.Canceled
	case time.Since(c.began) >= c.timeout: // reads one clock, where time.Now reads two
		return context.DeadlineExceeded
	}
	return nil
}
