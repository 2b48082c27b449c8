// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/access/auth"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/machine/memory"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/protocol"
	"github.com/toolvet/toolvet/record"
	"github.com/toolvet/toolvet/record/telemetry/prometheus"
)

// endpoint is the path of the MCP endpoint of all servers.
const endpoint = "/mcp"

// serveFlags are the flags of "toolvet serve".
type serveFlags struct {
	gate         gateFlags
	listen       string
	stdio        bool
	guard        httpguard.Guard
	validateName string
	sessions     int
	verbose      bool
}

func (a *app) serveCommand() *cobra.Command {
	var flags serveFlags
	cmd := &cobra.Command{
		Use:   "serve --policy FILE [flags]",
		Short: "Put all servers of a policy behind one endpoint",
		Long: `Put all servers of a policy behind one endpoint, over Streamable HTTP, and judge every call.

  /mcp         all servers; tools and prompts are called SERVER__NAME
  /mcp/SERVER  one of them
  /healthz     whether toolvet runs      /readyz   how the servers stand
  /metrics     for Prometheus

Servers are started, or connected to, when a client needs them, and again when they end. The
policy is read again when it changes: sessions stay, and so do the servers that are reached as
before. With --stdio there is one client, on standard input.

A policy with a section "schedule" has the jobs of its store run, and the scheduler among the
servers, as "schedule"; /schedule/ shows them on web pages.`,
		Example: `  toolvet serve --policy toolvet.yaml
  toolvet serve --policy toolvet.yaml --listen 127.0.0.1:9000
  toolvet serve --policy toolvet.yaml --stdio`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return usageError(cmd, "serve takes no arguments: the policy names the servers")
			case flags.gate.policy == "":
				return usageError(cmd, "no policy: give the one that names the servers with --policy")
			case flags.stdio && cmd.Flags().Changed("listen"):
				return usageError(cmd, "--stdio and --listen do not go together")
			}
			return a.serve(cmd.Context(), flags)
		},
	}
	f := cmd.Flags()
	flags.gate.registerShared(cmd)
	f.StringVar(&flags.listen, "listen", "127.0.0.1:8080", "`ADDRESS` to take clients at")
	f.BoolVar(&flags.stdio, "stdio", false, "take one client, on standard input")
	f.StringSliceVar(&flags.guard.Hosts, "allow-host", nil, "`NAME` that clients may call this machine by, beside its address and localhost")
	f.StringSliceVar(&flags.guard.Origins, "allow-origin", nil, "`ORIGIN` of web pages that may make calls, such as https://app.example.org")
	f.StringVar(&flags.validateName, "validate-name", protocol.ToolName, "`NAME` of the validate tool")
	f.IntVar(&flags.sessions, "max-sessions", 1000, "`NUMBER` of sessions of one principal at once, at each path; of all, ten times as many")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "tell refused calls on standard error, too")
	return cmd
}

// serve serves until ctx is done, or the client on standard input ends.
func (a *app) serve(ctx context.Context, flags serveFlags) error {
	log := newLogger(a.stderr, flags.verbose)
	supervisor, err := supervisor()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	memory.Manage(ctx)
	s := &serving{flags: flags, log: log, supervisor: supervisor, stderr: a.stderr}
	if err := s.load(); err != nil {
		return err
	}
	if !flags.stdio {
		if err := auth.CheckListen(flags.listen, s.policy.Authorization); err != nil {
			return withHint(err, "see docs/authorization.md")
		}
	}
	metrics, err := prometheus.New()
	if err != nil {
		return err
	}
	watched, err := watchersOf(ctx, log, metrics)
	if err != nil {
		return err
	}
	defer watched.stop()
	record, err := record.Open(s.policy.Log, record.Options{Observer: watched.observer, Logger: log})
	if err != nil {
		return err
	}
	defer record.Close(context.WithoutCancel(ctx))
	s.observer = record
	if err := s.openScheduler(ctx); err != nil {
		return err
	}
	defer s.closeScheduler(ctx)
	s.gateway, err = gateway.New(gateway.Config{
		Servers: s.upstreams(), ValidateName: flags.validateName, MaxPrincipals: flags.sessions, Observer: record, Logger: log,
	})
	if err != nil {
		return err
	}
	defer func() {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
		defer cancel()
		s.gateway.Close(within)
	}()
	go s.watch(ctx)
	var jobs sync.WaitGroup
	var jobsErr error
	jobs.Go(func() {
		if jobsErr = s.runScheduler(ctx); jobsErr != nil {
			stop()
		}
	})
	if flags.stdio {
		err = s.gateway.Serve(ctx, call.Session{Subject: s.subject(), Transport: "stdio"}, a.stdin, a.stdout)
	} else {
		err = a.serveWeb(ctx, s, metrics)
	}
	stop()
	jobs.Wait()
	return errors.Join(err, jobsErr)
}

// serveWeb serves clients over HTTP.
func (a *app) serveWeb(ctx context.Context, s *serving, metrics *prometheus.Metrics) error {
	web := newWeb(s, metrics.Handler())
	handler, err := s.flags.guard.Handler(web)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.flags.listen)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	fmt.Fprintf(a.stderr, "toolvet: listening at http://%s%s\n", listener.Addr(), endpoint)
	err = serveHTTP(ctx, listener, handler, web.close, s.log)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
