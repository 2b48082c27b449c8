// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	pages "github.com/toolvet/toolvet/cmd/internal/jobs/web"
	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/proxy/httpdoor"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
	"github.com/toolvet/toolvet/internal/serving"
	"github.com/toolvet/toolvet/internal/tail"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/streamable"
	"github.com/toolvet/toolvet/upstream"
)

// A web is the HTTP side of [Serve].
type web struct {
	s       *service
	mux     *http.ServeMux
	all     *streamable.Front
	retired sync.WaitGroup
	trial   trial

	mu     sync.Mutex
	closed bool
	alone  map[string]*alone // by the server's name
}

// An alone serves one server by itself, at its own path.
type alone struct {
	*served
	http.Handler
	close   func(context.Context)
	endIdle func(principal string) bool // ends a session without use
}

// entry counts the processes of a server's sessions.
func (w *web) entry(server *served) func(context.Context, call.Session) (func(), error) {
	if server.local != nil {
		return nil
	}
	return func(ctx context.Context, caller call.Session) (func(), error) {
		return w.s.processes.enter(ctx, owner{principal(caller.Principal()), server.name})
	}
}

// endIdle ends a session without use at the path of some server.
func (w *web) endIdle(of principal) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.alone {
		if a.endIdle(string(of)) {
			return true
		}
	}
	return w.all.EndIdle(string(of)) // soon nobody uses its connections
}

func newWeb(s *service, metrics http.Handler) *web {
	w := &web{s: s, mux: http.NewServeMux(), alone: map[string]*alone{}}
	w.all = w.front(nil, s.gateway.Serve, serving.Of(s.gateway).Refused)
	s.processes.endsIdle(w.endIdle)
	s.loading.Lock()
	s.changed = w.update
	s.loading.Unlock()
	w.mux.Handle(endpoint, s.entry.handler(w.all))
	w.mux.Handle(endpoint+"/{server}", s.entry.handler(http.HandlerFunc(w.serveAlone)))
	w.mux.Handle("/.well-known/", s.entry.handler(http.NotFoundHandler()))
	w.mux.Handle("GET /metrics", s.entry.handler(metrics))
	w.mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) {
		respond(rw, http.StatusOK, map[string]string{"status": "ok"})
	})
	w.mux.HandleFunc("GET /readyz", w.readyz)
	w.mux.HandleFunc("GET /{$}", func(rw http.ResponseWriter, _ *http.Request) { // for a person with a browser
		respond(rw, http.StatusOK, map[string]string{"toolvet": "MCP clients connect to " + endpoint})
	})
	if s.scheduler != nil {
		w.mux.Handle(pages.Path, w.pages()) // they ask for tokens themselves
	}
	return w
}

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) { w.mux.ServeHTTP(rw, r) }

func (w *web) front(
	enter func(context.Context, call.Session) (leave func(), err error),
	serve func(context.Context, call.Session, io.Reader, io.Writer) error,
	refused func(context.Context, call.Session, jsonrpc.Envelope, error) error,
) *streamable.Front {
	return streamable.NewFront(streamable.FrontConfig{Enter: enter, Serve: serve, Refused: refused, Caller: w.caller, MaxSessions: w.s.cfg.MaxSessions, Logger: w.s.log})
}

// caller identifies the principal behind a request, with a key that no two principals share.
func (w *web) caller(r *http.Request) (string, call.Session) {
	s := callerOf(r, call.Session{Subject: w.s.subject()})
	return s.Principal() + s.ClientAddress, s
}

// serveAlone serves one server by itself.
func (w *web) serveAlone(rw http.ResponseWriter, r *http.Request) {
	server := w.s.named(r.PathValue("server"))
	if server == nil {
		refuse(rw, http.StatusNotFound, "the policy has no server of this name: "+endpoint+" serves all of its servers, and "+endpoint+"/NAME one")
		return
	}
	handler, err := w.handlerOf(server)
	if err != nil {
		w.s.log.Error("cannot serve a server by itself", "server", server.name, "err", err)
		refuse(rw, http.StatusServiceUnavailable, "toolvet cannot serve this server: its log says why")
		return
	}
	handler.ServeHTTP(rw, r)
}

