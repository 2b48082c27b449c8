// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// A FrontConfig configures a [Front]. Serve is required.
type FrontConfig struct {
	// Serve serves one session: it reads messages from stdin and writes messages to stdout, a line
	// each, until stdin ends or ctx is done. Then it answers every open request and returns soon.
	Serve func(ctx context.Context, caller call.Session, stdin io.Reader, stdout io.Writer) error
	// Caller identifies the principal behind a request: by a unique name, and by the caller for the
	// session. A session belongs to one principal. By default all requests come from one.
	Caller func(*http.Request) (identity string, caller call.Session)
	// Enter makes room for a session, until leave is called. The error is for the client. Nil: there
	// is room for MaxSessions.
	Enter func(ctx context.Context, caller call.Session) (leave func(), err error)
	// Refused receives a message that is refused with err and reaches no session. Of a malformed one, only id
	// and method may be known. May be nil.
	Refused func(ctx context.Context, caller call.Session, m jsonrpc.Envelope, err error) error

	Limits      call.Limits   // of each message of a client; default call.Limits
	MaxSessions int           // of one principal; of all, ten times as many; default 100
	MaxRequests int           // of one principal at once; of all, ten times as many; default 1000
	Idle        time.Duration // life of a session without requests; default 30 min
	// ReadTimeout bounds the time for a client to send a message; default 30 s.
	ReadTimeout  time.Duration
	WriteTimeout time.Duration // for a client to read a piece of an answer; default 60 s
	// Prompt is the wait for an answer before a stream opens, to show the client that the request is
	// under way. Default 5 s.
	Prompt    time.Duration
	KeepAlive time.Duration // between keep-alives on a stream; default 15 s
	Logger    *slog.Logger  // nil discards
}

