// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func limiter(t testing.TB, store Store, limits ...Limit) *Limiter {
	t.Helper()
	l, err := New(limits, store)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// take expects a ticket.
func take(t testing.TB, l *Limiter, key Key) *Ticket {
	t.Helper()
	ticket, err := l.Take(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

// refused expects a refusal by the limit.
func refused(t testing.TB, l *Limiter, key Key, limit string) *Refusal {
	t.Helper()
	var r *Refusal
	if _, err := l.Take(t.Context(), key); !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal", err)
	}
	if r.Limit != limit {
		t.Fatalf("refused by %q, want %q", r.Limit, limit)
	}
	return r
}

var (
	alice = Key{Identity: "alice", Server: "files", Tool: "read"}
	bob   = Key{Identity: "bob", Server: "files", Tool: "read"}
)

func TestWhatIsCountedApart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		per   []Dimension
		other Key
		apart bool
	}{
		{"another identity", nil, bob, true},
		{"another tool", nil, Key{Identity: "alice", Server: "files", Tool: "write"}, true},
		{"another server", nil, Key{Identity: "alice", Server: "web", Tool: "read"}, true},
		{"another session of the same identity", nil, Key{Identity: "alice", Session: "2", Server: "files", Tool: "read"}, false},
		{"nobody", nil, Key{Server: "files", Tool: "read"}, true},
		{"a dry run", nil, Key{Identity: "alice", Server: "files", Tool: "read", Validation: true}, true},
		{"a dry run, together", []Dimension{}, Key{Validation: true}, true},
		{"all together", []Dimension{}, Key{Identity: "x", Session: "x", Server: "x", Tool: "x", ClientAddress: "x"}, false},
		{"by address", []Dimension{ClientAddress}, Key{Identity: "alice", ClientAddress: "192.0.2.1"}, true},
		{"by identity alone", []Dimension{Identity}, Key{Identity: "alice", Server: "web"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := limiter(t, nil, Limit{Name: "calls", Per: tt.per, Quota: Quota{1, Month}})
			take(t, l, alice)
			refused(t, l, alice, "calls")
			if tt.apart {
				take(t, l, tt.other)
			}
			refused(t, l, tt.other, "calls")
		})
	}
}

// TestNobody: callers without an identity share one account.
func TestNobody(t *testing.T) {
	t.Parallel()
	l := limiter(t, nil, Limit{Name: "calls", Concurrency: 1})
	ticket := take(t, l, Key{Session: "1", ClientAddress: "192.0.2.1"})
	refused(t, l, Key{Session: "2", ClientAddress: "192.0.2.2"}, "calls")
	ticket.Release()
	take(t, l, Key{Session: "2", ClientAddress: "192.0.2.2"})
}

func TestWhichCalls(t *testing.T) {
	t.Parallel()
	l := limiter(t, nil, Limit{Name: "writes", Tools: []string{"files:write*", "db:*"}, Quota: Quota{1, Month}})
	write := Key{Server: "files", Tool: "write/all"}
	take(t, l, write)
	refused(t, l, write, "writes")
	for range 3 {
		take(t, l, Key{Server: "files", Tool: "read"}).Release()
	}
	if states, err := l.Peek(t.Context(), Key{Server: "files", Tool: "read"}); states != nil || err != nil {
		t.Errorf("no limit holds, but Peek tells %v, %v", states, err)
	}
}

func TestAllOrNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, nil,
			Limit{Name: "many", Rate: Rate{5, time.Hour}, Concurrency: 5, Quota: Quota{5, Day}},
			Limit{Name: "few", Per: []Dimension{}, Concurrency: 1},
		)
		ticket := take(t, l, alice)
		for range 10 {
			refused(t, l, alice, "few")
			refused(t, l, bob, "few")
		}
		ticket.Release()
		for range 4 {
			take(t, l, alice).Release()
		}
		r := refused(t, l, alice, "many")
		if want := (State{"many", QuotaMeter, 5, 0, 24 * time.Hour}); r.State != want {
			t.Errorf("got %+v, want %+v", r.State, want) // the rate is back after 12 minutes, but a call then would be refused
		}
	})
}

