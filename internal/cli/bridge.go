// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door/stdio"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// serveFront stands between clients that come over HTTP and a server of each one's own, until
// ctx is done.
func serveFront(ctx context.Context, h httpFlags, d *authGate, cfg stdio.Config) error {
	front := streamable.NewFront(streamable.FrontConfig{
		Serve: func(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
			return session(ctx, cfg, who, in, out)
		},
		Who: func(r *http.Request) (string, call.Session) {
			s := who(r, cfg.Session)
			return s.Principal(), s
		},
		Limits: cfg.Limits, Logger: cfg.Logger,
	})
	listener, handler, err := h.open(ctx, front, d, cfg.Stderr)
	if err != nil {
		return err
	}
	defer listener.Close()
	return serveHTTP(ctx, listener, handler, front.Close, cfg.Logger)
}

// session is a session of one client, with a server of its own.
func session(ctx context.Context, cfg stdio.Config, who call.Session, in io.Reader, out io.Writer) error {
	cfg.Session, cfg.Stdin, cfg.Stdout = who, in, out
	code, err := stdio.Run(ctx, cfg)
	if err == nil && code != 0 && ctx.Err() == nil {
		cfg.Logger.Warn("a server ended", "code", code)
	}
	return err
}

// shutdown bounds how long what is under way may take at the end.
const shutdown = mcphttp.DrainTime

// serveHTTP serves until ctx is done, and ends sessions and connections then.
func serveHTTP(ctx context.Context, l net.Listener, handler http.Handler, endSessions func(context.Context), log *slog.Logger) error {
	return mcphttp.Server{Handler: handler, End: endSessions, Logger: log}.Serve(ctx, l)
}
