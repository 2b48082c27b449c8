// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet/check"
)

// counter is a look that counts how often it is taken.
type counter struct {
	taken    atomic.Int32
	findings []check.Finding
	err      error
	takes    time.Duration
}

func (l *counter) take(ctx context.Context) ([]check.Finding, error) {
	l.taken.Add(1)
	select {
	case <-time.After(l.takes):
		return l.findings, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	keep := Keep{Success: time.Minute, Failure: time.Second}
	for name, tt := range map[string]struct {
		look   *counter
		keep   Keep
		fresh  time.Duration // a second look within it is remembered
		stale  time.Duration // and after it, not
		noKeep bool
	}{
		"success":    {look: &counter{}, keep: keep, fresh: 59 * time.Second, stale: time.Minute},
		"warning":    {look: &counter{findings: []check.Finding{{Severity: check.Warning}}}, keep: keep, fresh: 59 * time.Second, stale: time.Minute},
		"failure":    {look: &counter{findings: []check.Finding{{}}}, keep: keep, fresh: 999 * time.Millisecond, stale: time.Second},
		"error":      {look: &counter{err: errors.New("broken")}, keep: keep, noKeep: true},
		"no keeping": {look: &counter{}, noKeep: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := NewCache(nil)
				do := func(want int32) {
					t.Helper()
					findings, err := c.Do(t.Context(), KeyOf("a"), tt.keep, tt.look.take)
					if !errors.Is(err, tt.look.err) || len(findings) != len(tt.look.findings) && err == nil {
						t.Errorf("got %v and %v", findings, err)
					}
					if got := tt.look.taken.Load(); got != want {
						t.Errorf("taken %d times, want %d", got, want)
					}
				}
				do(1)
				if tt.noKeep {
					do(2)
					return
				}
				time.Sleep(tt.fresh)
				do(1)
				time.Sleep(tt.stale - tt.fresh)
				do(2)
			})
		})
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	c := NewCache(func() time.Time { return now })
	l := &counter{}
	for _, want := range []int32{1, 1} {
		if _, err := c.Do(t.Context(), Key{}, Keep{Success: time.Hour}, l.take); err != nil || l.taken.Load() != want {
			t.Errorf("%v, taken %d times, want %d", err, l.taken.Load(), want)
		}
	}
	now = now.Add(time.Hour)
	if _, err := c.Do(t.Context(), Key{}, Keep{Success: time.Hour}, l.take); err != nil || l.taken.Load() != 2 {
		t.Errorf("%v, taken %d times, want 2", err, l.taken.Load())
	}
}

// TestOneFlight holds that simultaneous calls share a look, and that it goes on for the others
// when one leaves.
func TestOneFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, l := NewCache(nil), &counter{takes: time.Second}
		hasty, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.Do(hasty, KeyOf(1), Keep{}, l.take); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want a deadline", err)
			}
		})
		for range 20 {
			wg.Go(func() {
				if _, err := c.Do(t.Context(), KeyOf(1), Keep{}, l.take); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := l.taken.Load(); got != 1 {
			t.Errorf("taken %d times, want 1", got)
		}
	})
}

// TestAbandoned holds that a look without waiters ends, that its outcome is not remembered, and
// that the next call takes a new one. (The bubble fails if it does not end.)
func TestAbandoned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, l := NewCache(nil), &counter{takes: time.Hour}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := c.Do(ctx, Key{}, Keep{Success: time.Hour, Failure: time.Hour}, l.take); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want a deadline", err)
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("it took %v", got)
		}
		next := &counter{}
		if _, err := c.Do(t.Context(), Key{}, Keep{}, next.take); err != nil || next.taken.Load() != 1 {
			t.Errorf("%v, taken %d times, want 1", err, next.taken.Load())
		}
	})
}

func TestPanic(t *testing.T) {
	t.Parallel()
	c := NewCache(nil)
	_, err := c.Do(t.Context(), Key{}, Keep{}, func(context.Context) ([]check.Finding, error) { panic("oh") })
	if err == nil || err.Error() != "panic: oh" {
		t.Errorf("got %v, want the panic", err)
	}
}

// TestBounded holds that neither the answers nor the looks at a time grow without limit.
func TestBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := NewCache(nil)
		var now, most atomic.Int32
		var wg sync.WaitGroup
		for i := range 2 * maxKept {
			wg.Go(func() {
				_, err := c.Do(t.Context(), KeyOf(i), Keep{Success: time.Hour}, func(context.Context) ([]check.Finding, error) {
					most.Store(max(most.Load(), now.Add(1)))
					time.Sleep(time.Second)
					now.Add(-1)
					return nil, nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if len(c.kept) > maxKept || len(c.flights) != 0 {
			t.Errorf("%d answers and %d looks are kept", len(c.kept), len(c.flights))
		}
		if got := most.Load(); got > maxFlights || got < 2 {
			t.Errorf("%d looks at a time, want at most %d", got, maxFlights)
		}
	})
}

func TestKeysTellNoSecrets(t *testing.T) {
	t.Parallel()
	if KeyOf("a", "b") == KeyOf("ab") || KeyOf(1) == KeyOf("1") || KeyOf("a") != KeyOf(strings.ToLower("A")) {
		t.Error("keys are not those of their parts")
	}
	if key := KeyOf("secret"); strings.Contains(string(key[:]), "secret") {
		t.Error("a key shows its part")
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	c := &check.Check{Name: "a", Level: check.RuntimeLevel}
	run := new(check.Run).Init(c, nil, nil)
	for i := range 4 {
		run.Targets = append(run.Targets, check.Target{Pointer: "/" + strconv.Itoa(i), Value: i})
	}
	err := Each(t.Context(), &run.Pass, func(_ context.Context, target check.Target) ([]check.Finding, string, error) {
		switch target.Value {
		case 0:
			return []check.Finding{{Message: "found"}}, "", nil
		case 1:
			return nil, "it is dark", nil
		case 2:
			return nil, "", errors.New("broken")
		}
		panic("oh")
	})
	want := "looking for what is demanded at \"/2\": broken\nlooking for what is demanded at \"/3\": panic: oh"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if f := run.Findings; len(f) != 1 || f[0].Pointer != "/0" || f[0].Message != "found" {
		t.Errorf("findings %v", f)
	}
	if s := run.Skip; s == nil || s.Why != "not looked: it is dark" {
		t.Errorf("skip %v", s)
	}
}
