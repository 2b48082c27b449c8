// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"context"
	"net"
	"net/http"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// Serve serves on a listener until ctx is done. The handler leads to the proxy, past package
// httpguard and whatever authorizes clients. At the end Serve takes no more, ends streams that
// have no end of their own, and lets other requests go on for ten seconds.
func (p *Proxy) Serve(ctx context.Context, l net.Listener, handler http.Handler) error {
	go p.warm()
	return mcphttp.Server{
		Handler: handler, ReadTimeout: p.cfg.ReadTimeout, WriteTimeout: p.cfg.WriteTimeout,
		End: func(context.Context) { p.drain() }, Logger: p.cfg.Logger,
	}.Serve(ctx, l)
}

// warm has the output layer ready before the first answer comes.
func (p *Proxy) warm() {
	if server, err := relay.NewServer(p.cfg.Config); err == nil {
		server.NewClient(call.Session{}).NewExchange(context.Background(), nil).Warm()
	}
}

// EndStreams ends the streams that have no end of their own. Serve does that; whoever serves
// otherwise must, or they keep the server from its end.
func (p *Proxy) EndStreams() { p.drain() }
