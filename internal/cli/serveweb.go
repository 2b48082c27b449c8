// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolvet/toolvet/access/auth"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door/httpdoor"
	"github.com/toolvet/toolvet/door/relay"
	"github.com/toolvet/toolvet/door/stdio"
	"github.com/toolvet/toolvet/internal/wire/streamable"
	pages "github.com/toolvet/toolvet/schedule/web"
	"github.com/toolvet/toolvet/upstream"
)

// A web is the HTTP side of "toolvet serve".
type web struct {
	s       *serving
	mux     *http.ServeMux
	all     *streamable.Front
	retired sync.WaitGroup

	mu     sync.Mutex
	closed bool
	fronts map[string]*alone // by the server's name
}

// An alone is one server by itself.
type alone struct {
	*served
	http.Handler
	close func(context.Context)
}

func newWeb(s *serving, metrics http.Handler) *web {
	w := &web{s: s, mux: http.NewServeMux(), fronts: map[string]*alone{}}
	w.all = w.front(s.gateway.Serve)
	s.loading.Lock()
	s.changed = w.update
	s.loading.Unlock()
	w.mux.Handle(endpoint, w.guarded(w.all))
	w.mux.Handle(endpoint+"/{server}", w.guarded(http.HandlerFunc(w.one)))
	w.mux.Handle("/.well-known/", w.guarded(http.NotFoundHandler()))
	w.mux.Handle("GET /metrics", w.guarded(metrics))
	w.mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) {
		answer(rw, http.StatusOK, map[string]string{"status": "ok"})
	})
	w.mux.HandleFunc("GET /readyz", w.ready)
	if s.scheduler != nil {
		w.mux.Handle(pages.Path, w.pages()) // they ask for tokens themselves
	}
	return w
}

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) { w.mux.ServeHTTP(rw, r) }

// guarded lets those in whom the policy of the moment does.
func (w *web) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if resource := w.s.resource(); resource != nil {
			resource.Handler(next).ServeHTTP(rw, r)
			return
		}
		next.ServeHTTP(rw, r)
	})
}

func (w *web) front(serve func(context.Context, call.Session, io.Reader, io.Writer) error) *streamable.Front {
	return streamable.NewFront(streamable.FrontConfig{Serve: serve, Who: w.who, MaxSessions: w.s.flags.sessions, Logger: w.s.log})
}

// who is who makes a request, and what tells principals apart.
func (w *web) who(r *http.Request) (string, call.Session) {
	s := who(r, call.Session{Subject: w.s.subject()})
	return s.Principal() + s.ClientAddress, s
}

// one answers for one server by itself.
func (w *web) one(rw http.ResponseWriter, r *http.Request) {
	server := w.s.named(r.PathValue("server"))
	if server == nil {
		http.Error(rw, "the policy has no such server", http.StatusNotFound)
		return
	}
	handler, err := w.alone(server)
	if err != nil {
		w.s.log.Error("a server cannot be served by itself", "server", server.name, "err", err)
		http.Error(rw, "the server cannot be served: toolvet's log says why", http.StatusServiceUnavailable)
		return
	}
	handler.ServeHTTP(rw, r)
}

// alone is what answers for a server by itself: a proxy before the server of a URL, or
// sessions with a process each.
func (w *web) alone(server *served) (http.Handler, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errors.New("toolvet is shutting down")
	}
	if a := w.fronts[server.name]; a != nil && a.served == server {
		return a, nil
	}
	made := &alone{served: server}
	if server.policy.URL == "" {
		front := w.front(func(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
			return w.session(ctx, server, who, in, out)
		})
		made.Handler, made.close = front, front.Close
	} else {
		proxy, err := w.proxy(server)
		if err != nil {
			return nil, err
		}
		made.Handler, made.close = proxy, func(context.Context) { proxy.EndStreams() }
	}
	w.retire(server.name)
	w.fronts[server.name] = made
	return made, nil
}

