// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import "github.com/toolvet/toolvet/internal/limit"

// A ticket holds the calls that one Take spent in Redis.
type ticket struct {
	store  *store
	id     string
	claims []limit.Claim
	keys   []string // two for each claim
	after  reply
}

// slots returns the keys of the sorted sets in which the ticket holds a slot.
func (t *ticket) slots() []string {
	var keys []string
	for i := range t.claims {
		if t.claims[i].Terms.Concurrency > 0 {
			keys = append(keys, t.keys[2*i+1])
		}
	}
	return keys
}

// Release frees the slots. If Redis is away, their leases end by themselves.
func (t *ticket) Release() {
	if b := t.store.leases.drop(t.id); len(b.keys) > 0 {
		t.store.end(b)
	}
}

// Rollback frees the slots and gives back the rest, if Redis is not away.
func (t *ticket) Rollback() {
	t.store.leases.drop(t.id)
	args := make([]any, 0, 2+5*len(t.claims))
	args = append(args, t.id, t.store.override())
	for i := range t.claims {
		terms, v := t.claims[i].Terms, t.after.claim(i)
		args = append(args, terms.Interval.Microseconds(), terms.Quota, v[5], v[6], v[7])
	}
	_ = t.store.settle(t.store.rollback, t.keys, args)
}
