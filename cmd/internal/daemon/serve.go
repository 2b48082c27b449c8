// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/cmd/internal/prometheus"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/machine/memory"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/record"
	"github.com/toolvet/toolvet/internal/serving"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
)

// endpoint is the path of the MCP endpoint of all servers.
const endpoint = "/mcp"

// ServerTimeout bounds the start of a server, and its lists. Npx may need most of a minute to install one, and a start that is
// cut short leaves half an installation.
const ServerTimeout = time.Minute

// A ServeConfig configures [Serve].
type ServeConfig struct {
	Source enforce.Source // of all servers
	Listen string         // address for HTTP clients, unless Stdio is set
	Guard  httpguard.Guard

	Stdio  bool // serve one client, on Stdin and Stdout
	Stdin  io.Reader
	Stdout io.Writer

	ValidateName string
	MaxSessions  int           // of one principal at each path
	MaxProcesses int           // of one server for one principal, 16 times as many in all; default DefaultProcesses
	Timeout      time.Duration // of a server's start, and of its lists; default ServerTimeout
	Stderr       io.Writer     // for the operator
	Verbose      bool          // Stderr gets what servers write on theirs, too
	// Listed gets the tools of a server each time they are read, with the policy in force; may be nil.
	Listed func(p *policy.Policy, server string, tools *call.Catalog)
	Logger *slog.Logger
}

// Serve puts all servers of a policy behind one endpoint until ctx is done, or the client on
// standard input ends.
func Serve(ctx context.Context, cfg ServeConfig) error {
	supervisor, err := backend.Supervisor()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	memory.Manage(ctx)
	cfg.Source.Each = true
	s := &service{cfg: cfg, processes: newProcesses(cfg.MaxProcesses), log: cfg.Logger, supervisor: supervisor}
	if err := s.open(); err != nil {
		return err
	}
	if !cfg.Stdio {
		if err := CheckListen(cfg.Listen, s.policy.Authorization); err != nil {
			return err
		}
		listener, err := listen(ctx, cfg.Listen)
		if err != nil {
			return err
		}
		defer listener.Close()
		s.listener = listener
	}
	metrics, err := prometheus.New()
	if err != nil {
		return err
	}
	s.metrics = metrics
	exporters, err := openExporters(ctx, s.log, metrics)
	if err != nil {
		return err
	}
	defer exporters.stop()
	exporters.follow(s.watcher)
	record, err := record.Open(s.policy.Log, record.Options{Observer: exporters.observer, Logger: s.log})
	if err != nil {
		return err
	}
	defer record.Close(context.WithoutCancel(ctx))
	s.observer = record
	if cfg.Listed != nil {
		s.observer = &listing{record, s}
	}
	s.gateway, err = gateway.New(gateway.Config{
		Servers: s.upstreams(), ValidateName: cfg.ValidateName, MaxPrincipals: cfg.MaxSessions, Observer: s.observer, Logger: backend.Reporting(s.log),
	})
	if err != nil {
		return err
	}
	defer s.close(ctx)
	s.processes.endsIdle(func(of principal) bool { return serving.Of(s.gateway).EndIdle(string(of)) })
	if err := s.openScheduler(ctx); err != nil {
		return err
	}
	go s.watcher.Run(ctx)
	var jobs sync.WaitGroup
	var jobsErr error
	jobs.Go(func() {
		if jobsErr = s.runScheduler(ctx); jobsErr != nil {
			stop()
		}
	})
	if cfg.Stdio {
		err = s.gateway.Serve(ctx, call.Session{Subject: s.subject(), Transport: "stdio"}, cfg.Stdin, cfg.Stdout)
	} else {
		err = s.serveHTTP(ctx, metrics)
	}
	stop()
	jobs.Wait()
	return errors.Join(err, jobsErr)
}

// A listing is an observer that passes tools on to the Listed of a [ServeConfig], too.
type listing struct {
	toolvet.Observer
	s *service
}

// Listed implements [toolvet.Observer].
func (l *listing) Listed(ctx context.Context, server string, tools *call.Catalog) {
	l.Observer.Listed(ctx, server, tools)
	l.s.mu.Lock()
	p := l.s.policy
	l.s.mu.Unlock()
	l.s.cfg.Listed(p, server, tools)
}

// serveHTTP serves clients over HTTP.
func (s *service) serveHTTP(ctx context.Context, metrics *prometheus.Metrics) error {
	web := newWeb(s, metrics.Handler())
	handler, err := s.cfg.Guard.Handler(web)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.cfg.Stderr, "toolvet: listening at http://%s%s\n", place(s.listener), endpoint)
	tellResource(s.cfg.Stderr, s.listener, endpoint, s.policy.Authorization)
	err = serveHTTP(ctx, s.listener, handler, web.close, s.log)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