// handlerOf serves one server by itself: through a proxy if it has a URL, or else with a process of
// its own for each session.
func (w *web) handlerOf(server *served) (http.Handler, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errors.New("toolvet is shutting down")
	}
	if a := w.alone[server.name]; a != nil && a.served == server {
		return a, nil
	}
	made := &alone{served: server, endIdle: func(string) bool { return false }}
	if server.policy.URL == "" {
		front := w.front(w.entry(server), func(ctx context.Context, caller call.Session, in io.Reader, out io.Writer) error {
			return w.session(ctx, server, caller, in, out)
		}, serving.Of(w.s.gateway).Refused)
		made.Handler, made.close, made.endIdle = front, front.Close, front.EndIdle
	} else {
		proxy, err := w.proxy(server)
		if err != nil {
			return nil, err
		}
		made.Handler, made.close = proxy, func(context.Context) { proxy.EndStreams() }
	}
	w.retire(server.name)
	w.alone[server.name] = made
	return made, nil
}

// proxy makes the proxy of a server behind a URL.
func (w *web) proxy(server *served) (*httpdoor.Proxy, error) {
	u, err := url.Parse(server.policy.URL)
	if err != nil { // the policy was read
		return nil, err
	}
	cfg := httpdoor.Config{
		Config: w.relayConfig(server), Upstream: u,
		Session: func(r *http.Request) call.Session { _, session := w.caller(r); return session },
	}
	if server.policy.Credentials != nil {
		if cfg.Transport, err = auth.NewTransport(server.policy, streamable.NewTransport(), auth.Options{Logger: w.s.log}); err != nil {
			return nil, err
		}
	}
	return httpdoor.New(cfg)
}

// relayConfig configures the relay of one server by itself.
func (w *web) relayConfig(server *served) relay.Config {
	return relay.Config{
		Server: server.name, Gate: server.gate.Load,
		ValidateName: w.s.cfg.ValidateName, Observer: w.s.observer, Rehearse: server.rehearse, Logger: w.s.log,
	}
}

// session serves one session with a server process of its own.
func (w *web) session(ctx context.Context, server *served, caller call.Session, in io.Reader, out io.Writer) error {
	stderr := w.s.stderr(server.name)
	if stderr == nil {
		stderr = new(tail.Writer)
	}
	return runSession(ctx, stdio.Config{
		Config: w.relayConfig(server), Stderr: stderr,
		Connect: func() (stdio.Peer, error) { return server.dialerFor(caller).Dial(ctx, stderr) },
	}, server.ends.Logger(w.s.log), caller, in, out)
}

// retirement bounds how long the sessions of a server may take to end after a change of the policy.
const retirement = 30 * time.Second

// retire ends the sessions of a server that the policy has removed or reaches another way. W must be locked.
func (w *web) retire(name string) {
	if a := w.alone[name]; a != nil {
		delete(w.alone, name)
		w.retired.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), retirement)
			defer cancel()
			a.close(ctx)
		})
	}
}

// update follows a change of the policy.
func (w *web) update() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, a := range w.alone {
		if w.s.named(name) != a.served {
			w.retire(name)
		}
	}
	w.tryChanged()
}

// close lets calls under way end, and then ends all sessions.
func (w *web) close(ctx context.Context) {
	drain, cancel := context.WithTimeout(ctx, ShutdownTime*3/4) // later calls get an error for an answer
	defer cancel()
	w.s.gateway.Drain(drain)
	w.all.Close(ctx)
	w.mu.Lock()
	w.closed = true
	for name := range w.alone {
		w.retire(name)
	}
	w.mu.Unlock()
	w.trial.end()
	w.retired.Wait()
}

// A serverState is what /readyz reports of a server.
type serverState struct {
	Name        string       `json:"name"`
	Connections []connection `json:"connections"`      // one for each principal that has one
	Reason      string       `json:"reason,omitempty"` // why it is down; see backend.Reason
}

