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

// Config says what to put the proxy in front of. Gate and Upstream are required. A limit that
// is zero means its default.
type Config struct {
	relay.Config

	Upstream *url.URL // the server's MCP endpoint
	// Transport carries requests to the server, and may add credentials: the context of
	// each is that of the client's request, or has its values. Default: connections are made
	// within 10 s, with the proxies of the environment, and without compression.
	Transport http.RoundTripper
	// Session is what is known of who makes a request, such as the subject and the claims
	// of its token. Default: nothing. The proxy adds the address.
	Session func(*http.Request) call.Session
	// PassHeaders are further headers of clients that the server gets. Without them it
	// gets no credentials of a client: Authorization, Cookie and the like.
	PassHeaders []string

	MaxBody      int           // bytes of a request; default 16 MiB
	ReadTimeout  time.Duration // for a client to send a request's headers, and again its body; default 30 s
	WriteTimeout time.Duration // for a client to take a piece of an answer; default 60 s
	MaxRequests  int           // of one principal at once, streams included; of all, ten times as many; default 1000
	MaxSessions  int           // of one principal; of all, ten times as many; default 1000
	SessionIdle  time.Duration // until a session without requests and streams is forgotten; default 30 min
	ResumeTime   time.Duration // for a client to come back to a stream that can be resumed; default 5 min
}

// listTTL is how long a list of tools counts whose server does not say so: not every client
// keeps a stream open on which the server could tell that it has changed.
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

// A Proxy is an http.Handler: the MCP endpoint in front of a server. It may be used
// concurrently. It checks neither Host nor Origin: whoever serves it does.
type Proxy struct {
	cfg      Config
	pass     []string // names of PassHeaders, canonical
	upstream string
	sessions sessions
	peers    peers
	room     *mcphttp.Room // for each request that is served
	draining context.Context
	drain    func() // ends the streams that have no end
}

// New returns a proxy in front of a server, which it does not call yet.
func New(cfg Config) (*Proxy, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("httpproxy: %w", err)
	}
	pass, err := passHeaders(cfg.PassHeaders)
	if err != nil {
		return nil, fmt.Errorf("httpproxy: %w", err)
	}
	p := &Proxy{
		cfg: cfg, pass: pass, upstream: cfg.Upstream.String(),
		sessions: sessions{idle: cfg.SessionIdle, places: mcphttp.NewRoom(cfg.MaxSessions)},
		room:     mcphttp.NewRoom(cfg.MaxRequests),
	}
	p.draining, p.drain = context.WithCancel(context.Background())
	_, err = relay.NewServer(cfg.Config) // reports what is wrong with cfg now
	return p, err
}

// ServeHTTP serves a request of a client.
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

// who is what is known of who makes a request.
func (p *Proxy) who(r *http.Request) call.Session {
	s := p.cfg.Session(r)
	s.Transport = "http"
	s.ClientAddress, _, _ = net.SplitHostPort(r.RemoteAddr)
	return s
}

// detached is a context with the values of a request's, which lasts longer.
func detached(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }
