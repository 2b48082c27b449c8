// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"time"
)

const (
	pruneEvery = time.Hour
	// leap is the longest step of the wall clock that prune believes at once.
	leap = 14 * 24 * time.Hour
	// doubt is the time that must pass after a longer step before prune deletes runs by their age.
	doubt = 24 * time.Hour
)

// doubtful reports whether the clock is far ahead of the newest run in the store. Serve asks before it fires anything by
// this clock.
func (e *engine) doubtful(ctx context.Context) (bool, error) {
	list, err := e.store.Runs(ctx, RunFilter{Limit: 1})
	if err != nil || len(list) == 0 {
		return false, err
	}
	return e.now().Sub(later(list[0].Fire, list[0].Ended)) > leap, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// prune deletes old runs once an hour until ctx is done. It distrusts a clock that leaps ahead, because a wrong clock would
// make it delete young runs.
func (e *engine) prune(ctx context.Context, doubtful bool) {
	clock := newJumps(e.clock.now)
	var doubted time.Time
	if doubtful {
		doubted = time.Now()
	}
	for {
		if clock.look().jump > leap {
			doubted = time.Now()
		}
		var before time.Time // nothing
		if doubted.IsZero() || time.Since(doubted) >= doubt {
			before = e.now().Add(-e.cfg.KeepAge)
		}
		if _, err := e.store.Prune(ctx, before, e.cfg.KeepRuns); err != nil && ctx.Err() == nil {
			e.log.Error("old runs could not be deleted", "err", err)
		}
		if !pause(ctx, pruneEvery, nil) {
			return
		}
	}
}
