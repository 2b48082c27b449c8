// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A renewed value is fetched from elsewhere. All callers share one fetch at a time, and fetches keep a distance from
// each other, for the sake of the other side.
type renewed[T any] struct {
	fetch func(ctx context.Context) (T, error)
	pause time.Duration // least time after a successful fetch

	mu       sync.Mutex
	value    T
	at       time.Time // start of the fetch of value, since the other side may have changed it from then on; zero: never
	tried    time.Time // start of the last fetch
	err      error     // of the last fetch
	failures int       // in a row
	flight   chan struct{}
}

const (
	fetchTimeout = 10 * time.Second
	firstPause   = time.Second // after a failure; it doubles with each further one
	maxPause     = time.Minute
)

// current returns the value, and the time at which its fetch began.
func (r *renewed[T]) current() (T, time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.value, r.at
}

// renew fetches the value, or waits for the fetch under way. If the last fetch is too recent, its outcome stands.
func (r *renewed[T]) renew(ctx context.Context) error {
	r.mu.Lock()
	flight := r.start()
	err := r.err
	r.mu.Unlock()
	if flight == nil {
		return err
	}
	select {
	case <-flight:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// renewSoon calls renew without waiting.
func (r *renewed[T]) renewSoon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.start()
}

// start returns a channel that is closed at the end of the fetch under way, or nil if it is too early for another
// fetch.
func (r *renewed[T]) start() <-chan struct{} {
	if r.flight != nil {
		return r.flight
	}
	if time.Since(r.tried) < r.wait() {
		return nil
	}
	r.flight, r.tried = make(chan struct{}), time.Now()
	go r.fly()
	return r.flight
}

func (r *renewed[T]) wait() time.Duration {
	if r.failures == 0 {
		return r.pause
	}
	return min(firstPause<<min(r.failures-1, 10), maxPause)
}

func (r *renewed[T]) fly() {
	value, err := r.guarded()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err = err; err == nil {
		r.value, r.at, r.failures = value, r.tried, 0
	} else {
		r.failures++
	}
	close(r.flight)
	r.flight = nil
}

// guarded turns a panic into an error: the data comes from elsewhere.
func (r *renewed[T]) guarded() (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("reading the answer: panic: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	return r.fetch(ctx)
}
