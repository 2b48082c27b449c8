// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

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
	"sync"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/contain"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/machine/memory"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/proxy/httpdoor"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
	"github.com/toolvet/toolvet/internal/record"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// A ProxyConfig configures [Proxy].
type ProxyConfig struct {
	Source   enforce.Source
	Command  []string // starts the server; nil: the policy says how to reach it
	Upstream string   // the server's URL, in place of a command; "": the policy's
	// UpstreamHeaders are headers of requests to Upstream, such as Authorization. A policy with credentials for the server excludes them.
	UpstreamHeaders map[string]string

	Listen      string // address for HTTP clients; "": one client, on Stdin and Stdout
	Path        string // of the endpoint over HTTP
	AllowRemote bool   // listen on any address even if the policy has no authorization
	PassHeaders []string
	// MaxProcesses bounds the processes of the server for one principal over HTTP, and 16 times as many
	// those for all. Default DefaultProcesses.
	MaxProcesses int
	Guard        httpguard.Guard

	Contain        bool // the server has walls even if the policy describes none
	Contained      bool // it has them already, with the proxy
	ValidateName   string
	MaxBatch       int    // calls in a batch of dry runs; 0 offers no batches
	Metrics        string // address that serves metrics; "" for none
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Logger         *slog.Logger
}

// ErrNoServer reports a [ProxyConfig] whose policy does not say how to reach the server, either.
var ErrNoServer = errors.New("neither the command line nor the policy says how to reach the server")

// A proxy stands in front of one server.
type proxy struct {
	cfg      ProxyConfig
	gate     *liveGate
	listener net.Listener // for clients over HTTP; else nil
}