// proxy stands before a server behind a URL.
func (w *web) proxy(server *served) (*httpdoor.Proxy, error) {
	u, err := url.Parse(server.policy.URL)
	if err != nil { // the policy was read
		return nil, err
	}
	cfg := httpdoor.Config{
		Config: w.mediation(server), Upstream: u,
		Session: func(r *http.Request) call.Session { _, who := w.who(r); return who },
	}
	if server.policy.Credentials != nil {
		if cfg.Transport, err = auth.NewTransport(server.policy, streamable.NewTransport(), auth.Options{Logger: w.s.log}); err != nil {
			return nil, err
		}
	}
	return httpdoor.New(cfg)
}

// mediation is what becomes of the messages of a server by itself.
func (w *web) mediation(server *served) relay.Config {
	return relay.Config{
		Server: server.name, Gate: server.gate.Load,
		ValidateName: w.s.flags.validateName, Observer: w.s.observer, Rehearse: server.offer, Logger: w.s.log,
	}
}

// session is a session with a server of its own.
func (w *web) session(ctx context.Context, server *served, who call.Session, in io.Reader, out io.Writer) error {
	return session(ctx, stdio.Config{
		Config: w.mediation(server),
		Connect: func() (stdio.Peer, error) {
			return server.dialerFor(who).Dial(ctx, &prefixed{name: server.name, w: w.s.stderr})
		},
	}, who, in, out)
}

// retirement is how long the sessions of a server that is reached otherwise now may take to
// end.
const retirement = 30 * time.Second

// retire ends the sessions of a server that is none any more, or is reached otherwise. W must be
// locked.
func (w *web) retire(name string) {
	if a := w.fronts[name]; a != nil {
		delete(w.fronts, name)
		w.retired.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), retirement)
			defer cancel()
			a.close(ctx)
		})
	}
}

// update follows the policy.
func (w *web) update() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, a := range w.fronts {
		if w.s.named(name) != a.served {
			w.retire(name)
		}
	}
}

// close answers what is under way, and ends all sessions.
func (w *web) close(ctx context.Context) {
	drain, cancel := context.WithTimeout(ctx, shutdown*3/4) // what is left then is answered
	defer cancel()
	w.s.gateway.Drain(drain)
	w.all.Close(ctx)
	w.mu.Lock()
	w.closed = true
	for name := range w.fronts {
		w.retire(name)
	}
	w.mu.Unlock()
	w.retired.Wait()
}

// A serverState is how a server stands: what /readyz says of it.
type serverState struct {
	Name        string       `json:"name"`
	Connections []connection `json:"connections"` // those of each principal
}

type connection struct {
	Status   upstream.Status `json:"status"`
	Since    time.Time       `json:"since"`
	Failures int             `json:"failures,omitempty"`
	Next     *time.Time      `json:"next,omitempty"` // nobody tries again before
	Version  string          `json:"protocolVersion,omitempty"`
}

// ready says how the servers stand, without what they say of themselves. Toolvet is ready also
// while servers are down: their calls are answered.
func (w *web) ready(rw http.ResponseWriter, _ *http.Request) {
	status, code := "ready", http.StatusOK
	if w.s.gateway.Draining() {
		status, code = "draining", http.StatusServiceUnavailable
	}
	states := w.s.gateway.States()
	servers := []serverState{}
	for _, name := range w.s.gateway.Names() {
		one := serverState{name, []connection{}}
		for _, state := range states[name] {
			c := connection{Status: state.Status, Since: state.Since.UTC(), Failures: state.Failures, Version: state.Version}
			if !state.Next.IsZero() {
				next := state.Next.UTC()
				c.Next = &next
			}
			one.Connections = append(one.Connections, c)
		}
		servers = append(servers, one)
	}
	answer(rw, code, struct {
		Status  string        `json:"status"`
		Servers []serverState `json:"servers"`
	}{status, servers})
}

func answer(rw http.ResponseWriter, code int, value any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.Header().Set("Cache-Control", "no-store")
	rw.WriteHeader(code)
	_ = json.NewEncoder(rw).Encode(value) // who does not read it is gone
}
