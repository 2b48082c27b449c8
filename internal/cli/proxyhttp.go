// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/access/auth"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door/httpdoor"
	"github.com/toolvet/toolvet/door/relay"
	"github.com/toolvet/toolvet/door/stdio"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/streamable"
	"github.com/toolvet/toolvet/policy"
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
	f.StringVar(&h.upstream, "upstream", "", "`URL` of the server's MCP endpoint; default: what the policy says")
	f.StringVar(&h.path, "path", "/mcp", "`PATH` at which clients reach the proxy")
	f.BoolVar(&h.allowRemote, "allow-remote", false, "listen on an address that other machines reach though the policy has no authorization: whoever reaches it may call tools")
	f.StringSliceVar(&h.guard.Hosts, "allow-host", nil, "further `NAME`s that clients call this machine")
	f.StringSliceVar(&h.guard.Origins, "allow-origin", nil, "`ORIGIN`s of web pages that may connect, such as https://app.example.org")
	f.StringSliceVar(&h.passHeaders, "pass-header", nil, "further `HEADER`s of clients that the server gets, such as Authorization: only for a server whose operator is meant to have them")
}

const badPath = "--path must begin with /, and hold neither spaces nor any of {}?#"

func (h *httpFlags) validPath() bool {
	return strings.HasPrefix(h.path, "/") && !strings.ContainsAny(h.path, "{} ?#")
}

// given reports whether any of the flags is that need --listen.
func (h *httpFlags) given(cmd *cobra.Command) bool {
	for _, name := range []string{"path", "allow-remote", "allow-host", "allow-origin", "pass-header"} {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// A remote is a server behind a URL, and the transport there, which may show credentials.
type remote struct {
	url       *url.URL
	transport http.RoundTripper
}

// reach finds the server that the flags or the policy say is behind a URL; nil: it is to be
// started.
func (h *httpFlags) reach(s *policy.Server, log *slog.Logger) (*remote, error) {
	where := cmp.Or(h.upstream, s.URL)
	if where == "" {
		return nil, nil
	}
	u, err := url.Parse(where)
	if err != nil {
		return nil, errors.New("the server's URL cannot be read") // it may hold a secret
	}
	r := &remote{url: u, transport: streamable.NewTransport()}
	switch {
	case s.Credentials == nil:
		return r, nil
	case where != s.URL:
		return nil, withHint(errors.New("the policy has credentials for the server, and says that it is elsewhere"), "leave out --upstream, or choose another server with --server")
	}
	r.transport, err = auth.NewTransport(s, r.transport, auth.Options{Logger: log})
	return r, err
}

// connect begins a session of lines with the server.
func (r *remote) connect(cfg relay.Config) (stdio.Peer, error) {
	client, err := streamable.NewClient(streamable.ClientConfig{URL: r.url.String(), Transport: r.transport, Limits: cfg.Limits, Logger: cfg.Logger})
	if err != nil {
		return nil, withHint(err, "correct --upstream") // a nil *Client is no nil Peer
	}
	return client, nil
}

// reverse stands between clients that come over HTTP and a server that speaks it.
func (a *app) reverse(ctx context.Context, h httpFlags, gate *liveGate, there *remote, cfg relay.Config) error {
	p, err := httpdoor.New(httpdoor.Config{
		Config: cfg, Upstream: there.url, Transport: there.transport, PassHeaders: h.passHeaders,
		Session: func(r *http.Request) call.Session { return who(r, gate.session) },
	})
	if err != nil {
		return err
	}
	listener, handler, err := h.open(ctx, p, gate.entry, a.stderr)
	if err != nil {
		return err
	}
	defer listener.Close()
	return p.Serve(ctx, listener, handler)
}

// open listens, and returns what answers there: endpoint, behind the door and the guard.
func (h *httpFlags) open(ctx context.Context, endpoint http.Handler, d *authGate, stderr io.Writer) (net.Listener, http.Handler, error) {
	mux := http.NewServeMux()
	mux.Handle(h.path, endpoint)
	guard := h.guard
	guard.Hosts = slices.Concat(guard.Hosts, d.hosts())
	handler, err := guard.Handler(d.handler(mux))
	if err != nil {
		return nil, nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", h.listen)
	if err != nil {
		return nil, nil, withHint(fmt.Errorf("cannot listen: %w", err), "choose another address with --listen")
	}
	if err := auth.CheckListen(listener.Addr().String(), d.authorization()); err != nil && !h.allowRemote {
		listener.Close()
		return nil, nil, withHint(err, "--allow-remote does it all the same")
	}
	fmt.Fprintf(stderr, "toolvet: clients connect to http://%s%s\n", listener.Addr(), h.path)
	return listener, handler, nil
}
