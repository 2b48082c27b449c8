// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
	"github.com/toolvet/toolvet/internal/repeats"
	"github.com/toolvet/toolvet/internal/tail"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// bridge serves clients over HTTP, each session with a server of its own, until ctx is done.
func (p *proxy) bridge(ctx context.Context, cfg stdio.Config) error {
	server, err := relay.NewServer(cfg.Config)
	if err != nil {
		return err
	}
	running := newProcesses(p.cfg.MaxProcesses)
	ends := new(repeats.Memory).Logger(cfg.Logger)
	front := streamable.NewFront(streamable.FrontConfig{
		Enter: func(ctx context.Context, caller call.Session) (func(), error) {
			return running.enter(ctx, owner{principal: principal(caller.Principal())})
		},
		Refused: server.Refused,
		Serve: func(ctx context.Context, caller call.Session, in io.Reader, out io.Writer) error {
			return runSession(ctx, cfg, ends, caller, in, out)
		},
		Caller: func(r *http.Request) (string, call.Session) {
			s := callerOf(r, cfg.Session)
			return s.Principal(), s
		},
		Limits: cfg.Limits, Logger: cfg.Logger,
	})
	running.endsIdle(func(of principal) bool { return front.EndIdle(string(of)) })
	handler, err := p.handler(front)
	if err != nil {
		return err
	}
	return serveHTTP(ctx, p.listener, handler, front.Close, cfg.Logger)
}

// runSession serves one session with a server of its own. The log ends gets how it ended.
func runSession(ctx context.Context, cfg stdio.Config, ends *slog.Logger, caller call.Session, in io.Reader, out io.Writer) error {
	cfg.Session, cfg.Stdin, cfg.Stdout = caller, in, out
	cfg.Ended = func(exit process.Exit) {
		if exit.Err() == nil {
			return
		}
		of := []any{"server", cfg.Server, "code", exit.Code}
		if end, ok := cfg.Stderr.(*tail.Writer); ok && len(end.Lines()) > 0 {
			of = append(of, "stderr", strings.Join(end.Lines(), "\n"))
		}
		ends.Warn("a server ended", of...)
	}
	_, err := stdio.Run(ctx, cfg)
	return err
}

// ShutdownTime bounds each step of a shutdown.
const ShutdownTime = mcphttp.DrainTime

// serveHTTP serves until ctx is done, and then ends sessions and connections.
func serveHTTP(ctx context.Context, l net.Listener, handler http.Handler, endSessions func(context.Context), log *slog.Logger) error {
	return mcphttp.Server{Handler: handler, End: endSessions, Logger: log}.Serve(ctx, l)
}
