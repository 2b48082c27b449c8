// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpproxy

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/mediate"
)

// drainTime is how long requests may go on when the proxy is told to end.
const drainTime = 10 * time.Second

// Serve serves on a listener until ctx is done. The handler leads to the proxy, past package
// httpguard and whatever authorizes clients. At the end Serve takes no more, ends streams that
// have no end of their own, and lets other requests go on for ten seconds.
func (p *Proxy) Serve(ctx context.Context, l net.Listener, handler http.Handler) error {
	go p.warm()
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: p.cfg.ReadTimeout,
		WriteTimeout:      p.cfg.WriteTimeout, // begun anew by each piece that is written
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(p.cfg.Logger.Handler(), slog.LevelInfo),
	}
	server.RegisterOnShutdown(p.drain)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	err := server.Shutdown(within)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}

// warm has the output layer ready before the first answer comes.
func (p *Proxy) warm() {
	if server, err := mediate.NewServer(p.cfg.Config); err == nil {
		server.NewClient(call.Session{}).NewExchange(context.Background(), nil).Warm()
	}
}

// EndStreams ends the streams that have no end of their own. Serve does that; whoever serves
// otherwise must, or they keep the server from its end.
func (p *Proxy) EndStreams() { p.drain() }