func TestPeek(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, nil, Limit{Name: "calls", Rate: Rate{2, time.Second}, Concurrency: 3, Quota: Quota{4, Day}})
		take(t, l, alice)
		for range 3 {
			states, err := l.Peek(t.Context(), alice)
			if err != nil {
				t.Fatal(err)
			}
			want := []State{{"calls", RateMeter, 2, 1, 0}, {"calls", ConcurrencyMeter, 3, 2, 0}, {"calls", QuotaMeter, 4, 3, 0}}
			if diff := cmp.Diff(want, states); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
		take(t, l, alice)
		states, err := l.Peek(t.Context(), alice)
		var r *Refusal
		if !errors.As(err, &r) || r.RetryAfter != 500*time.Millisecond || len(states) != 3 {
			t.Fatalf("got %v, %v", states, err)
		}
		if got := refused(t, l, alice, "calls"); got.State != r.State {
			t.Errorf("Peek refuses with %+v, Take with %+v", r.State, got.State)
		}
	})
}

func TestTicketEndsOnce(t *testing.T) {
	t.Parallel()
	l := limiter(t, nil, Limit{Name: "calls", Concurrency: 2, Quota: Quota{3, Month}})
	first, second := take(t, l, alice), take(t, l, alice)
	for range 3 {
		first.Release()
		first.Rollback()
	}
	take(t, l, alice)
	refused(t, l, alice, "calls") // three are spent: Rollback after Release gave nothing back
	second.Rollback()
	second.Release()
	second.Rollback()
	take(t, l, alice)
	refused(t, l, alice, "calls")

	unlimited := take(t, limiter(t, nil), alice)
	unlimited.Release()
	unlimited.Rollback()
}

// TestChangedPolicy: a new Limiter over the same store forgives nothing.
func TestChangedPolicy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := NewMemory(0)
		old := limiter(t, store, Limit{Name: "calls", Rate: Rate{1, time.Hour}, Burst: 10, Quota: Quota{10, Day}, Concurrency: 9})
		running := take(t, old, alice)
		for range 9 {
			take(t, old, alice).Release()
		}
		faster := limiter(t, store, Limit{Name: "calls", Rate: Rate{1, time.Second}, Burst: 2, Concurrency: 1})
		if r := refused(t, faster, alice, "calls"); r.Meter != RateMeter && r.Meter != ConcurrencyMeter {
			t.Errorf("refused by %s", r.Meter)
		}
		running.Release()
		time.Sleep(time.Second)
		take(t, faster, alice).Release() // not in ten hours
		refused(t, faster, alice, "calls")

		refused(t, limiter(t, store, Limit{Name: "calls", Quota: Quota{10, Day}}), alice, "calls")
		take(t, limiter(t, store, Limit{Name: "calls", Quota: Quota{12, Day}}), alice)
	})
}

// TestShorterPeriod: if the window of a quota changes, the spent calls stay until the earlier end.
func TestShorterPeriod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := NewMemory(0)
		daily := limiter(t, store, Limit{Name: "calls", Quota: Quota{2, Day}})
		hourly := limiter(t, store, Limit{Name: "calls", Quota: Quota{2, Hour}})
		take(t, daily, alice)
		take(t, hourly, alice)
		refused(t, daily, alice, "calls")
		if r := refused(t, hourly, alice, "calls"); r.RetryAfter != time.Hour {
			t.Errorf("retry after %v", r.RetryAfter)
		}
		time.Sleep(time.Hour)
		take(t, hourly, alice)
		take(t, daily, bob)
		take(t, daily, bob)
		refused(t, hourly, bob, "calls") // which is enough to bring the end nearer
		time.Sleep(time.Hour)
		take(t, hourly, bob)
	})
}

func TestContextEnded(t *testing.T) {
	t.Parallel()
	l := limiter(t, nil, Limit{Name: "calls", Quota: Quota{1, Month}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Take(ctx, alice); !errors.Is(err, context.Canceled) {
		t.Errorf("Take: %v", err)
	}
	if _, err := l.Peek(ctx, alice); !errors.Is(err, context.Canceled) {
		t.Errorf("Peek: %v", err)
	}
	take(t, l, alice) // nothing was spent
}

// A silent store refuses without a reason.
type silent struct{}

func (silent) Take(context.Context, []Claim) (Spent, []Balance, error) { return nil, nil, nil }
func (silent) Peek(context.Context, []Claim) ([]Balance, error)        { return nil, errors.New("broken") }

func TestBrokenStoreRefuses(t *testing.T) {
	t.Parallel()
	l := limiter(t, silent{}, Limit{Name: "calls", Concurrency: 1})
	if ticket, err := l.Take(t.Context(), alice); err == nil {
		t.Errorf("Take: %v", ticket)
	}
	if states, err := l.Peek(t.Context(), alice); err == nil {
		t.Errorf("Peek: %v", states)
	}
}