// Proxy stands in front of one server until ctx is done, or the client on standard input or its server
// ends. The code is the server's exit code.
func Proxy(ctx context.Context, cfg ProxyConfig) (code int, err error) {
	var entry *authGate
	if cfg.Listen != "" {
		entry = newAuthGate(cfg.PassHeaders, cfg.Logger)
	}
	p := &proxy{cfg: cfg}
	if p.gate, err = openLiveGate(cfg.Source, cfg.Command, nil, entry, cfg.Logger); err != nil {
		return 0, err
	}
	remote, err := p.remote()
	switch {
	case err != nil:
		return 0, err
	case remote == nil && len(p.gate.command) == 0 && p.gate.server.Drafted != nil:
		return 0, backend.Unreachable(p.gate.server)
	case remote == nil && len(p.gate.command) == 0:
		return 0, ErrNoServer
	}
	if entry != nil {
		if p.listener, err = listen(ctx, cfg.Listen); err != nil {
			return 0, err
		}
		defer p.listener.Close()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	memory.Manage(ctx)
	exporters, err := openExportersAt(ctx, cfg.Metrics, cfg.Logger)
	if err != nil {
		return 0, err
	}
	defer exporters.stop()
	exporters.follow(p.gate.watcher)
	record, err := record.Open(p.gate.audit, record.Options{Observer: exporters.observer, Logger: cfg.Logger})
	if err != nil {
		return 0, err
	}
	defer record.Close(context.WithoutCancel(ctx))
	go p.gate.watch(ctx)
	return p.serve(ctx, remote, relay.Config{
		Server: p.gate.source.Server, Gate: p.gate.current.Load, Observer: record, ValidateName: cfg.ValidateName,
		Validation: validate.Config{MaxBatch: cmp.Or(max(cfg.MaxBatch, 0), -1)}, Rehearse: p.gate.rehearse, Logger: cfg.Logger,
	})
}

// serve joins the client's transport to the server's.
func (p *proxy) serve(ctx context.Context, remote *remote, cfg relay.Config) (code int, err error) {
	contained, err := p.contained(remote)
	if err != nil {
		return 0, err
	}
	if p.gate.entry != nil && remote != nil {
		return 0, p.reverse(ctx, remote, cfg)
	}
	session := stdio.Config{Config: cfg, Session: p.gate.session, Stdin: p.cfg.Stdin, Stdout: p.cfg.Stdout, Stderr: p.cfg.Stderr}
	if remote != nil {
		session.Connect = func() (stdio.Peer, error) { return remote.connect(cfg) }
	} else if contained != nil {
		session.Connect = func() (stdio.Peer, error) { return contained(ctx) }
	} else {
		session.Command, session.Dir = p.gate.command, p.gate.server.Dir
		if session.Supervisor, err = backend.Supervisor(); err != nil {
			return 0, err
		}
		if session.Env, err = backend.Environment(p.gate.server); err != nil {
			return 0, err
		}
	}
	if p.gate.entry != nil {
		return 0, p.bridge(ctx, session)
	}
	return stdio.Run(ctx, session)
}

// contained returns the function that starts the server in walls; nil: it has none.
func (p *proxy) contained(remote *remote) (func(context.Context) (stdio.Peer, error), error) {
	server := *p.gate.server
	switch {
	case remote != nil && (p.cfg.Contain || server.Contain != nil):
		return nil, enforce.WithHint(errors.New("only a server that a command starts can be contained, and this one is behind a URL"), "contain it where it runs")
	case server.Contain == nil && !p.cfg.Contain, p.cfg.Contained:
		return nil, nil
	case server.Contain == nil:
		server.Contain = new(policy.Containment)
	}
	var told sync.Once
	var explained contain.Told
	return func(ctx context.Context) (stdio.Peer, error) {
		s, err := backend.Contain(ctx, &server, p.gate.command, p.gate.keep, &explained, p.cfg.Stderr, p.cfg.Logger)
		if err != nil {
			return nil, err // a nil *contain.Server is no nil Peer
		}
		told.Do(func() { // a server that misses a place often says nothing of it
			more := "name them under contain: write or read"
			if p.cfg.Source.Policy == "" {
				more = "append a directory to the server's command to show it, even if the server takes none, or name places in a policy under contain: write or read. It reaches no host; contain: network in a policy names some"
			}
			terminal.Fprintf(p.cfg.Stderr, "toolvet: the server in walls %s; other places do not exist for it: %s\n", contain.Words(s.Write, s.Read), more)
		})
		return s, nil
	}, nil
}

// A remote is a server behind a URL, and the transport to it, which may add credentials.
type remote struct {
	url       *url.URL
	transport http.RoundTripper
	advice    string // on credentials
}

// remote finds the URL of the server; nil: a command starts it.
func (p *proxy) remote() (*remote, error) {
	s := p.gate.server
	target := cmp.Or(p.cfg.Upstream, s.URL)
	if target == "" {
		return nil, nil
	}
	u, err := url.Parse(target)
	if err != nil {
		return nil, errors.New("the server's URL cannot be read") // it may hold a secret
	}
	r := &remote{url: u, transport: streamable.NewTransport(), advice: backend.Advice(s)}
	if p.cfg.Upstream != "" && s.Credentials == nil {
		r.advice = "the variable NAME of --upstream-header Authorization=NAME holds the header, such as 'Bearer TOKEN'"
	}
	if len(p.cfg.UpstreamHeaders) > 0 {
		if s.Credentials != nil {
			return nil, enforce.WithHint(errors.New("the policy has credentials for the server, and so has the command line"), "leave out --upstream-header")
		}
		given := *s
		given.URL = target
		if given.Credentials, err = policy.HeaderCredentials(target, p.cfg.UpstreamHeaders); err != nil {
			return nil, err
		}
		r.transport, err = auth.NewTransport(&given, r.transport, auth.Options{Logger: p.cfg.Logger})
		return r, err
	}
	switch {
	case s.Credentials == nil:
		return r, nil
	case target != s.URL:
		return nil, enforce.WithHint(errors.New("the policy has credentials for the server, but another URL"),
			"leave out --upstream, or choose another server with --server")
	}
	r.transport, err = auth.NewTransport(s, r.transport, auth.Options{Logger: p.cfg.Logger})
	return r, err
}

// connect begins a session of lines with the server.
func (r *remote) connect(cfg relay.Config) (stdio.Peer, error) {
	client, err := streamable.NewClient(streamable.ClientConfig{
		URL: r.url.String(), Transport: r.transport, Advice: r.advice, Limits: cfg.Limits, Logger: cfg.Logger,
	})
	if err != nil {
		return nil, enforce.WithHint(err, "correct --upstream") // a nil *Client is no nil Peer
	}
	return client, nil
}

// reverse serves clients over HTTP in front of a server that speaks HTTP, too.
func (p *proxy) reverse(ctx context.Context, remote *remote, cfg relay.Config) error {
	door, err := httpdoor.New(httpdoor.Config{
		Config: cfg, Upstream: remote.url, Transport: remote.transport, PassHeaders: p.cfg.PassHeaders,
		Session: func(r *http.Request) call.Session { return callerOf(r, p.gate.session) },
	})
	if err != nil {
		return err
	}
	handler, err := p.handler(door)
	if err != nil {
		return err
	}
	return door.Serve(ctx, p.listener, handler)
}

// handler puts authentication and the guard in front of the endpoint, and tells where it is.
func (p *proxy) handler(endpoint http.Handler) (http.Handler, error) {
	entry := p.gate.entry
	mux := http.NewServeMux()
	mux.Handle(p.cfg.Path, endpoint)
	guard := p.cfg.Guard
	guard.Hosts = slices.Concat(guard.Hosts, entry.hosts())
	handler, err := guard.Handler(entry.handler(mux))
	if err != nil {
		return nil, err
	}
	if err := auth.CheckListen(p.listener.Addr().String(), entry.authorization()); err != nil && !p.cfg.AllowRemote {
		return nil, enforce.WithHint(err, "--allow-remote listens all the same")
	}
	fmt.Fprintf(p.cfg.Stderr, "toolvet: clients connect to http://%s%s\n", place(p.listener), p.cfg.Path)
	tellResource(p.cfg.Stderr, p.listener, p.cfg.Path, entry.authorization())
	return handler, nil
}
