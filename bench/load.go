// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// A phase of the load.
type phase int

const (
	warming phase = iota + 1
	before
	again   // like before, to see how far two phases differ by chance
	harming // the moment when the trouble begins
	trouble
	after
	phases // number of phases
)

// troubled reports whether a phase may have servers in trouble.
func (p phase) troubled() bool { return p == harming || p == trouble }

// pause is the mean time between a client's answer and its next call.
const pause = 500 * time.Millisecond

// A load is a group of clients that call the servers of a fleet, each always the same server.
type load struct {
	url      string
	fleet    *fleet
	patience time.Duration // for an answer that has to come

	phase   atomic.Int32
	reached []atomic.Int32 // by client: the latest phase of a finished call

	mu      sync.Mutex
	tallies [phases][]tally // by server
	err     error           // the first error that the trouble does not excuse
}

// A tally counts the outcomes of calls to one server that began in one phase.
type tally struct {
	series      // the right answers
	told    int // answers that report the server as down
	late    int // refusals because a check did not finish in time
	givenUp int // calls without an answer in time
}

// start starts clients, and returns when each has a session. They call until ctx is done; then the returned function
// ends their sessions.
func (l *load) start(ctx context.Context, clients int) (leave func(), err error) {
	l.reached = make([]atomic.Int32, clients)
	for p := range l.tallies {
		l.tallies[p] = make([]tally, len(l.fleet.members))
	}
	sessions := make([]*httpClient, clients)
	for i := range sessions {
		within, cancel := context.WithTimeout(ctx, l.patience)
		sessions[i], err = connect(within, l.url, nil)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("client %d: %w", i, err)
		}
		sessions[i].ctx = ctx
	}
	var all sync.WaitGroup
	for i, c := range sessions {
		all.Go(func() { l.run(ctx, i, c) })
	}
	return func() {
		all.Wait()
		for _, c := range sessions {
			all.Go(c.close)
		}
		all.Wait()
	}, nil
}

// run makes the calls of client i.
func (l *load) run(ctx context.Context, i int, c *httpClient) {
	which := i % len(l.fleet.members)
	for {
		select {
		case <-time.After(rand.N(2 * pause)):
		case <-ctx.Done():
			return
		}
		p := phase(l.phase.Load())
		patience := l.patience
		if p.troubled() && which == hanging {
			patience = time.Second
		}
		within, cancel := context.WithTimeout(ctx, patience)
		began := time.Now()
		id, err := c.call(within, &l.fleet.members[which].call)
		took := time.Since(began)
		cancel()
		if ctx.Err() != nil {
			return // the call was cut off
		}
		if errors.Is(err, context.DeadlineExceeded) {
			_, cancelErr := c.post(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id), "")
			if cancelErr != nil && ctx.Err() == nil {
				err = cancelErr
			}
		}
		l.count(p, which, took, err)
		l.reached[i].Store(int32(p))
	}
}

// count counts a call that began in a phase.
func (l *load) count(p phase, which int, took time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &l.tallies[p][which]
	troubled := p.troubled() || phase(l.phase.Load()).troubled()
	switch {
	case err == nil:
		t.latencies = append(t.latencies, took)
	case errors.Is(err, errLate):
		t.late++
	case troubled && which == killed && errors.Is(err, errOther):
		t.told++
	case troubled && which == hanging && errors.Is(err, context.DeadlineExceeded):
		t.givenUp++
	case l.err == nil:
		l.err = fmt.Errorf("%s, phase %d, after %v: %w", l.fleet.members[which].name, p, took, err)
	}
}

// pass runs a phase for a time, and until each client has finished a call that began in it.
func (l *load) pass(ctx context.Context, p phase, d time.Duration) error {
	l.phase.Store(int32(p))
	timer := time.After(d)
	select {
	case <-timer:
	case <-ctx.Done():
	}
	for i := range l.reached {
		for phase(l.reached[i].Load()) < p {
			select {
			case <-time.After(10 * time.Millisecond):
			case <-ctx.Done():
				return fmt.Errorf("client %d of %s has no answer: %w", i, l.fleet.members[i%len(l.fleet.members)].name, context.Cause(ctx))
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// others adds up the outcomes of calls to the healthy servers.
func (l *load) others(p phase) (sum tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, t := range l.tallies[p] {
		if i != killed && i != hanging {
			sum.latencies = append(sum.latencies, t.latencies...)
			sum.late += t.late
		}
	}
	return sum
}
