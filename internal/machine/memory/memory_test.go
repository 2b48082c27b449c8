// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"runtime/debug"
	"testing"
	"time"
)

// TestManage holds that what a burst leaves is given back, and that a large heap is collected
// more often. It is not parallel: it is about the whole process.
func TestManage(t *testing.T) {
	t.Setenv("GOGC", "") // and keeps the test from being parallel
	before := debug.SetGCPercent(100)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); manage(ctx, 20*time.Millisecond, true) }()
	defer func() {
		stop()
		<-done
		debug.SetGCPercent(before)
	}()
	burst := make([][]byte, 200)
	for i := range burst {
		burst[i] = make([]byte, 1<<20)
		for j := range burst[i] {
			burst[i][j] = 1
		}
	}
	held := read().held
	if held < 200<<20 {
		t.Fatalf("%d bytes are held with 200 MiB in use", held)
	}
	clear(burst)
	for deadline := time.Now().Add(time.Minute); read().held > held-150<<20; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes are still held", read().held)
		}
	}
}

func TestPercentOf(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 100, 11 << 20: 100, 12 << 20: 400, 16 << 20: 400, 32 << 20: 200, 64 << 20: 100, 1 << 40: 100} {
		if got := percentOf(live); got != want {
			t.Errorf("of %d bytes: %d, want %d", live, got, want)
		}
	}
}

func TestBorrow(t *testing.T) {
	set := func() int {
		percent := debug.SetGCPercent(100)
		debug.SetGCPercent(percent)
		return percent
	}
	t.Setenv("GOGC", "")
	before, limit := set(), debug.SetMemoryLimit(-1)
	restore := Borrow()
	if got := set(); got != borrowed {
		t.Errorf("GOGC is %d, want %d", got, borrowed)
	}
	if got := debug.SetMemoryLimit(-1); got > ceiling {
		t.Errorf("%d bytes are allowed", got)
	}
	restore()
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("%d bytes are allowed afterwards, want %d", got, limit)
	}
	if got := set(); got != before {
		t.Errorf("GOGC is %d afterwards, want %d", got, before)
	}
	t.Setenv("GOGC", "77")
	defer Borrow()()
	if got := set(); got != before {
		t.Errorf("GOGC is %d although the environment sets it", got)
	}
}
