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

// A Limiter holds calls to limits. It is safe for concurrent use.
type Limiter struct {
	limits []*bound
	store  Store
}

// A bound is a limit that is ready for use.
type bound struct {
	Terms
	patterns []pattern // empty: all tools
	per      dimensionSet
	rate     Rate
	quota    Quota
}

// New returns a Limiter of limits that counts in store; nil is a new [Memory] with the default
// bound. Everything that is wrong with the limits is in the error.
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

// newBound readies a limit. What Problems complains of, New tells.
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
	for _, text := range l.Tools {
		p, _ := parsePattern(text)
		b.patterns = append(b.patterns, p)
	}
	return b
}

func (b *bound) holds(key *Key) bool {
	return len(b.patterns) == 0 || slices.ContainsFunc(b.patterns, func(p pattern) bool { return p.matches(key.Server, key.Tool) })
}

// Take spends one call with each limit that holds for key, or nothing. If one has nothing left
// the error is a [*Refusal]. Any other error refuses the call, too: the store cannot count, or
// ctx ended. Whoever has a ticket calls one of its methods when the call has ended.
func (l *Limiter) Take(ctx context.Context, key Key) (*Ticket, error) {
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

// Peek tells what the limits that hold for key have left, without spending anything. The error
// is the one that Take would return now; if it is a [*Refusal], the states are told as well.
func (l *Limiter) Peek(ctx context.Context, key Key) ([]State, error) {
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

// holding are the limits that hold for key, in the order of claims.
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
	var accounts [1 << len(dimensions)]Account // by set of dimensions: most limits have the same few
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

// A Ticket is the leave to make one call. The first of its methods that is called counts, and
// later ones do nothing, so that Release can be deferred.
type Ticket struct {
	spent Spent // nil if no limit holds
	ended atomic.Bool
}

// Release says that the call has ended: its slots are free.
func (t *Ticket) Release() {
	if !t.ended.Swap(true) && t.spent != nil {
		t.spent.Release()
	}
}

// Rollback says that the call was not made: its slots are free, and what it spent is given
// back. See the package's documentation for how much of a rate that is.
func (t *Ticket) Rollback() {
	if !t.ended.Swap(true) && t.spent != nil {
		t.spent.Rollback()
	}
}
