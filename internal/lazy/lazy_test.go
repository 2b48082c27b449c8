// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package lazy

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestValue(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	get := Value(func() int { return int(calls.Add(1)) })
	if calls.Load() != 0 {
		t.Fatal("it was made before anybody asked")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := get(); got != 1 {
				t.Errorf("it is %d, want 1", got)
			}
		})
	}
	all.Wait()
	if n := calls.Load(); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}

// TestPanic holds that a value that could not be made is never taken for one that was.
func TestPanic(t *testing.T) {
	t.Parallel()
	calls := 0
	get := Value(func() string {
		if calls++; calls < 3 {
			panic("broken")
		}
		return "made"
	})
	for range 2 {
		func() {
			defer func() {
				if recover() != "broken" {
					t.Error("it did not panic")
				}
			}()
			t.Errorf("it is %q", get())
		}()
	}
	if got := get(); got != "made" {
		t.Errorf("it is %q", got)
	}
}

func TestPair(t *testing.T) {
	t.Parallel()
	calls, broken := 0, errors.New("broken")
	get := Pair(func() (int, error) { calls++; return calls, broken })
	for range 2 {
		if got, err := get(); got != 1 || !errors.Is(err, broken) {
			t.Errorf("it is %d, %v", got, err)
		}
	}
}
