// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"slices"
	"time"
)

// The schedulers that serve a store need not be alike: some know other servers, and while a new policy is rolled out, some
// have the old one. Each tells the others about itself with its heartbeat, and leaves to them what they can do better:
//
//   - A run is for those that know its server. If there is none, it waits.
//   - Of those, it is for the ones with the policy that began last. A worker that starts again with a policy that others still
//     have does not begin it anew.
//   - The same holds for validations ahead. If nobody knows the server, anybody validates, so that its jobs' health tells.

// describe returns what this worker says of itself.
func (e *engine) describe(id string, fleet []*Worker) *Worker {
	servers, rules := e.tuning.Serves()
	w := &Worker{ID: id, Started: e.began, Servers: servers, Policy: rules, Skew: Duration(e.clock.ahead())}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.self != nil && e.self.Policy == w.Policy {
		w.Since = e.self.Since
	} else {
		w.Since = e.now()
	}
	for _, other := range fleet {
		if other.Policy == w.Policy && other.Since.Before(w.Since) {
			w.Since = other.Since
		}
	}
	e.self = w
	return w
}

// better reports whether a worker is to do the work of a server rather than this one.
func (e *engine) better(other *Worker, server string) bool {
	e.mu.Lock()
	self := e.self
	e.mu.Unlock()
	switch {
	case other.ID == self.ID || !other.Knows(server):
		return false
	case !self.Knows(server):
		return true
	case other.Policy == self.Policy:
		return false
	case !other.Since.Equal(self.Since):
		return other.Since.After(self.Since)
	}
	return other.Policy > self.Policy
}

// mixed reports whether another worker has another policy.
func (e *engine) mixed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.fleet, func(w *Worker) bool { return w.Policy != e.self.Policy })
}

// room returns how many runs of a server this worker may begin, for [Capacity].
func (e *engine) room(server string, fleet []*Worker) int {
	e.mu.Lock()
	knows := e.self.Knows(server)
	free := e.free(server)
	e.mu.Unlock()
	if !knows || slices.ContainsFunc(fleet, func(w *Worker) bool { return e.better(w, server) }) {
		return 0
	}
	return free
}

// fleetAge is how long what is known of the other workers counts for validations ahead.
const fleetAge = time.Second

// judges reports whether this worker validates the jobs of a server.
func (e *engine) judges(ctx context.Context, server string) bool {
	e.mu.Lock()
	fleet, old := e.fleet, time.Since(e.looked) > fleetAge
	e.mu.Unlock()
	if old {
		list, err := e.store.Workers(ctx)
		if err != nil {
			return false // the store fails, and says so elsewhere
		}
		e.mu.Lock()
		e.fleet, e.looked = list, time.Now()
		e.mu.Unlock()
		fleet = list
	}
	return !slices.ContainsFunc(fleet, func(w *Worker) bool { return e.better(w, server) })
}
