// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package busy measures how long work waits for a processor, so that a bound of time is a promise of toolvet and not of
// whoever else uses the machine.
package busy

import (
	"crypto/sha256"
	"runtime"
	"time"
)

// A Load is what samples of work took. The zero value is one of an idle machine.
type Load struct {
	cpu, wall time.Duration
}

// Sample does a few milliseconds of work. Call it before and after what has the bound.
func (l *Load) Sample() {
	runtime.LockOSThread() // so that its time is that of this work
	defer runtime.UnlockOSThread()
	began, before := time.Now(), spent()
	for block := make([]byte, 64<<10); spent()-before < 4*time.Millisecond; {
		sha256.Sum256(block)
	}
	l.wall += time.Since(began)
	l.cpu += spent() - before
}

// Times is d, as much longer as the sampled work took than it would have alone.
func (l *Load) Times(d time.Duration) time.Duration {
	if l.cpu == 0 {
		return d
	}
	return time.Duration(float64(d) * max(1, l.wall.Seconds()/l.cpu.Seconds()))
}
