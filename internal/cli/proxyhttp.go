// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/httpproxy"
	"github.com/toolvet/toolvet/internal/httpguard"
	"github.com/toolvet/toolvet/mediate"
)

// httpFlags are the flags of "toolvet proxy" in front of a server that speaks HTTP.
type httpFlags struct {
	listen, upstream string
	path             string
	allowRemote      bool
	passHeaders      []string
	guard            httpguard.Guard
}

func (h *httpFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&h.listen, "listen", "", "serve HTTP at `ADDRESS`, such as 127.0.0.1:8080")
	f.StringVar(&h.upstream, "upstream", "", "`URL` of the server's MCP endpoint")
	f.StringVar(&h.path, "path", "/mcp", "`PATH` at which clients reach the proxy")
	f.BoolVar(&h.allowRemote, "allow-remote", false, "listen on an address that other machines reach: whoever reaches it may call tools")
	f.StringSliceVar(&h.guard.Hosts, "allow-host", nil, "further `NAME`s that clients call this machine")
	f.StringSliceVar(&h.guard.Origins, "allow-origin", nil, "`ORIGIN`s of web pages that may connect, such as https://app.example.org")
	f.StringSliceVar(&h.passHeaders, "pass-header", nil, "further `HEADER`s of clients that the server gets, such as Authorization: only for a server whose operator is meant to have them")
}

const badPath = "--path must begin with /, and hold neither spaces nor any of {}?#"

func (h *httpFlags) validPath() bool {
	return strings.HasPrefix(h.path, "/") && !strings.ContainsAny(h.path, "{} ?#")
}

// given reports whether any of the flags is.
func (h *httpFlags) given(cmd *cobra.Command) bool {
	for _, name := range []string{"listen", "upstream", "path", "allow-remote", "allow-host", "allow-origin", "pass-header"} {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

func (a *app) httpProxy(cmd *cobra.Command, flags proxyFlags, server []string) error {
	h := flags.http
	switch {
	case server != nil:
		return usageError(cmd, "a command starts a server, and --upstream names one that runs already: give one or the other")
	case !h.validPath():
		return usageError(cmd, badPath)
	}
	upstream, err := url.Parse(h.upstream)
	if err != nil {
		return usageError(cmd, "--upstream is no URL")
	}
	flags.gate.remote = !here(upstream.Hostname())
	log := newLogger(a.stderr, flags.verbose)
	gate, err := openLiveGate(flags.gate, nil, log)
	if err != nil {
		return err
	}
	return flags.mediate(cmd.Context(), gate, log, func(ctx context.Context, cfg mediate.Config) error {
		p, err := httpproxy.New(httpproxy.Config{
			Config: cfg, Upstream: upstream, PassHeaders: h.passHeaders,
			Session: func(*http.Request) call.Session { return gate.session },
		})
		if err != nil {
			return err
		}
		return a.serveHTTP(ctx, p, h)
	})
}

func (a *app) serveHTTP(ctx context.Context, p *httpproxy.Proxy, h httpFlags) error {
	listener, handler, err := h.open(ctx, p, a.stderr)
	if err != nil {
		return err
	}
	defer listener.Close()
	return p.Serve(ctx, listener, handler)
}

// open listens, and returns what answers there: endpoint, behind the guard.
func (h *httpFlags) open(ctx context.Context, endpoint http.Handler, stderr io.Writer) (net.Listener, http.Handler, error) {
	mux := http.NewServeMux()
	mux.Handle(h.path, endpoint)
	handler, err := h.guard.Handler(mux)
	if err != nil {
		return nil, nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", h.listen)
	if err != nil {
		return nil, nil, withHint(fmt.Errorf("cannot listen: %w", err), "choose another address with --listen")
	}
	if !httpguard.Loopback(listener) && !h.allowRemote {
		listener.Close()
		return nil, nil, withHint(fmt.Errorf("other machines would reach %s, and nobody is asked who they are", h.listen),
			"listen on 127.0.0.1, or say --allow-remote")
	}
	fmt.Fprintf(stderr, "toolvet: clients connect to http://%s%s\n", listener.Addr(), h.path)
	return listener, handler, nil
}

// here reports whether a host is this machine.
func here(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
