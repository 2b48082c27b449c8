// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// A Status is the status of a server's connection.
type Status string

const (
	Idle       Status = "idle"       // not connected; the next use connects
	Connecting Status = "connecting" // being started, or shaking hands
	Ready      Status = "ready"      // connected
	Failed     Status = "failed"     // could not be connected, or was lost
)

// A State describes the connection of a server.
type State struct {
	Server   string
	Status   Status
	Since    time.Time
	Err      error     // the reason of the last failure, until Ready or Idle
	Failures int       // in a row: connections that could not be made or did not last
	Next     time.Time // no attempt to connect before it; zero: the next use connects
	Version  string    // of the protocol, if Ready
}

// States returns the states of all servers, in the order of the Config. It connects to none.
func (s *Set) States() []State {
	states := make([]State, len(s.names))
	for i, name := range s.names {
		p := s.peers[name]
		p.mu.Lock()
		states[i] = p.state
		p.mu.Unlock()
	}
	return states
}

// setState sets a new state. P must be locked, so StateChanged sees the states in order.
func (p *peer) setState(next State) {
	next.Server, next.Since = p.cfg.Name, time.Now()
	p.state = next
	p.set.log.Debug("a server's state is another", "server", next.Server, "status", next.Status)
	if p.set.cfg.StateChanged != nil {
		p.set.cfg.StateChanged(next)
	}
}

const (
	// stable is how long a connection must have lasted for its loss not to count as a failure.
	stable = 30 * time.Second
	// circuitAfter is the number of failures in a row that opens the circuit: requests then fail
	// at once instead of waiting for the next attempt.
	circuitAfter = 3
	firstPause   = 500 * time.Millisecond
	longestPause = time.Minute
)

// backoff returns the pause after a number of failures in a row. It doubles each time, up to a
// minute. Chance shortens it by up to a half, to spread the attempts of many clients.
func backoff(failures int) time.Duration {
	pause := longestPause
	if failures < 8 { // beyond that, 2^7 · 0.5 s is more than a minute
		pause = min(firstPause<<(failures-1), longestPause)
	}
	return pause/2 + rand.N(pause/2)
}

// An UnavailableError reports a server that cannot be connected to.
type UnavailableError struct {
	Next   time.Time // no attempt to connect before it
	Err    error     // of the last one
	server string
	held   bool // no attempt was made for this request
}

// Error promises another attempt only to a caller who could not have one.
func (e *UnavailableError) Error() string {
	if pause := time.Until(e.Next).Round(100 * time.Millisecond); e.held && pause > 0 {
		return fmt.Sprintf("the server %q is not available, and is tried again in %s: %v", e.server, pause, e.Err)
	}
	return fmt.Sprintf("the server %q is not available: %v", e.server, e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// sleep waits, or returns the error of ctx.
func sleep(ctx, set context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-set.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// await waits until done is closed, or returns the error of ctx.
func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A flight is work in progress, with an outcome shared by all waiting callers.
type flight[T any] struct {
	done  chan struct{} // closed when value and err are set
	value T
	err   error
	ended time.Time
}

func newFlight[T any]() *flight[T] { return &flight[T]{done: make(chan struct{})} }

func (f *flight[T]) land(value T, err error) {
	f.value, f.err, f.ended = value, err, time.Now()
	close(f.done)
}

func (f *flight[T]) wait(ctx context.Context) (T, error) {
	if err := await(ctx, f.done); err != nil {
		var none T
		return none, err
	}
	return f.value, f.err
}
