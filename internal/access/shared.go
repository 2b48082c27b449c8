// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"runtime"
	"time"

	"github.com/toolvet/toolvet/internal/limit"
)

// A sharedStore is a store that closes itself when nothing uses it any more: no Counters, no Gate and no running
// call refer to it. A Gate does not tell when it is out of use, and a policy that is refused may leave some of a
// policy's Gates with the store of the one before. So the garbage collector decides.
type sharedStore struct{ limit.Store }

// collectSoon runs the garbage collector when the Gates of the policy before are likely to be out of use. If a call
// still runs by one of them, the store stays until a later collection, which comes within two minutes. C must be locked.
func (c *Counters) collectSoon() {
	if c.collecting {
		return
	}
	c.collecting = true
	time.AfterFunc(time.Second, func() {
		c.mu.Lock()
		c.collecting = false
		c.mu.Unlock()
		runtime.GC()
	})
}

func newSharedStore(store limit.ClosingStore) *sharedStore {
	s := &sharedStore{store}
	runtime.AddCleanup(s, func(store limit.ClosingStore) {
		go store.Close() // waits for its leases
	}, store)
	return s
}

// Take implements [limit.Store].
func (s *sharedStore) Take(ctx context.Context, claims []limit.Claim) (limit.Spent, []limit.Balance, error) {
	spent, balances, err := s.Store.Take(ctx, claims)
	if spent != nil {
		spent = &sharedSpent{spent, s}
	}
	return spent, balances, err
}

// Peek implements [limit.Store].
func (s *sharedStore) Peek(ctx context.Context, claims []limit.Claim) ([]limit.Balance, error) {
	defer runtime.KeepAlive(s)
	return s.Store.Peek(ctx, claims)
}

// A sharedSpent keeps its store open while the call runs.
type sharedSpent struct {
	limit.Spent
	store *sharedStore
}

// Release implements [limit.Spent].
func (s *sharedSpent) Release() {
	s.Spent.Release()
	runtime.KeepAlive(s.store)
}

// Rollback implements [limit.Spent].
func (s *sharedSpent) Rollback() {
	s.Spent.Rollback()
	runtime.KeepAlive(s.store)
}
