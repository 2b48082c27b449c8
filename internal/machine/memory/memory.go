// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package memory has a process that holds little and allocates much collect seldom, and give
// back what a burst has left.
package memory

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// small and large are GOGC of a small heap and of a large one. With 400 there is a fifth
	// less work with large messages than with 100, for some 10 MiB.
	small, large = 400, 100
	// borrowed is GOGC of Borrow: when it was chosen, a large bundle took 5.0 s and 820 MB to audit instead of 5.5 s and 650 MB.
	borrowed = 200
	// ceiling is what a process that borrows should need at most, in bytes: beyond it, it collects as often as it must.
	ceiling = 1 << 30
	// spare is what may be allocated beyond a heap of any size until it is collected, in bytes.
	spare = 64 << 20
	// quiet is what a process allocates at most in an interval in which it is idle, in bytes,
	// and surplus is what it then holds that is worth giving back.
	quiet, surplus = 4 << 20, 16 << 20
	// seldom is how many intervals pass until an idle process looks again.
	seldom   = 12
	interval = 5 * time.Second
)

// Borrow has a process that works for seconds, and ends, collect half as often until restore is called, for a
// quarter more memory, and no more than it needs beyond a gigabyte. Where the environment sets GOGC, it changes nothing.
func Borrow() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(borrowed)
	limit := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(limit, ceiling))
	return func() {
		debug.SetGCPercent(before)
		debug.SetMemoryLimit(limit)
	}
}

// Manage manages the memory of the process until ctx is done. Where the environment sets GOGC,
// it gives back alone.
func Manage(ctx context.Context) { go manage(ctx, interval, os.Getenv("GOGC") == "") }

func manage(ctx context.Context, every time.Duration, tune bool) {
	if tune {
		debug.SetGCPercent(small)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	percent := small
	before := read()
	freed, ticks := uint64(0), 0 // what had been allocated when memory was last given back, and how long ago that was
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := read()
		ticks++
		idle := now.allocated-before.allocated < quiet
		// What is live is known of the last collection alone, which may have been in the burst.
		if worth := now.allocated-freed >= quiet || ticks >= seldom; idle && worth && now.held > surplus {
			debug.FreeOSMemory()
			now = read()
			freed, ticks = now.allocated, 0
		}
		if p := percentOf(now.live); tune && p != percent {
			percent = p
			debug.SetGCPercent(p)
		}
		before = now
	}
}

// percentOf is GOGC for a heap of so many bytes.
func percentOf(live uint64) int {
	return int(min(small, max(large, 100*spare/max(live, 1))))
}

// A reading is what the runtime says of the heap, in bytes.
type reading struct {
	allocated uint64 // since the start
	live      uint64 // at the last collection
	held      uint64 // of the operating system
}

func read() reading {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	value := func(i int) uint64 {
		if samples[i].Value.Kind() != metrics.KindUint64 { // of a runtime that does not have it
			return 0
		}
		return samples[i].Value.Uint64()
	}
	return reading{allocated: value(0), live: value(1), held: value(2) + value(3) + value(4)}
}
