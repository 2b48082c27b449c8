// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// Config configures a [Proxy]. Gate and Upstream are required. A zero limit means its default.
type Config struct {
	relay.Config

	Upstream *url.URL // the server's MCP endpoint
	// Transport carries requests to the server, and may add credentials. The context of a
	// request is the context of the client's request, or has its values. The default connects
	// within 10 s, uses the proxies of the environment, and does not compress.
	Transport http.RoundTripper
	// Session identifies the principal behind a request, such as by the subject and the claims
	// of its token. Default: an empty session. The proxy adds the address.
	Session func(*http.Request) call.Session
	// PassHeaders are more headers of clients to pass on to the server. Without them it gets no
	// credentials of a client: Authorization, Cookie and the like.
	PassHeaders []string

	MaxBody      int           // bytes of a request; default 16 MiB
	ReadTimeout  time.Duration // for a client to send a request's headers, and again its body; default 30 s
	WriteTimeout time.Duration // for a client to take a piece of an answer; default 60 s
	MaxRequests  int           // of one principal at once, streams included; ten times as many in all; default 1000
	MaxSessions  int           // of one principal; ten times as many in all; default 1000
	SessionIdle  time.Duration // life of a session without requests and streams; default 30 min
	ResumeTime   time.Duration // for a client to come back to a resumable stream; default 5 min
}

// listTTL is the life time of a list of tools to which the server gives none. It is short because
// a server can announce a change only if some client keeps a stream open.
const listTTL = 5 * time.Minute

func (c Config) withDefaults() (Config, error) {
	var err error
	if c.Config, err = c.Config.WithDefaults(); err != nil {
		return c, err
	}
	switch u := c.Upstream; {
	case u == nil:
		return c, errors.New("no URL of a server")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return c, fmt.Errorf("%q is no URL of a server: it must begin with http:// or https:// and a host", u.Redacted())
	case u.User != nil:
		return c, errors.New("the server's URL must not hold a name or a password")
	}
	c.Forgets = true
	c.ListTTL = orDefault(c.ListTTL, listTTL)
	c.MaxBody = orDefault(c.MaxBody, 16<<20)
	c.ReadTimeout = orDefault(c.ReadTimeout, 30*time.Second)
	c.WriteTimeout = orDefault(c.WriteTimeout, time.Minute)
	c.MaxRequests = orDefault(c.MaxRequests, 1000)
	c.MaxSessions = orDefault(c.MaxSessions, 1000)
	c.SessionIdle = orDefault(c.SessionIdle, 30*time.Minute)
	c.ResumeTime = orDefault(c.ResumeTime, 5*time.Minute)
	if c.Transport == nil {
		c.Transport = streamable.NewTransport()
	}
	if c.Session == nil {
		c.Session = func(*http.Request) call.Session { return call.Session{} }
	}
	return c, nil
}

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// A Proxy is an http.Handler: the MCP endpoint in front of a server. It is safe for concurrent
// use. It checks neither Host nor Origin; the program that serves it must.
type Proxy struct {
	cfg      Config
	pass     []string // names of PassHeaders, canonical
	upstream string
	sessions sessions
	peers    peers
	room     *mcphttp.Room // for each request that is served
	draining context.Context
	drain    func() // ends the endless streams
}

// New returns a proxy in front of a server. It does not contact the server.
func New(cfg Config) (*Proxy, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("httpdoor: %w", err)
	}
	pass, err := passHeaders(cfg.PassHeaders)
	if err != nil {
		return nil, fmt.Errorf("httpdoor: %w", err)
	}
	p := &Proxy{
		cfg: cfg, pass: pass, upstream: cfg.Upstream.String(),
		sessions: sessions{idle: cfg.SessionIdle, places: mcphttp.NewRoom(cfg.MaxSessions)},
		room:     mcphttp.NewRoom(cfg.MaxRequests),
	}
	p.draining, p.drain = context.WithCancel(context.Background())
	_, err = relay.NewServer(cfg.Config) // reports faults of cfg early
	return p, err
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := p.newExchange(r)
	owner := e.who.Principal()
	if bad := p.room.Admit(w, r, owner); bad != nil {
		p.refuse(w, bad.Status, nil, bad.Code(), bad.Message)
		return
	}
	defer p.room.Leave(owner)
	if r.Method == http.MethodPost {
		e.post(w, r)
		return
	}
	e.stream(w, r)
}

// who identifies the principal behind a request.
func (p *Proxy) who(r *http.Request) call.Session {
	s := p.cfg.Session(r)
	s.Transport = "http"
	s.ClientAddress, _, _ = net.SplitHostPort(r.RemoteAddr)
	return s
}

// detached returns a context with the values of a request's context that outlives the request.
func detached(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }
