// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"errors"
	"time"
)

// A Store counts. [Memory] does it for one process, package limit/redisstore for several.
// Stores are safe for concurrent use.
type Store interface {
	// Take spends one call with each claim, or nothing. If a claim has nothing left, spent
	// is nil, and the balances tell which. An error refuses as well.
	Take(ctx context.Context, claims []Claim) (spent Spent, balances []Balance, err error)
	// Peek tells what each claim has left, and changes nothing.
	Peek(ctx context.Context, claims []Claim) ([]Balance, error)
}

// Spent is what Take spent. One of its methods is called, once.
type Spent interface {
	Release()  // ends the slots
	Rollback() // ends the slots, and gives back the rest
}

// A Claim asks for one call: on what terms, and on whose account. No two claims of one call
// have the same terms.
type Claim struct {
	Terms   *Terms
	Account Account
}

// Terms are a limit as stores count it. Accounts belong to the limit's name; what the terms
// say may change between two calls.
type Terms struct {
	Limit       string        // the name
	Interval    time.Duration // in which one call comes back, in whole microseconds; 0: no rate
	Burst       int           // calls that may come at once, if there is a rate
	Concurrency int           // calls that may run at the same time; 0: no bound
	Quota       int           // calls in one window; 0: no quota

	calendar *calendar
}

// Window is the span of the quota that t lies in, its end not included.
func (t *Terms) Window(now time.Time) (start, end time.Time) {
	w := t.calendar.window(now)
	return w.start, w.end
}

// A Balance is what one claim has left. Parts that the terms do not bound are zero.
type Balance struct {
	Rate, Quota Left
	Concurrency int // slots that are free
}

// Left is what is left of a rate or a quota.
type Left struct {
	Calls int
	Wait  time.Duration // until there is one; 0 if there is
}

var (
	// ErrAway says that the store which several proxies share does not answer.
	ErrAway = errors.New("limits cannot be counted, because the store that the proxies share does not answer: retry later")
	// ErrFull says that a [Memory] has no room for another caller.
	ErrFull = errors.New("limits cannot be counted, because there are too many different callers: retry later")
)
