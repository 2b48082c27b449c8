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
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/auth"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/httpguard"
	"github.com/toolvet/toolvet/internal/streamable"
	"github.com/toolvet/toolvet/recorder"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/notify"
	"github.com/toolvet/toolvet/schedule/server"
	pages "github.com/toolvet/toolvet/schedule/web"
	"github.com/toolvet/toolvet/upstream"
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
				if err := auth.CheckListen(own.listen, nil); err != nil {
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
	notifier := notify.New(notify.Config{
		Webhook: p.said.Alerts.Webhook, Secret: p.said.Alerts.WebhookSecret, Command: p.said.Alerts.Command, Supervisor: supervisor, Logger: p.log,
	})
	record, err := recorder.Open(p.policy.Audit, recorder.Options{Logger: p.log})
	if err != nil {
		return err
	}
	defer record.Close(context.WithoutCancel(ctx))
	var door *server.Server
	s, servers, closeAll, err := a.scheduler(ctx, p, record, notifier.Tell, func(alert schedule.Alert) { door.Alert(alert) })
	if err != nil {
		return err
	}
	defer closeAll()
	door = server.New(server.Config{Scheduler: s, Checks: suite.Default(), Logger: p.log})

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { servers.watch(ctx, p, func() error { return s.Recheck(ctx, "") }) })
	defer servers.Subscribe(func(n upstream.Notification) {
		if n.Method == "notifications/tools/list_changed" {
			go func() {
				if err := s.Recheck(ctx, n.Server); err != nil && ctx.Err() == nil {
					p.log.Error("jobs could not be validated after a server's tools changed", "server", n.Server, "err", err)
				}
			}()
		}
	})()
	var doorErr error
	all.Go(func() {
		if !own.background {
			doorErr = a.scheduleDoor(ctx, own, p, s, door)
			stop() // the client is gone
		}
	})
	err = s.Serve(ctx)
	stop()
	all.Wait()
	return errors.Join(err, doorErr)
}

// scheduleDoor serves clients until ctx is done or the only client is gone.
func (a *app) scheduleDoor(ctx context.Context, own scheduleServeFlags, p *plan, s *schedule.Scheduler, door *server.Server) error {
	if own.listen == "" {
		return door.Serve(ctx, *p.owner(), a.stdin, a.stdout)
	}
	front := streamable.NewFront(streamable.FrontConfig{
		Serve: func(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
			return door.Serve(ctx, who, in, out)
		},
		Who:    func(r *http.Request) (string, call.Session) { return "", who(r, *p.owner()) },
		Logger: p.log,
	})
	mux := http.NewServeMux()
	mux.Handle(endpoint, front)
	mux.Handle(pages.Path, pages.New(pages.Config{Scheduler: s, Logger: p.log}))
	mux.Handle("GET /{$}", http.RedirectHandler(pages.Path, http.StatusSeeOther))
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
