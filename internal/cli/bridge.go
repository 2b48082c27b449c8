// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/httpguard"
	"github.com/toolvet/toolvet/internal/streamable"
	"github.com/toolvet/toolvet/proxy"
)

// bridgeFlags are the flags of "toolvet proxy" where one side speaks HTTP.
type bridgeFlags struct {
	upstream string
	listen   string
	guard    httpguard.Guard
}

func (f *bridgeFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.upstream, "upstream", "", "`URL` of a server that speaks Streamable HTTP, in place of a command")
	flags.StringVar(&f.listen, "listen", "", "`ADDRESS` to take clients at over Streamable HTTP, such as 127.0.0.1:8080; default: standard input")
	flags.StringSliceVar(&f.guard.Hosts, "allow-host", nil, "`NAME` that clients may call this machine by, beside its address and localhost")
	flags.StringSliceVar(&f.guard.Origins, "allow-origin", nil, "`ORIGIN` of web pages that may make calls, such as https://app.example.org")
}

// endpoint is the path of the MCP endpoint.
const endpoint = "/mcp"

// bridge stands between a client on standard input and a server behind a URL.
func (a *app) bridge(cmd *cobra.Command, flags proxyFlags, server []string) error {
	switch {
	case len(server) > 0:
		return usageError(cmd, "--upstream names a server that runs already: leave out the command")
	case flags.bridge.listen != "":
		return usageError(cmd, "--upstream and --listen do not go together yet")
	}
	u, err := url.Parse(flags.bridge.upstream)
	if err != nil {
		return usageError(cmd, "--upstream is no URL")
	}
	flags.gate.remote = !isLoopback(u.Hostname())
	return a.proxy(cmd, flags, nil, func(ctx context.Context, cfg proxy.Config) (int, error) {
		cfg.Connect = func() (proxy.Peer, error) {
			client, err := streamable.NewClient(streamable.ClientConfig{URL: flags.bridge.upstream, Limits: cfg.Limits, Logger: cfg.Logger})
			if err != nil {
				return nil, withHint(err, "correct --upstream")
			}
			return client, nil
		}
		return proxy.Run(ctx, cfg)
	})
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.Unmap().IsLoopback()
}

// front stands between clients that come over HTTP and a server of each one's own.
func (a *app) front(cmd *cobra.Command, flags proxyFlags, server []string) error {
	host, _, err := net.SplitHostPort(flags.bridge.listen)
	switch {
	case err != nil:
		return usageError(cmd, "--listen must be HOST:PORT, such as 127.0.0.1:8080")
	case !isLoopback(host):
		return withHint(errors.New("--listen must be a loopback address: everybody who reaches another could make calls"), "listen at 127.0.0.1")
	}
	return a.proxy(cmd, flags, server, func(ctx context.Context, cfg proxy.Config) (int, error) {
		return 0, serveFront(ctx, flags.bridge, cfg)
	})
}

// serveFront serves until ctx is done.
func serveFront(ctx context.Context, flags bridgeFlags, cfg proxy.Config) error {
	front := streamable.NewFront(streamable.FrontConfig{
		Serve: func(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
			return session(ctx, cfg, who, in, out)
		},
		Who:    func(r *http.Request) (string, call.Session) { return "", whoOver(r, cfg.Session) },
		Limits: cfg.Limits, Logger: cfg.Logger,
	})
	mux := http.NewServeMux()
	mux.Handle(endpoint, front)
	handler, err := flags.guard.Handler(mux)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", flags.listen)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	fmt.Fprintf(cfg.Stderr, "toolvet: listening at http://%s%s\n", listener.Addr(), endpoint)
	return serveHTTP(ctx, listener, handler, front.Close, cfg.Logger)
}

// session is a session of one client, with a server of its own.
func session(ctx context.Context, cfg proxy.Config, who call.Session, in io.Reader, out io.Writer) error {
	cfg.Session, cfg.Stdin, cfg.Stdout = who, in, out
	code, err := proxy.Run(ctx, cfg)
	if err == nil && code != 0 && ctx.Err() == nil {
		cfg.Logger.Warn("a server ended", "code", code)
	}
	return err
}

// whoOver is who makes a request, as far as it can be told where nobody is authenticated.
func whoOver(r *http.Request, known call.Session) call.Session {
	known.Transport = "http"
	known.ClientAddress, _, _ = net.SplitHostPort(r.RemoteAddr)
	return known
}

// shutdown bounds how long what is under way may take at the end.
const shutdown = 10 * time.Second

// serveHTTP serves until ctx is done, and ends sessions and connections then.
func serveHTTP(ctx context.Context, l net.Listener, handler http.Handler, endSessions func(context.Context), log *slog.Logger) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelInfo),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	endSessions(within) // streams end with them
	if err == nil {
		err = server.Shutdown(within)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return err
}
