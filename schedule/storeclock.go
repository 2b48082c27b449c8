// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// A storeClock is the clock by which a scheduler goes. If the store has a clock, all that share the store go by it: this machine
// only measures the time since it read that clock last, with its monotonic clock, so that setting its wall clock
// changes nothing. Otherwise it is this machine's wall clock.
type storeClock struct {
	store   Store
	machine func() time.Time
	log     *slog.Logger

	mu    sync.Mutex
	asked time.Time // the last successful look at the store's clock, zero for none
	base  time.Time // what it showed then; zero: it has none
	mono  time.Time // the moment of that, by the monotonic clock
	skew  time.Duration
	told  time.Duration // the skew that the log knows
}

// now returns the time.
func (c *storeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.base.IsZero() {
		return c.machine()
	}
	return c.base.Add(time.Since(c.mono))
}

// ahead returns how far this machine's clock is ahead of the store's.
func (c *storeClock) ahead() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.skew
}

// sync looks at the store's clock, unless somebody has within age.
func (c *storeClock) sync(ctx context.Context, age time.Duration) error {
	c.mu.Lock()
	young := !c.asked.IsZero() && time.Since(c.asked) < age
	c.mu.Unlock()
	if young {
		return nil
	}
	began := time.Now()
	at, err := c.store.Now(ctx)
	if err != nil {
		return err
	}
	ended := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = ended
	if at.IsZero() {
		return nil
	}
	// The store read its clock at some moment between the two. The present estimate stays if it agrees with that: a
	// clock that follows every delay of the network would tremble.
	took := ended.Sub(began)
	known := c.base.Add(began.Sub(c.mono))
	if early := at.Sub(known); c.base.IsZero() || early < -steady || early > took+steady {
		c.base, c.mono = at, began.Add(took/2)
	}
	c.skew = c.machine().Sub(c.base.Add(ended.Sub(c.mono))).Round(time.Millisecond)
	if off := c.skew - c.told; off > noticed || off < -noticed {
		if c.told = c.skew; c.skew.Abs() > noticed {
			c.log.Warn("the clock of this machine is wrong, or the store's is: jobs run by the store's", "ahead", c.skew.Round(time.Second))
		} else {
			c.told = 0
			c.log.Info("the clock of this machine agrees with the store's again")
		}
	}
	return nil
}

// steady is the smallest difference from the store's clock that counts.
const steady = 5 * time.Millisecond
