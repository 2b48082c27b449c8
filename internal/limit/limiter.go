// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
)

// A Limiter enforces limits; [New] makes one. It is safe for concurrent use. A nil or zero Limiter lets no call
// through.
type Limiter struct {
	limits []*bound
	store  Store
}

// A bound is a limit ready for use.
type bound struct {
	Terms
	tools    []pattern
	requests []pattern // without tools and requests: everything but what is implied
	per      dimensionSet
	rate     Rate
	quota    Quota
}

// New returns a Limiter that counts in store. A nil store is a new [Memory] of the default size. The error lists all
// faults of the limits.
func New(limits []Limit, store Store) (*Limiter, error) {
	if store == nil {
		store = NewMemory(0)
	}
	l := &Limiter{store: store}
	var errs []error
	seen := map[string]bool{}
	for i := range limits {
		name := limits[i].Name
		for _, p := range limits[i].Problems() {
			errs = append(errs, fmt.Errorf("limit %q: %s: %s", name, p.Field, p.Message))
		}
		if seen[name] {
			errs = append(errs, fmt.Errorf("limit %q: name: must be another than that of the limits before", name))
		}
		seen[name] = true
		l.limits = append(l.limits, newBound(&limits[i]))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return l, nil
}

// newBound prepares a limit. The caller asks Problems first.
func newBound(l *Limit) *bound {
	zone, _ := location(l.Timezone)
	b := &bound{
		Terms: Terms{
			Limit:       l.Name,
			Concurrency: int(l.Concurrency),
			Quota:       l.Quota.Calls,
			calendar:    &calendar{period: l.Quota.Period, zone: zone},
		},
		per:   newDimensionSet(l.Per),
		rate:  l.Rate,
		quota: l.Quota,
	}
	if l.Rate.Calls > 0 {
		b.Interval, b.Burst = l.Rate.interval(), l.burst()
	}
	b.tools, b.requests = parsePatterns(l.Tools), parsePatterns(l.Requests)
	return b
}

func (b *bound) holds(key *Key) bool {
	patterns := b.tools
	if key.Request {
		patterns = b.requests
	}
	return len(b.tools)+len(b.requests) == 0 && !key.Implied ||
		slices.ContainsFunc(patterns, func(p pattern) bool { return p.matches(key.Server, key.Tool) })
}

// errNoLimits is the error of a Limiter that New did not make: nobody knows its limits.
var errNoLimits = errors.New("the limiter has no limits: make it with limit.New")

// Take spends one call with each limit that holds for key, or nothing. If a limit has no call left, the error is a
// [*Refusal]. Any other error refuses the call as well: the store cannot count, or ctx ended. Call one of the
// ticket's methods after the call has ended.
func (l *Limiter) Take(ctx context.Context, key Key) (*Ticket, error) {
	if l == nil || l.store == nil {
		return nil, errNoLimits
	}
	claims := l.claims(&key)
	if len(claims) == 0 {
		return new(Ticket), nil
	}
	spent, balances, err := l.store.Take(ctx, claims)
	if err != nil {
		return nil, err
	}
	if spent == nil {
		return nil, refusal(l.holding(&key), balances)
	}
	return &Ticket{spent: spent}, nil
}

// Peek returns the balances of the limits that hold for key, and spends nothing. The error is the one that Take would
// return now. The states are valid with a [*Refusal], too.
func (l *Limiter) Peek(ctx context.Context, key Key) ([]State, error) {
	if l == nil || l.store == nil {
		return nil, errNoLimits
	}
	claims := l.claims(&key)
	if len(claims) == 0 {
		return nil, nil
	}
	balances, err := l.store.Peek(ctx, claims)
	if err != nil {
		return nil, err
	}
	bounds := l.holding(&key)
	states := stateList(bounds, balances)
	if slices.ContainsFunc(states, func(s State) bool { return s.Remaining == 0 }) {
		return states, refusal(bounds, balances)
	}
	return states, nil
}

// holding returns the limits that hold for key, in the order of claims.
func (l *Limiter) holding(key *Key) []*bound {
	var list []*bound
	for _, b := range l.limits {
		if b.holds(key) {
			list = append(list, b)
		}
	}
	return list
}

func (l *Limiter) claims(key *Key) []Claim {
	var accounts [1 << len(dimensions)]Account // by set of dimensions: most limits share a few
	var known [len(accounts)]bool
	claims := make([]Claim, 0, len(l.limits))
	for _, b := range l.limits {
		if !b.holds(key) {
			continue
		}
		if !known[b.per] {
			accounts[b.per], known[b.per] = key.account(b.per), true
		}
		claims = append(claims, Claim{&b.Terms, accounts[b.per]})
	}
	return claims
}

// A Ticket permits one call. Only the first call of one of its methods has an effect, so that Release can be
// deferred.
type Ticket struct {
	spent Spent // nil if no limit holds
	ended atomic.Bool
}

// Release frees the slots of a call that has ended.
func (t *Ticket) Release() {
	if !t.ended.Swap(true) && t.spent != nil {
		t.spent.Release()
	}
}

// Rollback frees the slots of a call that was not made, and gives back the rest. The package documentation tells how
// much of a rate comes back.
func (t *Ticket) Rollback() {
	if !t.ended.Swap(true) && t.spent != nil {
		t.spent.Rollback()
	}
}