type connection struct {
	Status   upstream.Status `json:"status"`
	Since    time.Time       `json:"since"`
	Failures int             `json:"failures,omitempty"`
	Next     *time.Time      `json:"next,omitempty"` // when the next attempt may be made
	Version  string          `json:"protocolVersion,omitempty"`
}

// down reports whether connections to the server have failed and none stands.
func (s *serverState) down() bool {
	failed := false
	for _, c := range s.Connections {
		if c.Status == upstream.Ready {
			return false
		}
		failed = failed || c.Status == upstream.Failed || c.Failures > 0
	}
	return failed
}

// A policyState is what /readyz reports of the policy. Why a text is refused stands in the log, since it may quote the policy.
type policyState struct {
	Digest  string    `json:"digest"` // SHA-256 of the text in force
	Since   time.Time `json:"since"`
	Looked  time.Time `json:"looked"`  // when toolvet last looked at the file
	Refused bool      `json:"refused"` // the file holds something else by now, and that is not in force
}

// readyz answers anybody, because a prober has no token. Under authorization, the names of the servers
// are for callers with a token.
func (w *web) readyz(rw http.ResponseWriter, r *http.Request) {
	if w.s.entry.resource() != nil && r.Header.Get("Authorization") == "" {
		status, code := w.readiness()
		respond(rw, code, map[string]string{"status": status})
		return
	}
	w.s.entry.handler(http.HandlerFunc(w.ready)).ServeHTTP(rw, r)
}

// ready reports the state of the servers, and a class of the reason why one is down, without anything that they say of themselves.
func (w *web) ready(rw http.ResponseWriter, _ *http.Request) {
	status, code := w.readiness()
	states := w.s.gateway.States()
	servers, down := []serverState{}, []string{}
	for _, name := range serving.Of(w.s.gateway).Names() {
		one := serverState{Name: name, Connections: []connection{}}
		var why error
		for _, state := range states[name] {
			why = cmp.Or(state.Err, why)
			c := connection{Status: state.Status, Since: state.Since.UTC(), Failures: state.Failures, Version: state.Version}
			if !state.Next.IsZero() {
				next := state.Next.UTC()
				c.Next = &next
			}
			one.Connections = append(one.Connections, c)
		}
		known := w.s.named(name)
		if known != nil {
			why = cmp.Or(known.fault, why)
		}
		tried := w.trial.failure(known, one.Connections)
		why = cmp.Or(why, tried)
		if one.down() || tried != nil || known != nil && known.fault != nil {
			down, one.Reason = append(down, name), backend.Reason(why)
		}
		servers = append(servers, one)
	}
	respond(rw, code, struct {
		Status  string        `json:"status"`
		Down    []string      `json:"down"`
		Policy  policyState   `json:"policy"`
		Servers []serverState `json:"servers"`
	}{status, down, w.s.policyState(), servers})
}

func (s *service) policyState() policyState {
	now := s.watcher.InForce()
	return policyState{now.Digest, now.Since.UTC(), now.Looked.UTC(), now.Problem != ""}
}

// refuse answers a request that reaches no server. A client of MCP reads the error of JSON-RPC.
func refuse(rw http.ResponseWriter, code int, message string) {
	mcphttp.Write(rw, code, "application/json", mcphttp.ErrorLine(nil, jsonrpc.InvalidRequest, message), time.Minute)
}

func respond(rw http.ResponseWriter, code int, value any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.Header().Set("Cache-Control", "no-store")
	rw.WriteHeader(code)
	_ = json.NewEncoder(rw).Encode(value) // a client that does not read it is gone
}

// pages shows the scheduler's jobs to visitors whom the policy in force lets in.
func (w *web) pages() http.Handler {
	return pages.New(pages.Config{
		Scheduler: w.s.scheduler.Scheduler, Authorization: w.s.entry.resource, Apart: w.s.ownersApart, Permit: w.s.jobAccess().permit, Logger: w.s.log,
		Who: func(r *http.Request) call.Session { _, s := w.caller(r); return s },
	})
}

// jobAccess judges operations on jobs.
func (s *service) jobAccess() *jobAccess {
	return newJobAccess(func() *toolvet.Gate { return s.gateOf(SchedulerName) }, s.observer, s.log)
}
