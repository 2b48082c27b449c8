// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package lazy makes values on first use. Its functions do what [sync.OnceValue] and [sync.OnceValues] do, which the compiler copies
// into each place that calls them: some 30 copies weighed 60 kB in each program that links toolvet.
package lazy

import (
	"sync"
	"sync/atomic"
)

// Value returns a function that calls make once, and returns its result each time. If make panics, so does the function, and its next
// call tries again. It is safe for concurrent use; make must not call it.
//
//go:noinline
func Value[T any](make func() T) func() T {
	var made latch
	var value T // captured, for a type with type parameters would weigh more than what it saves
	return func() T {
		made.do(func() { value = make() })
		return value
	}
}

// Pair is [Value] for a function with two results.
//
//go:noinline
func Pair[A, B any](make func() (A, B)) func() (A, B) {
	var made latch
	var a A
	var b B
	return func() (A, B) {
		made.do(func() { a, b = make() })
		return a, b
	}
}

// A latch is a [sync.Once] that tries again after a panic.
type latch struct {
	mu   sync.Mutex
	done atomic.Bool
}

//go:noinline
func (o *latch) do(f func()) {
	if o.done.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done.Load() {
		f()
		o.done.Store(true)
	}
}
