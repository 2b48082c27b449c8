// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"log/slog"
	"sync"
	"time"
)

// Redis counts as away for firstRest after the first failure, for longer after each further one, and for lastRest at
// most.
const (
	firstRest = 100 * time.Millisecond
	lastRest  = 5 * time.Second
)

// A breaker keeps calls from waiting for a Redis that is away.
type breaker struct {
	logger   *slog.Logger
	local    bool          // for the log: calls are counted locally meanwhile
	patience time.Duration // time for one try

	mu      sync.Mutex
	rest    time.Duration // 0: Redis is there
	until   time.Time     // end of the rest
	probing bool          // one call is trying
}

// try reports whether a call may ask Redis. While Redis is away, one call may ask after each rest.
func (b *breaker) try(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rest == 0 {
		return true
	}
	if now.Before(b.until) {
		return false
	}
	b.probing = true
	b.until = now.Add(b.patience) // the next call may try then if this one does not return
	return true
}

func (b *breaker) succeeded() {
	b.mu.Lock()
	away := b.rest > 0
	b.rest, b.probing = 0, false
	b.mu.Unlock()
	if away {
		b.logger.Info("limits: Redis is back, and counts again")
	}
}

func (b *breaker) failed(now time.Time, err error) {
	b.mu.Lock()
	first := b.rest == 0
	switch {
	case first:
		b.rest = firstRest
		b.until = now.Add(b.rest)
	case b.probing: // calls that began before Redis was away fail now
		b.rest = min(2*b.rest, lastRest)
		b.until = now.Add(b.rest)
	}
	b.probing = false
	b.mu.Unlock()
	if !first {
		return
	}
	instead := "calls that have limits are refused"
	if b.local {
		instead = "this proxy holds to the limits alone"
	}
	b.logger.Warn("limits: Redis is away: "+instead, "cause", err)
}
