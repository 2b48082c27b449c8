// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const mib = 1 << 20

func take(t *testing.T, b *Budget, owner string, n int, want bool) *Loan {
	t.Helper()
	l, err := b.Take(t.Context(), owner, n, 0)
	if (err == nil) != want || err != nil && !errors.Is(err, ErrFull) {
		t.Errorf("%s takes %d: %v", owner, n, err)
	}
	return l
}

// TestShares holds the bounds of one owner and of all.
func TestShares(t *testing.T) {
	t.Parallel()
	b := New(16 * mib)
	first := take(t, b, "a", 12*mib, true)
	take(t, b, "a", mib, false)
	second := take(t, b, "b", 4*mib, true)
	take(t, b, "c", mib, false)
	take(t, b, "c", Small, true).Return() // from the reserve
	take(t, b, "a", Small, true).Return()
	for i := range 4 * mib / Small {
		take(t, b, strconv.Itoa(i), Small, true)
	}
	take(t, b, "z", Small, false)
	first.Shrink(8 * mib)
	second.Return()
	second.Return()
	if got := b.Taken(); got != 12*mib {
		t.Errorf("%d bytes are lent", got)
	}
	first.Return()
	take(t, b, "huge", 1<<30, true).Return() // it counts as a share
}

// TestWait holds that a loan waits for bytes to come back, and not for longer than it may.
func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := New(16 * mib)
		l := take(t, b, "a", 12*mib, true)
		time.AfterFunc(time.Second, l.Return)
		begin := time.Now()
		if _, err := b.Take(t.Context(), "a", 8*mib, 2*time.Second); err != nil || time.Since(begin) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		begin = time.Now()
		if _, err := b.Take(t.Context(), "a", 8*mib, 2*time.Second); !errors.Is(err, ErrFull) || time.Since(begin) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.Take(ctx, "a", 8*mib, time.Hour); !errors.Is(err, ErrFull) {
			t.Error(err)
		}
	})
}

// TestUntil holds that a loan for memory comes back with the memory, when another loan needs it.
func TestUntil(t *testing.T) {
	t.Parallel()
	b := New(16 * mib)
	text := make([]byte, 12*mib)
	Until(take(t, b, "a", len(text), true), &text[0])
	part := text[mib : 2*mib] // keeps all of it
	runtime.GC()
	take(t, b, "a", 12*mib, false)
	runtime.KeepAlive(part)
	if _, err := b.Take(t.Context(), "a", 12*mib, time.Minute); err != nil {
		t.Error(err)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	b := New(16 * mib)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			l, err := b.Take(t.Context(), strconv.Itoa(i%5), (i%12+1)*mib, time.Minute)
			if err != nil {
				t.Error(err)
			}
			if n := b.Taken(); n > 16*mib {
				t.Errorf("%d bytes are lent", n)
			}
			l.Shrink(mib)
			l.Return()
		})
	}
	all.Wait()
	if len(b.by) != 0 || b.Taken() != 0 {
		t.Errorf("left: %v", b.by)
	}
}

// TestOwnerLeavesSome holds that one owner cannot take everything with small loans.
func TestOwnerLeavesSome(t *testing.T) {
	t.Parallel()
	b := New(16 * mib)
	count := 0
	for {
		if _, err := b.Take(t.Context(), "a", Small, 0); err != nil {
			break
		}
		count++
	}
	if want := 14 * mib / Small; count != want { // its share, and half the reserve
		t.Errorf("%d small loans for one owner, want %d", count, want)
	}
	take(t, b, "b", 2*mib, true)
	for range 4 * mib / Small {
		take(t, b, "b", Small, true)
	}
	take(t, b, "b", Small, false)
}
