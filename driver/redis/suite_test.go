// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/test/redistest"
)

// A world is a store with a clock that the test moves on.
type world struct {
	store limit.Store
	now   func() time.Time
	sleep func(time.Duration)
}

// midnight is the beginning of the clocks of worlds, and of synctest.
var midnight = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// worlds runs a test with each kind of store. So all kinds behave alike.
func worlds(t *testing.T, test func(t *testing.T, w world)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			test(t, world{limit.NewMemory(0), time.Now, time.Sleep})
		})
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		test(t, redisWorld(t, redistest.Start(t)))
	})
}

func redisWorld(t testing.TB, server *redistest.Server) world {
	var passed atomic.Int64
	now := func() time.Time { return midnight.Add(time.Duration(passed.Load())) }
	s, log := newStore(t, limit.Shared{URL: server.URL(), Prefix: prefix()}, tuning{unhurried.patience, standard.lease, now})
	t.Cleanup(func() {
		if text := log.String(); text != "" {
			t.Errorf("logged: %s", text)
		}
	})
	return world{s, now, func(d time.Duration) {
		passed.Add(int64(d))
		s.renewAll() // leases are renewed by the clock on the wall
	}}
}

// take expects a ticket.
func take(t testing.TB, l *limit.Limiter, key limit.Key) *limit.Ticket {
	t.Helper()
	ticket, err := l.Take(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

// refused expects a refusal.
func refused(t testing.TB, l *limit.Limiter, key limit.Key) *limit.Refusal {
	t.Helper()
	var r *limit.Refusal
	if _, err := l.Take(t.Context(), key); !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal", err)
	}
	return r
}

// left sums up the result of Peek.
func left(t testing.TB, l *limit.Limiter, key limit.Key) string {
	t.Helper()
	states, err := l.Peek(t.Context(), key)
	var r *limit.Refusal
	if err != nil && !errors.As(err, &r) {
		t.Fatal(err)
	}
	var counts []int
	for _, s := range states {
		counts = append(counts, s.Remaining)
	}
	return fmt.Sprint(counts)
}

var (
	alice = limit.Key{Identity: "alice", Server: "files", Tool: "read"}
	bob   = limit.Key{Identity: "bob", Server: "files", Tool: "read"}
)

func TestRate(t *testing.T) {
	t.Parallel()
	worlds(t, func(t *testing.T, w world) {
		l := newLimiter(t, w.store, limit.Limit{Name: "calls", Rate: limit.Rate{Calls: 7, Per: time.Second}, Burst: 3})
		for range 3 {
			take(t, l, alice)
		}
		for range 20 {
			r := refused(t, l, alice)
			if r.RetryAfter != 142858*time.Microsecond {
				t.Fatalf("retry after %v", r.RetryAfter)
			}
			w.sleep(r.RetryAfter - time.Microsecond)
			if r := refused(t, l, alice); r.RetryAfter != time.Microsecond {
				t.Fatalf("retry after %v", r.RetryAfter)
			}
			w.sleep(time.Microsecond)
			take(t, l, alice)
		}
		take(t, l, bob)
		w.sleep(time.Hour)
		if got := left(t, l, alice); got != "[3]" {
			t.Errorf("after an hour %s are left", got)
		}
	})
}

func TestQuota(t *testing.T) {
	t.Parallel()
	worlds(t, func(t *testing.T, w world) {
		l := newLimiter(t, w.store, limit.Limit{Name: "calls", Quota: limit.Quota{Calls: 3, Period: limit.Day}, Timezone: "Asia/Tokyo"})
		for _, length := range []time.Duration{15 * time.Hour, 24 * time.Hour, 24 * time.Hour} { // begins at nine in Tokyo
			for range 3 {
				take(t, l, alice)
			}
			if r := refused(t, l, alice); r.RetryAfter != length || r.Meter != limit.QuotaMeter {
				t.Fatalf("%s: retry after %v, want %v", r.Meter, r.RetryAfter, length)
			}
			w.sleep(length - time.Microsecond)
			refused(t, l, alice)
			w.sleep(time.Microsecond)
		}
	})
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	worlds(t, func(t *testing.T, w world) {
		l := newLimiter(t, w.store, limit.Limit{Name: "calls", Concurrency: 2})
		for range 3 {
			first, second := take(t, l, alice), take(t, l, alice)
			if r := refused(t, l, alice); r.Meter != limit.ConcurrencyMeter || r.RetryAfter != time.Second {
				t.Fatalf("%+v", r)
			}
			first.Release()
			third := take(t, l, alice)
			refused(t, l, alice)
			second.Rollback()
			third.Release()
			if got := left(t, l, alice); got != "[2]" {
				t.Fatalf("%s are free", got)
			}
		}
	})
}

// TestRollback: tickets give back everything, in either order.
func TestRollback(t *testing.T) {
	t.Parallel()
	worlds(t, func(t *testing.T, w world) {
		l := newLimiter(t, w.store, limit.Limit{
			Name: "calls", Rate: limit.Rate{Calls: 10, Per: time.Second}, Burst: 20, Concurrency: 10, Quota: limit.Quota{Calls: 30, Period: limit.Day},
		})
		kept := take(t, l, alice)
		defer kept.Release()
		for _, backwards := range []bool{false, true} {
			var tickets []*limit.Ticket
			for range 9 {
				tickets = append(tickets, take(t, l, alice))
			}
			if got := left(t, l, alice); got != "[10 0 20]" {
				t.Fatalf("%s are left", got)
			}
			if backwards {
				slices.Reverse(tickets)
			}
			for _, ticket := range tickets {
				ticket.Rollback()
			}
			if got := left(t, l, alice); got != "[19 9 29]" {
				t.Errorf("%s are left", got)
			}
		}
	})
}

// TestLateRollback: calls that have come back by themselves do not come back twice.
func TestLateRollback(t *testing.T) {
	t.Parallel()
	worlds(t, func(t *testing.T, w world) {
		l := newLimiter(t, w.store, limit.Limit{Name: "calls", Rate: limit.Rate{Calls: 1, Per: time.Second}, Burst: 50})
		var tickets []*limit.Ticket
		for range 50 {
			tickets = append(tickets, take(t, l, alice))
		}
		w.sleep(40 * time.Second)
		for range 40 {
			take(t, l, alice)
		}
		refused(t, l, alice)
		for _, ticket := range tickets {
			ticket.Rollback()
		}
		if got := left(t, l, alice); got != "[10]" {
			t.Errorf("%s are left, of 50 less those 40 that were made", got)
		}

		quota := newLimiter(t, w.store, limit.Limit{Name: "quota", Quota: limit.Quota{Calls: 5, Period: limit.Day}})
		yesterday := take(t, quota, alice)
		w.sleep(24 * time.Hour)
		take(t, quota, alice)
		yesterday.Rollback()
		if got := left(t, quota, alice); got != "[4]" {
			t.Errorf("%s of the quota are left", got)
		}
	})
}

// TestRollbackOfOlder: a ticket knows how much older tickets have given back since.
func TestRollbackOfOlder(t *testing.T) {
	t.Parallel()
	worlds(t, func(t *testing.T, w world) {
		l := newLimiter(t, w.store, limit.Limit{Name: "calls", Rate: limit.Rate{Calls: 1, Per: time.Second}, Burst: 10})
		var tickets []*limit.Ticket
		for range 10 {
			tickets = append(tickets, take(t, l, alice))
		}
		for _, ticket := range tickets[:5] {
			ticket.Rollback()
		}
		w.sleep(4 * time.Second)
		take(t, l, alice)
		for _, ticket := range tickets[5:] {
			ticket.Rollback()
		}
		if got := left(t, l, alice); got != "[9]" {
			t.Errorf("%s are left", got)
		}
	})
}

// TestClockJumps: setting the clock back forgives nothing, and locks nobody out.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	w := redisWorld(t, redistest.Start(t)) // for Memory see package limit: synctest's clock cannot be set
	l := newLimiter(t, w.store, limit.Limit{Name: "rate", Rate: limit.Rate{Calls: 1, Per: time.Minute}, Burst: 2},
		limit.Limit{Name: "quota", Quota: limit.Quota{Calls: 2, Period: limit.Day}})
	take(t, l, alice)
	take(t, l, alice)
	for _, jump := range []time.Duration{-time.Second, time.Second, -23 * time.Hour, 23 * time.Hour} { // across midnight, and again
		w.sleep(jump)
		if r := refused(t, l, alice); r.RetryAfter > 48*time.Hour {
			t.Errorf("set by %v: retry after %v", jump, r.RetryAfter)
		}
	}
	w.sleep(-365 * 24 * time.Hour)
	r := refused(t, l, alice)
	if r.RetryAfter > 24*time.Hour {
		t.Errorf("set back by a year: retry after %v", r.RetryAfter)
	}
	w.sleep(r.RetryAfter)
	take(t, l, alice)
}

