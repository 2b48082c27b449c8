// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"log/slog"
	"sync"

	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/notify"
	"github.com/toolvet/toolvet/schedule/server"
	"github.com/toolvet/toolvet/upstream"
)

// A runner runs the jobs of a policy's store, and offers the scheduler to clients.
type runner struct {
	*schedule.Scheduler
	door  *server.Server
	store schedule.Store
	log   *slog.Logger

	mu    sync.Mutex
	ctx   context.Context // nil while no jobs are run
	tasks sync.WaitGroup
}

// newRunner opens the store. Door says what its MCP server asks.
func newRunner(ctx context.Context, p *plan, servers jobServers, supervisor []string, door server.Config) (*runner, error) {
	notifier := notify.New(notify.Config{
		Webhook: p.said.Alerts.Webhook, Secret: p.said.Alerts.WebhookSecret, Command: p.said.Alerts.Command, Supervisor: supervisor, Logger: p.log,
	})
	r := &runner{log: p.log}
	var err error
	if r.Scheduler, r.store, err = p.open(ctx, servers, notifier.Tell, func(a schedule.Alert) { r.door.Alert(a) }); err != nil {
		return nil, err
	}
	door.Scheduler, door.Logger = r.Scheduler, p.log
	r.door = server.New(door)
	return r, nil
}

// run runs jobs until ctx is done.
func (r *runner) run(ctx context.Context) error {
	r.mu.Lock()
	r.ctx = ctx
	r.mu.Unlock()
	err := r.Serve(ctx)
	r.mu.Lock()
	r.ctx = nil
	r.mu.Unlock()
	r.tasks.Wait()
	return err
}

// recheck has the runs of a server validated soon, "" of all. It does not wait.
func (r *runner) recheck(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx := r.ctx
	if ctx == nil {
		return
	}
	r.tasks.Go(func() {
		if err := r.Recheck(ctx, name); err != nil && ctx.Err() == nil {
			r.log.Error("jobs could not be validated after a change", "server", name, "err", err)
		}
	})
}

// heard hears what servers say: that their tools are others.
func (r *runner) heard(n upstream.Notification) {
	if n.Method == "notifications/tools/list_changed" {
		r.recheck(n.Server)
	}
}

func (r *runner) close() {
	if err := r.store.Close(); err != nil {
		r.log.Warn("the store could not be closed", "err", err)
	}
}
