// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// DrainTime bounds the shutdown of a server.
const DrainTime = 10 * time.Second

// A Server configures how a handler is served.
type Server struct {
	Handler      http.Handler
	ReadTimeout  time.Duration // for a client to send the headers of a request; default 30 s
	WriteTimeout time.Duration // for a client to read each piece of an answer; default 60 s
	// End ends streams and sessions. It returns soon after its context is done. New requests may arrive
	// until it returns.
	End    func(context.Context)
	Logger *slog.Logger
}

// Serve serves on a listener until ctx is done. Then it calls End, accepts no further requests, and
// gives those under way the rest of ten seconds.
func (s Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.Handler,
		ReadHeaderTimeout: cmp.Or(s.ReadTimeout, 30*time.Second),
		WriteTimeout:      cmp.Or(s.WriteTimeout, time.Minute),
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.Logger.Handler(), slog.LevelInfo),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), DrainTime)
	defer cancel()
	s.End(within)
	if err == nil {
		err = server.Shutdown(within)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return err
}