func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	worlds(t, func(t *testing.T, w world) {
		l := newLimiter(t, w.store,
			limit.Limit{Name: "a", Rate: limit.Rate{Calls: 5, Per: time.Minute}, Concurrency: 5, Quota: limit.Quota{Calls: 5, Period: limit.Day}},
			limit.Limit{Name: "b", Per: []limit.Dimension{}, Concurrency: 1},
			limit.Limit{Name: "c", Per: []limit.Dimension{limit.Server}, Quota: limit.Quota{Calls: 50, Period: limit.Month}},
		)
		ticket := take(t, l, alice)
		for range 10 {
			if r := refused(t, l, alice); r.Limit != "b" {
				t.Fatalf("refused by %s", r.Limit)
			}
		}
		ticket.Release()
		if got := left(t, l, alice); got != "[4 5 4 1 49]" {
			t.Errorf("%s are left", got)
		}
	})
}

func TestTwoLimitersShare(t *testing.T) {
	t.Parallel()
	worlds(t, func(t *testing.T, w world) {
		calls := limit.Limit{Name: "calls", Concurrency: 1, Quota: limit.Quota{Calls: 3, Period: limit.Month}}
		one, two := newLimiter(t, w.store, calls), newLimiter(t, w.store, calls)
		ticket := take(t, one, alice)
		refused(t, two, alice)
		ticket.Release()
		take(t, two, alice).Release()
		take(t, one, alice).Release()
		if r := refused(t, two, alice); r.Meter != limit.QuotaMeter {
			t.Errorf("refused by the %s", r.Meter)
		}
	})
}

// TestChangedTerms: shorter windows and faster rates keep the spent calls.
func TestChangedTerms(t *testing.T) {
	t.Parallel()
	worlds(t, func(t *testing.T, w world) {
		slow := newLimiter(t, w.store, limit.Limit{Name: "calls", Rate: limit.Rate{Calls: 1, Per: time.Hour}, Burst: 10, Quota: limit.Quota{Calls: 10, Period: limit.Day}})
		fast := newLimiter(t, w.store, limit.Limit{Name: "calls", Rate: limit.Rate{Calls: 1, Per: time.Second}, Burst: 2, Quota: limit.Quota{Calls: 10, Period: limit.Hour}})
		for range 10 {
			take(t, slow, alice)
		}
		if r := refused(t, fast, alice); r.Meter != limit.QuotaMeter || r.RetryAfter != time.Hour {
			t.Errorf("%+v", r)
		}
		w.sleep(time.Hour)
		if got := left(t, fast, alice); got != "[2 10]" {
			t.Errorf("%s are left", got)
		}
	})
}
