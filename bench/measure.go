// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// counts has the numbers of calls and rounds.
type counts struct {
	rounds     int // of each path, in turn
	sequential int // calls of a round, one after another
	flood      int // calls of a round, inFlight at once
	warmUp     int // calls before the first round
}

// inFlight is the number of concurrent calls in a measurement of throughput.
const inFlight = 16

// A path is a way to a server.
type path struct {
	name string
	open func(context.Context) (caller, error)
}

// A caller makes calls on an open path, and checks each answer.
type caller interface {
	// sequential makes calls one after another and returns their times.
	sequential(e *echo, n int) ([]time.Duration, error)
	// flood makes calls, inFlight of them at once, and returns the total time.
	flood(e *echo, n int) (time.Duration, error)
	// pid returns the process whose processor time counts, or 0.
	pid() int
	close()
}

// A series has the measurements of one path.
type series struct {
	path       string
	latencies  []time.Duration // of the sequential calls
	flooding   time.Duration   // for flooded calls
	flooded    int
	cpuOne     time.Duration // of the path's first process, in the sequential calls
	cpuFlood   time.Duration // and in the flooded calls
	cpuUnknown bool
}

// percentile returns the latency that a share of the calls do not exceed.
func (s *series) percentile(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(s.latencies))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// perSecond returns the throughput with inFlight calls at once.
func (s *series) perSecond() float64 {
	if s.flooding <= 0 {
		return 0
	}
	return float64(s.flooded) / s.flooding.Seconds()
}

// measure measures all paths to one server, with an argument of one size.
func measure(ctx context.Context, paths []path, size int, n counts) ([]*series, error) {
	e, err := newEcho(size)
	if err != nil {
		return nil, err
	}
	all := make([]*series, len(paths))
	callers := make([]caller, len(paths))
	for i, p := range paths {
		all[i] = &series{path: p.name}
		if callers[i], err = p.open(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		defer callers[i].close()
		if _, err := callers[i].flood(e, n.warmUp); err != nil {
			return nil, fmt.Errorf("%s: warming up: %w", p.name, err)
		}
	}
	for round := range n.rounds {
		for i := range paths {
			i = (i + round) % len(paths) // so that no path always follows the same other
			if err := all[i].round(callers[i], e, n); err != nil {
				return nil, fmt.Errorf("%s: round %d: %w", paths[i].name, round, err)
			}
		}
	}
	return all, nil
}

func (s *series) round(c caller, e *echo, n counts) error {
	before, ok1 := cpuTime(c.pid())
	latencies, err := c.sequential(e, n.sequential)
	if err != nil {
		return err
	}
	between, ok2 := cpuTime(c.pid())
	flooding, err := c.flood(e, n.flood)
	if err != nil {
		return err
	}
	after, ok3 := cpuTime(c.pid())
	s.latencies = append(s.latencies, latencies...)
	s.flooding += flooding
	s.flooded += n.flood
	s.cpuOne += between - before
	s.cpuFlood += after - between
	s.cpuUnknown = s.cpuUnknown || !ok1 || !ok2 || !ok3
	return nil
}
