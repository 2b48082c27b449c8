// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func caller(i int) Key { return Key{Identity: fmt.Sprint(i)} }

// TestNoRoom: accounts with spent calls stay, whoever comes, and settled accounts make room.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := NewMemory(100)
		l := limiter(t, store, Limit{Name: "calls", Rate: Rate{1, time.Minute}})
		for i := range 100 {
			take(t, l, caller(i))
		}
		for i := range 1000 {
			if _, err := l.Take(t.Context(), caller(100+i)); !errors.Is(err, ErrFull) {
				t.Fatalf("got %v, want ErrFull", err)
			}
		}
		for i := range 100 {
			refused(t, l, caller(i), "calls")
		}
		time.Sleep(time.Minute)
		for i := range 100 {
			take(t, l, caller(1000+i))
		}
		if n := len(store.accounts); n > 100 {
			t.Errorf("%d accounts", n)
		}
	})
}

func TestRoomIsKeptForWhatIsNotSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, NewMemory(2),
			Limit{Name: "slots", Tools: []string{"*:run"}, Concurrency: 1},
			Limit{Name: "daily", Tools: []string{"*:count"}, Quota: Quota{1, Day}},
		)
		running := take(t, l, Key{Tool: "run"})
		take(t, l, Key{Tool: "count"})
		time.Sleep(23 * time.Hour)
		if _, err := l.Take(t.Context(), Key{Server: "another", Tool: "run"}); !errors.Is(err, ErrFull) {
			t.Fatalf("got %v, want ErrFull", err)
		}
		refused(t, l, Key{Tool: "run"}, "slots")
		refused(t, l, Key{Tool: "count"}, "daily")
		running.Release()
		time.Sleep(time.Minute)
		other := take(t, l, Key{Server: "another", Tool: "run"})
		other.Release()
		time.Sleep(time.Hour)
		take(t, l, Key{Tool: "count"}) // of the next day, while its turn is still that of the first
		take(t, l, Key{Server: "a third", Tool: "run"})
		refused(t, l, Key{Tool: "count"}, "daily")
	})
}

// TestTurnComesTooEarly is about an account that was used after its turn was set.
func TestTurnComesTooEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, nil, Limit{Name: "calls", Rate: Rate{1, time.Minute}, Burst: 2})
		take(t, l, alice)
		time.Sleep(59 * time.Second)
		take(t, l, alice)
		time.Sleep(2 * time.Second)
		take(t, l, bob)
		take(t, l, alice)
		refused(t, l, alice, "calls")
	})
}

// TestRoomIsMadeInTime: accounts of callers who are gone do not accumulate.
func TestRoomIsMadeInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := NewMemory(0)
		l := limiter(t, store, Limit{Name: "calls", Rate: Rate{1, time.Second}, Burst: 3})
		for i := range 10_000 {
			take(t, l, caller(i))
			if i%3 == 0 {
				take(t, l, caller(i))
			}
			time.Sleep(10 * time.Millisecond)
		}
		if n := len(store.accounts); n > 250 { // some 167 are not settled at any time
			t.Errorf("%d accounts are kept", n)
		}
		if len(store.queue) != len(store.accounts) {
			t.Errorf("%d turns for %d accounts", len(store.queue), len(store.accounts))
		}
	})
}

// TestOwnAccountIsSwept is about a call with a settled account that makes room for another account of the same call.
func TestOwnAccountIsSwept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limiter(t, NewMemory(2),
			Limit{Name: "tool", Per: []Dimension{Tool}, Rate: Rate{1, time.Second}},
			Limit{Name: "caller", Per: []Dimension{Identity}, Rate: Rate{1, time.Second}},
		)
		take(t, l, Key{Identity: "1"})
		time.Sleep(time.Second)
		take(t, l, Key{Identity: "2"})
		refused(t, l, Key{Identity: "3"}, "tool")
	})
}

func TestWallClockIsSet(t *testing.T) {
	t.Parallel()
	terms := &newBound(&Limit{Name: "calls", Rate: Rate{1, time.Second}, Burst: 2, Quota: Quota{2, Day}}).Terms
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).UnixMicro()
	const year = 365 * 24 * int64(time.Hour/time.Microsecond)
	var a tally
	spend2 := func(m moment) {
		for range 2 {
			a.refresh(terms, m)
			if !a.passes(terms, m) {
				t.Fatalf("refused at %+v", m)
			}
			a.spend(terms, m)
		}
	}
	balance := func(m moment) Balance {
		t := a
		t.refresh(terms, m)
		return t.balance(terms, m)
	}

	spend2(moment{0, noon})
	for name, m := range map[string]moment{"far back": {1, noon - year}, "before midnight": {1, noon - year/365}, "as it was": {1, noon}} {
		if b := balance(m); b.Quota.Calls != 0 || b.Quota.Wait > 48*time.Hour || b.Rate.Calls != 0 {
			t.Errorf("%s: %+v", name, b)
		}
	}
	// Ahead, a day has passed for the quota, but not for the rate.
	ahead := moment{1, noon + year}
	if b := balance(ahead); b.Quota.Calls != 2 || b.Rate.Calls != 0 {
		t.Errorf("ahead: %+v", b)
	}
	// Calls spent then stay spent when the clock is right again, and come back by midnight.
	spend2(moment{2e6, noon + year})
	if b := balance(moment{3e6, noon}); b.Quota.Calls != 0 || b.Quota.Wait != 12*time.Hour {
		t.Errorf("set right: %+v", b)
	}
	// The clock of Redis may go back, too. The bucket is then empty, and no worse.
	if b := balance(moment{-int64(time.Hour / time.Microsecond), noon}); b.Rate.Calls != 0 || b.Rate.Wait > time.Second {
		t.Errorf("the rate's clock is set back: %+v", b)
	}
}

// TestMemoryAtOnce has many concurrent callers; the race detector and the bounds watch.
func TestMemoryAtOnce(t *testing.T) {
	t.Parallel()
	l := limiter(t, nil, Limit{Name: "slots", Per: []Dimension{}, Concurrency: 3}, Limit{Name: "quota", Per: []Dimension{}, Quota: Quota{500, Month}})
	var running, most, passed atomic.Int64
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for i := range 500 {
				ticket, err := l.Take(t.Context(), alice)
				if err != nil {
					continue
				}
				for n := running.Add(1); n > most.Load(); {
					most.Store(n)
				}
				running.Add(-1)
				if i%2 == 0 {
					ticket.Rollback()
				} else {
					passed.Add(1)
					ticket.Release()
				}
			}
		})
	}
	group.Wait()
	if most.Load() > 3 || passed.Load() > 500 {
		t.Errorf("%d ran at once, %d passed", most.Load(), passed.Load())
	}
	states, _ := l.Peek(t.Context(), alice)
	if len(states) != 2 || states[0].Remaining != 3 || states[1].Remaining != 500-int(passed.Load()) {
		t.Errorf("%d passed, and there remain %+v", passed.Load(), states)
	}
}
