// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"log/slog"
	"sync"

	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/cmd/internal/jobs/notify"
	"github.com/toolvet/toolvet/cmd/internal/jobs/server"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/upstream"
)

// A runner runs the jobs of a policy's store, and offers the scheduler to clients.
type runner struct {
	*schedule.Scheduler
	door  *server.Server
	store schedule.Store
	log   *slog.Logger

	mu    sync.Mutex
	ctx   context.Context // nil while no jobs run
	tasks sync.WaitGroup
}

// newRunner opens the store. Door configures the MCP server.
func newRunner(ctx context.Context, p *Plan, servers jobServers, supervisor []string, door server.Config) (*runner, error) {
	notifier := notify.New(notify.Config{
		Webhook: p.schedule.Alerts.Webhook, Secret: p.schedule.Alerts.WebhookSecret,
		Command: p.schedule.Alerts.Command, Supervisor: supervisor, Logger: p.log,
	})
	r := &runner{log: p.log}
	var err error
	if r.Scheduler, r.store, err = p.open(ctx, p.openStore, servers, notifier.Tell, func(a schedule.Alert) { r.door.Alert(a) }); err != nil {
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

// recheck asks for a validation of the coming runs of a server's jobs, or of all jobs for "". It does not wait.
func (r *runner) recheck(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx := r.ctx
	if ctx == nil {
		return
	}
	r.tasks.Go(func() {
		if err := inside.Of(r.Scheduler).Recheck(ctx, name); err != nil && ctx.Err() == nil {
			r.log.Error("jobs could not be validated after a change", "server", name, "err", err)
		}
	})
}

// heard takes a notification of a server. Changed tools lead to a validation of the jobs that call them.
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
