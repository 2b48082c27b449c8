// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/serving"
	"github.com/toolvet/toolvet/upstream"
)

// A trial starts each server of the policy once, for nobody, and ends it again. A load balancer learns from it when to send clients: their
// servers start at their first list only, so without a trial no server would ever have started before the first client. It begins with the first
// request for readiness. A later policy has its new servers tried as well, but neither that nor a server that fails takes this toolvet out of service.
type trial struct {
	cancel context.CancelFunc

	turn   sync.Mutex // held while servers are tried: a policy that changes back and forth does not start a server many times at once
	mu     sync.Mutex
	again  func() // tries in the background the servers that have not been; nil: the trial has not begun
	over   bool
	tried  map[*served]bool
	failed map[*served]error
}

// endWithin bounds the polite end of the servers that a trial has started.
const endWithin = 5 * time.Second

// nobody is the principal of a trial, which is no client's.
var nobody = call.Session{Claims: map[string]any{"toolvet": "trial"}}

// readiness tells whether a load balancer should send clients: once each server has started or failed, and until the shutdown. It does not wait.
func (w *web) readiness() (status string, code int) {
	switch {
	case serving.Of(w.s.gateway).Draining():
		return "draining", http.StatusServiceUnavailable
	case !w.tried():
		return "starting", http.StatusServiceUnavailable
	}
	return "ready", http.StatusOK
}

// tried reports whether the trial is over. It begins one if there was none.
func (w *web) tried() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trial.mu.Lock()
	defer w.trial.mu.Unlock()
	if w.trial.again == nil && !w.closed {
		var ctx context.Context
		ctx, w.trial.cancel = context.WithCancel(context.Background())
		w.trial.tried, w.trial.failed = map[*served]bool{}, map[*served]error{}
		w.trial.again = func() { w.retired.Go(func() { w.try(ctx) }) }
		w.retired.Go(func() {
			w.try(ctx)
			w.trial.mu.Lock()
			w.trial.over = true
			w.trial.mu.Unlock()
		})
	}
	return w.trial.over
}

// tryChanged tries the servers of a changed policy, if the trial has begun. W must be locked.
func (w *web) tryChanged() {
	w.trial.mu.Lock()
	defer w.trial.mu.Unlock()
	if w.trial.again != nil && !w.closed {
		w.trial.again()
	}
}

// try tries the servers that have not been.
func (w *web) try(ctx context.Context) {
	w.trial.turn.Lock()
	defer w.trial.turn.Unlock()
	var starting sync.WaitGroup
	for _, s := range w.s.upstreams() {
		one := w.s.named(s.Name)
		if one == nil || one.fault != nil || s.Dialer == nil || !w.trial.first(one) { // a server without a dialer is in this process
			continue
		}
		if s.CountFor != nil {
			s.Dialer = s.CountFor(nobody, s.Dialer)
		}
		starting.Go(func() {
			if err := w.start(ctx, s.Server); err != nil {
				w.trial.fail(one, err)
			}
		})
	}
	starting.Wait()
	w.trial.forget(func(one *served) bool { return w.s.named(one.name) == one })
}

// first reports whether nobody has tried a server yet.
func (t *trial) first(server *served) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.tried[server]
	t.tried[server] = true
	return !before
}

// fail notes that a server did not start.
func (t *trial) fail(server *served, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed[server] = err
}

// forget drops the servers that are served no more.
func (t *trial) forget(still func(*served) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for server := range t.tried {
		if !still(server) {
			delete(t.tried, server)
			delete(t.failed, server)
		}
	}
}

// start starts a server, reads its tools, and ends it.
func (w *web) start(ctx context.Context, server upstream.Server) error {
	set, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{server}, Logger: backend.Reporting(w.s.log)})
	if err != nil {
		return err
	}
	_, err = set.Tools(ctx, server.Name)
	end, cancel := context.WithTimeout(ctx, endWithin) // at a shutdown by force
	w.retired.Go(func() {
		defer cancel()
		set.Close(end)
	})
	return err
}

// failure is why a server did not start in the trial; nil: it has, or was not tried, or a client's connection has been ready since, also when
// that is gone. A connection that has failed too changes nothing.
func (t *trial) failure(server *served, connections []connection) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.ContainsFunc(connections, func(c connection) bool { return c.Status == upstream.Ready }) {
		delete(t.failed, server)
	}
	return t.failed[server]
}

// end stops a trial that is under way.
func (t *trial) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel != nil {
		t.cancel()
	}
}
