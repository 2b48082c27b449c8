// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package memory tunes the garbage collector for processes that hold little memory and allocate much:
// they collect seldom, and return memory after a burst.
package memory

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// tiny, small and large are the GOGC of tiny, small and large heaps. Against 100, a GOGC of 400 saves a
	// fifth of the work with large messages, for some 10 MiB. A heap below modest bytes holds no large
	// messages: to collect it takes a millisecond or two, every thousand calls.
	tiny, small, large = 100, 400, 100
	modest             = 12 << 20
	// borrowed is the GOGC of Borrow. With it, the audit of a large bundle took 5.0 s and 820 MB
	// instead of 5.5 s and 650 MB.
	borrowed = 200
	// ceiling is the memory limit of a process that borrows, in bytes: beyond it, the process collects
	// as often as necessary.
	ceiling = 1 << 30
	// managed is the memory limit of a process that is managed, in bytes: beyond it, the process collects
	// as often as necessary. The loans of package budget stay below it, with room for the rest.
	managed = 384 << 20
	// spare bounds the allocation between collections of a large heap, in bytes.
	spare = 64 << 20
	// quiet bounds the allocation of an idle process in an interval, and surplus is the least unused
	// memory worth returning, both in bytes.
	quiet, surplus = 4 << 20, 8 << 20
	// seldom is the number of intervals between two looks of an idle process.
	seldom   = 12
	interval = 5 * time.Second
	// first is the time to the first look. Each further one takes twice as long, up to an interval: what the start leaves
	// is returned soon.
	first = 50 * time.Millisecond
)

// Borrow lets a process that works for seconds collect half as often until it calls restore, for a
// quarter more memory. Beyond a gigabyte it takes no more than necessary. If the environment sets GOGC,
// Borrow changes nothing.
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

// Manage manages the memory of the process until ctx is done: when the process is idle after its start or after a burst, it
// returns memory, and the pages of the program's file that it read (Linux), which come back as they are needed. If the
// environment sets GOGC, Manage does not set how often the process collects. It bounds the memory unless the environment sets
// GOMEMLIMIT, too.
func Manage(ctx context.Context) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(managed)
	}
	go manage(ctx, interval, os.Getenv("GOGC") == "")
}

func manage(ctx context.Context, every time.Duration, tune bool) {
	if tune {
		debug.SetGCPercent(small)
	}
	next := min(first, every)
	tick := time.NewTimer(next)
	defer tick.Stop()
	percent := small // of the start, which makes little garbage
	before := read()
	freed, ticks, started := uint64(0), 0, false // allocation at the last return of memory, and the intervals since
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		next = min(2*next, every)
		tick.Reset(next)
		now := read()
		ticks++
		idle := now.allocated-before.allocated < quiet
		// The live size is known only from the last collection, which may have been in the burst.
		if worth := now.allocated-freed >= quiet || ticks >= seldom; idle && (worth || !started) {
			if now.held > surplus || !started {
				debug.FreeOSMemory()
			}
			returnProgram()
			started = true
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

// percentOf returns the GOGC for a heap of a size in bytes.
func percentOf(live uint64) int {
	if live < modest {
		return tiny
	}
	return int(min(small, max(large, 100*spare/max(live, 1))))
}

// A reading has the runtime's metrics of the heap, in bytes.
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
		if samples[i].Value.Kind() != metrics.KindUint64 { // unknown to this runtime
			return 0
		}
		return samples[i].Value.Uint64()
	}
	return reading{allocated: value(0), live: value(1), held: value(2) + value(3) + value(4)}
}
