// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redisstore

import (
	"log/slog"
	"sync"
	"time"
)

// How long Redis counts as away after the first failure, and at most.
const (
	firstRest = 100 * time.Millisecond
	lastRest  = 5 * time.Second
)

// A breaker keeps calls from waiting for a Redis that is away.
type breaker struct {
	logger   *slog.Logger
	local    bool          // for the log: what becomes of calls
	patience time.Duration // how long one that tries may take

	mu      sync.Mutex
	rest    time.Duration // 0: Redis is there
	until   time.Time     // the end of the rest
	probing bool          // a caller has gone to see
}

// try reports whether Redis may be asked. While it is away one caller may, after each rest.
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
	b.until = now.Add(b.patience) // when the next may go if this one does not come back
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
	case b.probing: // others that fail now began before Redis was known to be away
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
