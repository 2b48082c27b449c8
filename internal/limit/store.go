// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// A Store counts calls. [Memory] counts for one process, Redis for several. Stores are safe for
// concurrent use.
type Store interface {
	// Take spends one call with each claim, or nothing. If a claim has nothing left, spent is nil and the balances
	// show it. An error refuses the call, too.
	Take(ctx context.Context, claims []Claim) (spent Spent, balances []Balance, err error)
	// Peek returns the balance of each claim, and changes nothing.
	Peek(ctx context.Context, claims []Claim) ([]Balance, error)
}

// An Opener opens the store of shared counts. A nil logger is [slog.Default].
type Opener interface {
	Open(at Shared, logger *slog.Logger) (ClosingStore, error)
}

// A ClosingStore is a store with connections. Close ends them when the last call that it counts has ended.
type ClosingStore interface {
	Store
	Close() error
}

// Spent is the calls that one Take spent. Call one of its methods, once.
type Spent interface {
	Release()  // frees the slots
	Rollback() // frees the slots, and gives back the rest
}

// A Claim asks for one call under some terms, on an account. All claims of one call have different terms.
type Claim struct {
	Terms   *Terms
	Account Account
}

// Terms are a limit in the form for stores. Accounts belong to the name of the limit; the other terms may change
// between two calls.
type Terms struct {
	Limit       string        // the name
	Interval    time.Duration // time in which one call comes back, in whole microseconds; 0: no rate
	Burst       int           // calls that may come at once, if there is a rate
	Concurrency int           // calls that may run at the same time; 0: no bound
	Quota       int           // calls in one window; 0: no quota

	calendar *calendar
}

// Window returns the span of the quota that contains now, without its end.
func (t *Terms) Window(now time.Time) (start, end time.Time) {
	w := t.calendar.window(now)
	return w.start, w.end
}

// A Balance is the rest that one claim has left. Parts without a bound are zero.
type Balance struct {
	Rate, Quota Left
	Concurrency int // slots that are free
}

// Left is the rest of a rate or a quota.
type Left struct {
	Calls int
	Wait  time.Duration // until one comes back; 0 if there is one
}

var (
	// ErrAway reports that the store of several proxies does not answer.
	ErrAway = errors.New("limits cannot be counted, because the store that the proxies share does not answer: retry later")
	// ErrFull reports that a [Memory] has no room for another caller.
	ErrFull = errors.New("limits cannot be counted, because there are too many different callers: retry later")
)