func (c FrontConfig) withDefaults() FrontConfig {
	if c.Caller == nil {
		c.Caller = func(*http.Request) (string, call.Session) { return "", call.Session{Transport: "http"} }
	}
	if c.Limits.Bytes <= 0 {
		c.Limits.Bytes = 16 << 20
	}
	c.MaxSessions = cmp.Or(max(c.MaxSessions, 0), 100)
	c.MaxRequests = cmp.Or(max(c.MaxRequests, 0), 1000)
	c.ReadTimeout = cmp.Or(max(c.ReadTimeout, 0), 30*time.Second)
	c.WriteTimeout = cmp.Or(max(c.WriteTimeout, 0), time.Minute)
	c.Idle = cmp.Or(max(c.Idle, 0), 30*time.Minute)
	c.Prompt = cmp.Or(max(c.Prompt, 0), 5*time.Second)
	c.KeepAlive = cmp.Or(max(c.KeepAlive, 0), 15*time.Second)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// A Front is an MCP endpoint of Streamable HTTP in front of sessions of one line per message. Clients
// of 2025-11-25 and older have a session each; the requests of 2026-07-28 of one identity share one.
// Handlers before it check Host, Origin and credentials.
type Front struct {
	cfg    FrontConfig
	limits call.Limits // of messages from clients
	wide   call.Limits // of messages from sessions, which have their own bounds: results may hold images
	log    *slog.Logger
	ctx    context.Context // of all sessions
	end    context.CancelFunc
	ended  sync.WaitGroup // sessions

	requests, places *mcphttp.Room // for requests, and for sessions

	mu       sync.Mutex
	closed   bool
	sessions map[string]*stateful  // by id
	shared   map[string]*stateless // by identity
}

// NewFront makes a front. Close ends what it starts.
func NewFront(cfg FrontConfig) *Front {
	cfg = cfg.withDefaults()
	f := &Front{
		cfg: cfg, limits: cfg.Limits, log: cfg.Logger,
		sessions: map[string]*stateful{}, shared: map[string]*stateless{},
	}
	f.wide = cfg.Limits
	f.wide.Bytes = max(f.wide.Bytes, maxHeldBytes)
	f.requests, f.places = mcphttp.NewRoom(cfg.MaxRequests), mcphttp.NewRoom(cfg.MaxSessions)
	f.ctx, f.end = context.WithCancel(context.Background())
	return f
}

// Close ends all sessions, and waits for them until ctx is done.
func (f *Front) Close(ctx context.Context) {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.end()
	done := make(chan struct{})
	go func() { defer close(done); f.ended.Wait() }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// ServeHTTP implements [http.Handler].
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, caller := f.cfg.Caller(r)
	owner := caller.Principal()
	if bad := f.requests.Admit(w, r, owner); bad != nil {
		f.refuse(w, bad.Status, nil, bad.Code(), bad.Message)
		return
	}
	defer f.requests.Leave(owner)
	switch r.Method {
	case http.MethodPost:
		f.post(w, r)
	case http.MethodGet:
		f.get(w, r)
	case http.MethodDelete:
		f.delete(w, r)
	}
}

// post takes messages.
func (f *Front) post(w http.ResponseWriter, r *http.Request) {
	_, caller := f.cfg.Caller(r)
	loan := budget.Held.Open(caller.Principal())
	defer loan.Return()
	line, ok := f.body(w, r, loan)
	if !ok {
		return
	}
	if line[0] == '[' {
		if s := f.sessionOf(w, r, jsonrpc.Envelope{}); s != nil {
			s.batch(w, r, line)
		}
		return
	}
	m, err := jsonrpc.DecodeEnvelope(line, f.limits)
	version := r.Header.Get(mcpheader.Version)
	if err != nil && (m.Unread == nil || version >= jsonrpc.Modern) { // the id of a modern request cannot be changed in it
		f.refuseError(w, r, m, err)
		return
	}
	if version >= jsonrpc.Modern || mcpheader.BodyVersion(m.Params, f.limits) != "" {
		f.modern(w, r, m, line)
		return
	}
	err = mcpheader.CheckOlder(r.Header, m, f.limits)
	switch {
	case err != nil:
		f.refuseMessage(w, r, m, http.StatusBadRequest, mcpheader.HeaderMismatch, err.Error())
	case m.Method == "initialize" && m.ID != nil && r.Header.Get(sessionHeader) == "":
		f.initialize(w, r, m, line)
	default:
		if s := f.sessionOf(w, r, m); s != nil {
			s.post(w, r, m, line)
		}
	}
}

// legacyVersions are the revisions with sessions.
var legacyVersions = map[string]bool{"": true, "2024-11-05": true, "2025-03-26": true, "2025-06-18": true, "2025-11-25": true}

// sessionOf returns the session of a request. If there is none, it answers and returns nil.
func (f *Front) sessionOf(w http.ResponseWriter, r *http.Request, m jsonrpc.Envelope) *stateful {
	key := r.Header.Get(sessionHeader)
	if key == "" {
		f.refuseMessage(w, r, m, http.StatusBadRequest, jsonrpc.InvalidRequest, "the header Mcp-Session-Id is missing: send initialize first")
		return nil
	}
	identity, _ := f.cfg.Caller(r)
	f.mu.Lock()
	s := f.sessions[key]
	f.mu.Unlock()
	switch version := r.Header.Get(mcpheader.Version); {
	case s == nil, s.identity != identity:
		f.refuseMessage(w, r, m, http.StatusNotFound, jsonrpc.InvalidRequest, "there is no such session, or it has ended: send initialize again")
		return nil
	case !legacyVersions[version]:
		f.refuseMessage(w, r, m, http.StatusBadRequest, jsonrpc.InvalidRequest, "the header MCP-Protocol-Version names a revision that this session does not speak")
		return nil
	}
	return s
}

// get opens the stream of unsolicited messages, or resumes a stream.
func (f *Front) get(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(sessionHeader) == "" && r.Header.Get(mcpheader.Version) >= jsonrpc.Modern {
		w.Header().Set("Allow", "POST")
		f.refuse(w, http.StatusMethodNotAllowed, nil, jsonrpc.InvalidRequest, "there is no GET since 2026-07-28: send subscriptions/listen")
		return
	}
	if !mcphttp.Accepts(r.Header, eventStream) {
		f.refuse(w, http.StatusNotAcceptable, nil, jsonrpc.InvalidRequest, "the header Accept must list text/event-stream")
		return
	}
	if s := f.sessionOf(w, r, jsonrpc.Envelope{}); s != nil {
		s.listen(w, r)
	}
}

// delete ends a session.
func (f *Front) delete(w http.ResponseWriter, r *http.Request) {
	if s := f.sessionOf(w, r, jsonrpc.Envelope{}); s != nil {
		s.end()
		w.WriteHeader(http.StatusNoContent)
	}
}

// initialize begins a session.
func (f *Front) initialize(w http.ResponseWriter, r *http.Request, m jsonrpc.Envelope, line []byte) {
	identity, caller := f.cfg.Caller(r)
	id := rand.Text()
	caller.ID = call.SessionID(id)
	s := &stateful{id: id, identity: identity, streams: map[string]*stream{}, pending: map[string]asked{}, tokens: map[string]string{}}
	s.own = newStream(s.streamName(), 0)
	s.streams[s.own.name] = s.own
	leave, err := f.enter(r.Context(), caller)
	if err != nil {
		f.busy(w, r, m, err)
		return
	}
	s.backend = newBackend(f, caller.Principal(), s.fromServer)
	s.enter() // until the answer to initialize
	defer s.leave()
	s.left = leave
	f.mu.Lock()
	f.sessions[s.id] = s
	f.mu.Unlock()
	go s.backend.serve(caller, func() {
		f.mu.Lock()
		delete(f.sessions, s.id)
		f.mu.Unlock()
		s.abandon()
	})
	s.begin(w, r, m, line)
}

var (
	errFull = errors.New("too many sessions are open: end some with DELETE, or try again later")
	errEnds = errors.New("the endpoint is shutting down: connect again later")
)

// enter takes the place of a session, until leave is called.
func (f *Front) enter(ctx context.Context, caller call.Session) (leave func(), err error) {
	principal := caller.Principal()
	f.mu.Lock()
	switch {
	case f.closed:
		err = errEnds
	case !f.places.Enter(principal):
		err = errFull
	default:
		f.ended.Add(1)
	}
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	end := func() {
		f.places.Leave(principal)
		f.ended.Done()
	}
	if f.cfg.Enter == nil {
		return end, nil
	}
	left, err := f.cfg.Enter(ctx, caller)
	if err != nil {
		end()
		return nil, err
	}
	return func() { left(); end() }, nil
}

func (f *Front) busy(w http.ResponseWriter, r *http.Request, m jsonrpc.Envelope, err error) {
	w.Header().Set("Retry-After", "30")
	f.refuseMessage(w, r, m, http.StatusServiceUnavailable, jsonrpc.InternalError, err.Error())
}

// EndIdle ends the session that has been without requests and streams for the longest time: of the
// principal, or of anybody if it is "". It returns false if there is none.
func (f *Front) EndIdle(principal string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	var longest *backend
	var since time.Time
	look := func(b *backend) {
		if at, idle := b.idleSince(); idle && (principal == "" || b.owner == principal) && (longest == nil || at.Before(since)) {
			longest, since = b, at
		}
	}
	for _, s := range f.sessions {
		look(s.backend)
	}
	for _, s := range f.shared {
		look(s.backend)
	}
	if longest == nil {
		return false
	}
	longest.end()
	return true
}
