// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/access/auth"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/streamable"
	"github.com/toolvet/toolvet/record"
	"github.com/toolvet/toolvet/schedule/server"
	pages "github.com/toolvet/toolvet/schedule/web"
)

// scheduleServeFlags are the flags of "toolvet schedule serve".
type scheduleServeFlags struct {
	listen     string
	background bool
	guard      httpguard.Guard
}

func (a *app) scheduleServe(flags *scheduleFlags) *cobra.Command {
	var own scheduleServeFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Run jobs, and offer the scheduler as an MCP server", Args: cobra.NoArgs,
		Long: `Run jobs, and offer the scheduler to clients as an MCP server on standard input and
output; with --listen over Streamable HTTP, and web pages of the jobs at /schedule/; with
--background to none. Any number of processes may serve the same jobs.

On SIGTERM no more runs begin, and those under way have 30 seconds to end.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if own.listen != "" {
				p, err := a.plan(flags)
				if err != nil {
					return err
				}
				if err := auth.CheckListen(own.listen, p.policy.Authorization); err != nil {
					return usageError(cmd, "--listen: %v", err)
				}
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			return a.serveSchedule(ctx, flags, own)
		},
	}
	f := cmd.Flags()
	f.StringVar(&own.listen, "listen", "", "`ADDRESS` to take clients at over Streamable HTTP, such as 127.0.0.1:8080; default: standard input")
	f.BoolVar(&own.background, "background", false, "take no clients: only run jobs")
	f.StringSliceVar(&own.guard.Hosts, "allow-host", nil, "`NAME` that clients may call this machine by, beside its address and localhost")
	f.StringSliceVar(&own.guard.Origins, "allow-origin", nil, "`ORIGIN` of web pages that may make calls, such as https://app.example.org")
	return cmd
}

func (a *app) serveSchedule(ctx context.Context, flags *scheduleFlags, own scheduleServeFlags) error {
	p, err := a.plan(flags)
	if err != nil {
		return err
	}
	supervisor, err := supervisor()
	if err != nil {
		return err
	}
	record, err := record.Open(p.policy.Log, record.Options{Logger: p.log})
	if err != nil {
		return err
	}
	defer record.Close(context.WithoutCancel(ctx))
	servers, err := openFleet(p, record)
	if err != nil {
		return err
	}
	defer servers.end(ctx)
	asked := newAuthGate(nil, p.log) // in front of clients that come over HTTP
	var r *runner
	said := &jobPolicy{file: p.flags.policy, enforce: &access.Enforcer{Server: scheduleServer, Log: p.log, Counters: &servers.counters,
		View: func(ctx context.Context, c *call.Call) (*call.Call, error) { return r.door.View(ctx, c) }}}
	if err := said.load(); err != nil {
		return err
	}
	permitted := newJobAccess(said.gate, record, p.log)
	r, err = newRunner(ctx, p, servers, supervisor, server.Config{
		Name: scheduleServer, Gate: said.with, Permit: permitted.permit, Apart: func() bool { return own.listen != "" && asked.authorization() != nil && !p.said.Shared },
	})
	if err != nil {
		return err
	}
	defer r.close()
	defer servers.Subscribe(r.heard)()

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { servers.watch(ctx, p, func() error { r.recheck(""); return said.load() }) })
	var doorErr error
	all.Go(func() {
		if !own.background {
			doorErr = a.scheduleDoor(ctx, own, p, asked, r, permitted)
			stop() // the client is gone
		}
	})
	err = r.run(ctx)
	stop()
	all.Wait()
	return errors.Join(err, doorErr)
}

// scheduleDoor serves clients until ctx is done or the only client is gone.
func (a *app) scheduleDoor(ctx context.Context, own scheduleServeFlags, p *plan, asked *authGate, r *runner, permitted *jobAccess) error {
	if own.listen == "" {
		return r.door.Serve(ctx, *p.owner(), a.stdin, a.stdout)
	}
	if err := asked.set(p.policy.Authorization); err != nil {
		return err
	}
	caller := func(r *http.Request) call.Session { return who(r, *p.owner()) }
	front := streamable.NewFront(streamable.FrontConfig{
		Serve: func(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
			return r.door.Serve(ctx, who, in, out)
		},
		Who: func(r *http.Request) (string, call.Session) {
			s := caller(r)
			return s.Principal(), s
		},
		Logger: p.log,
	})
	mux := http.NewServeMux()
	mux.Handle(endpoint, asked.handler(front))
	mux.Handle("/.well-known/", asked.handler(http.NotFoundHandler()))
	mux.Handle(pages.Path, pages.New(pages.Config{ // which ask for tokens themselves
		Scheduler: r.Scheduler, Authorization: asked.asks, Who: caller, Permit: permitted.permit, Apart: func() bool { return asked.authorization() != nil && !p.said.Shared }, Logger: p.log,
	}))
	mux.Handle("GET /{$}", http.RedirectHandler(pages.Path, http.StatusSeeOther))
	own.guard.Hosts = slices.Concat(own.guard.Hosts, asked.hosts())
	handler, err := own.guard.Handler(mux)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", own.listen)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	fmt.Fprintf(a.stderr, "toolvet: listening at http://%s%s, pages at http://%[1]s%s\n", listener.Addr(), endpoint, pages.Path)
	return serveHTTP(ctx, listener, handler, front.Close, p.log)
}
