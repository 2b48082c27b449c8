// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"context"
	"net"
	"net/http"

	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// Serve serves on a listener until ctx is done. The handler must lead to the proxy through package
// httpguard and the authorization of clients. At the end Serve takes no more requests, ends the
// endless streams, and gives other requests ten seconds to finish.
func (p *Proxy) Serve(ctx context.Context, l net.Listener, handler http.Handler) error {
	go p.warm()
	return mcphttp.Server{
		Handler: handler, ReadTimeout: p.cfg.ReadTimeout, WriteTimeout: p.cfg.WriteTimeout,
		End: func(context.Context) { p.drain() }, Logger: p.cfg.Logger,
	}.Serve(ctx, l)
}

// warm prepares the output layer before the first answer comes.
func (p *Proxy) warm() {
	if server, err := relay.NewServer(p.cfg.Config); err == nil {
		server.Warm(context.Background())
	}
}

// EndStreams ends the endless streams. Serve calls it; a program that serves the proxy by other
// means must call it, or the streams prevent its shutdown.
func (p *Proxy) EndStreams() { p.drain() }
