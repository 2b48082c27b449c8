// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/serving"
	"github.com/toolvet/toolvet/upstream"
)

// A trial starts each server of the policy once, for nobody, and ends it again. A load balancer learns from it when to send clients: their
// servers start at their first list only, so without a trial no server would ever have started before the first client. It begins with the first
// request for readiness, and is made once: no later policy, and no server that fails, takes this toolvet out of service.
type trial struct {
	cancel context.CancelFunc

	mu     sync.Mutex
	begun  bool
	over   bool
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
	if !w.trial.begun && !w.closed {
		var ctx context.Context
		ctx, w.trial.cancel = context.WithCancel(context.Background())
		w.trial.begun = true
		w.retired.Go(func() { w.try(ctx) })
	}
	return w.trial.over
}

// try makes the trial.
func (w *web) try(ctx context.Context) {
	failed := map[*served]error{}
	var mu sync.Mutex
	var starting sync.WaitGroup
	for _, s := range w.s.upstreams() {
		one := w.s.named(s.Name)
		if one == nil || one.fault != nil || s.Dialer == nil { // the last is in this process
			continue
		}
		if s.CountFor != nil {
			s.Dialer = s.CountFor(nobody, s.Dialer)
		}
		starting.Go(func() {
			if err := w.start(ctx, s.Server); err != nil {
				mu.Lock()
				failed[one] = err
				mu.Unlock()
			}
		})
	}
	starting.Wait()
	w.trial.mu.Lock()
	w.trial.over, w.trial.failed = true, failed
	w.trial.mu.Unlock()
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

// failure is why a server did not start in the trial; nil: it has, or was not tried, or a client has connected since: its connection
// shows something newer, also when it is gone.
func (t *trial) failure(server *served, connected bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if connected {
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
