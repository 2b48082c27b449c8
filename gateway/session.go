// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/lines"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

const (
	// maxPending bounds the requests of a session in progress. All requests of one principal
	// that speak 2026-07-28 are one session.
	maxPending = 4096
	// lastWords is how long requests may go on after the client has closed its side.
	lastWords = 10 * time.Second
)

// A session serves one client.
type session struct {
	g      *Gateway
	limits call.Limits
	out    *outbox
	ctx    context.Context
	end    context.CancelFunc
	work   sync.WaitGroup // requests under way

	mu      sync.Mutex
	caller  call.Session
	pool    *pool               // nil: not needed yet
	begun   bool                // initialize was answered
	ready   bool                // the client accepts notifications
	offers  principal           // the client's capabilities; set by initialize
	level   string              // the log level
	pending map[string]*request // not answered yet, by id key
	asks    map[string]chan jsonrpc.Envelope
	lastAsk int
	listens map[string]*listen // subscriptions since 2026-07-28, by id key

	heard func(upstream.Notification) // receives the servers' notifications for a [Caller]; nil if there is a client
}

// A request is a request of the client.
type request struct {
	id     json.RawMessage // as the client spelt it
	method string
	params *splice.Document // as the client sent them, never changed
	unread error            // see jsonrpc.Envelope
	modern bool             // speaks 2026-07-28
	cancel context.CancelFunc
}

// Serve serves one session. It reads messages from in and writes messages to out, one a line,
// until in ends or ctx is done. Who identifies the client; sessions with the same who.Subject
// share connections. Serve answers every request. It may return while a read of in still blocks.
func (g *Gateway) Serve(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
	if who.ID == "" && who.Transport != "http" {
		who.ID = rand.Text() // a client on a pipe has a session of its own
	}
	s := &session{
		g: g, limits: g.cfg.Limits, caller: who, out: newOutbox(),
		pending: map[string]*request{}, asks: map[string]chan jsonrpc.Envelope{}, listens: map[string]*listen{},
	}
	s.ctx, s.end = context.WithCancel(ctx)
	defer s.end()
	written := make(chan error, 1)
	go func() {
		err := s.out.run(out)
		s.end() // the client reads no more
		written <- err
	}()
	read := make(chan struct{})
	go func() { defer close(read); s.read(in) }()
	select {
	case <-read:
		s.finish()
	case <-s.ctx.Done():
	}
	s.end()
	s.abandon()
	s.settle()
	s.mu.Lock()
	pool := s.pool
	s.pool = nil
	s.mu.Unlock()
	if pool != nil {
		pool.leave(s)
	}
	s.out.close()
	patience := lastWords
	if ctx.Err() != nil { // the caller of Serve wants a quick end
		patience = time.Second
	}
	select {
	case err := <-written:
		return err
	case <-time.After(patience):
		return errors.New("the client does not read its last answers")
	}
}

// finish waits for the answers to the requests under way after the client has closed its side.
func (s *session) finish() {
	s.stopListening()
	done := make(chan struct{})
	go func() { defer close(done); s.work.Wait() }()
	select {
	case <-done:
	case <-time.After(lastWords):
	case <-s.ctx.Done():
	}
}

// settle waits a moment for requests that were cancelled: a session that has ended works on
// nothing, so that a server's question can be another's.
func (s *session) settle() {
	done := make(chan struct{})
	go func() { defer close(done); s.work.Wait() }()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}

// abandon refuses the requests that are not answered yet.
func (s *session) abandon() {
	s.stopListening()
	s.mu.Lock()
	var left []*request
	for _, r := range s.pending {
		left = append(left, r)
	}
	s.mu.Unlock()
	for _, r := range left {
		r.cancel()
		s.answer(r, nil, &jsonrpc.Error{Code: jsonrpc.InternalError, Message: "the session ends before the answer came"})
	}
}

// read handles the client's messages until there are no more.
func (s *session) read(in io.Reader) {
	messages := lines.NewReader(in, s.limits.Bytes).ForOwner(s.caller.Principal())
	for {
		line, err := messages.Next()
		var long *lines.TooLongError
		switch {
		case errors.As(err, &long):
			s.g.refused(s.ctx, s.who, long.Envelope(), err)
			why := "the message is larger than the gateway's limit: send less at once"
			if long.Full != nil {
				why = long.Full.Error()
			}
			s.refuse(long.ID, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: why})
		case err != nil:
			return
		default:
			s.line(line)
		}
	}
}

// line handles one line of the client.
func (s *session) line(line []byte) {
	text := bytes.Trim(line, " \t\r")
	switch {
	case len(text) == 0:
	case text[0] == '[': // a batch: only in 2025-03-26
		elements, err := strictjson.Elements(text, s.limits)
		if err != nil || len(elements) == 0 {
			s.refuse(nil, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "the batch is empty, or cannot be read"})
			return
		}
		for _, e := range elements {
			s.message(e)
		}
	default:
		s.message(text)
	}
}

func (s *session) message(text []byte) {
	m, err := jsonrpc.DecodeEnvelope(text, s.limits)
	switch {
	case err != nil && m.Unread == nil:
		s.g.log.Warn("refused a message", "err", err)
		s.refuse(m.ID, s.g.refused(s.ctx, s.who, m, err))
	case m.Method == "":
		s.replied(m)
	case m.ID == nil:
		s.note(m)
	default:
		s.request(m)
	}
}

func (g innerGateway) Refused(ctx context.Context, who call.Session, m jsonrpc.Envelope, err error) error {
	return g.refused(ctx, func(map[string]any) *call.Session { return &who }, m, err)
}

func (g *Gateway) refused(ctx context.Context, who func(map[string]any) *call.Session, m jsonrpc.Envelope, err error) error {
	return g.doorOf(paramsOf(m, g.cfg.Limits)).Refused(ctx, who, m, err)
}

// paramsOf returns the params of a message. If they cannot be read as a whole, the document has the members
// that can be told apart, for finding the server.
func paramsOf(m jsonrpc.Envelope, limits call.Limits) *splice.Document {
	params := bytes.Clone(m.Params)
	if m.Unread != nil {
		if members, err := strictjson.Outline(params, limits); err == nil {
			return splice.NewObject(params, members, limits)
		}
	}
	return splice.New(params, limits)
}

// request starts work on a request.
func (s *session) request(m jsonrpc.Envelope) {
	r := &request{id: bytes.Clone(m.ID), method: m.Method, params: paramsOf(m, s.limits), unread: m.Unread}
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(s.ctx)
	if err := s.begin(r); err != nil {
		r.cancel()
		s.g.refused(s.ctx, s.who, m, err)
		s.refuse(r.id, err)
		return
	}
	work := func() {
		defer s.g.leave()
		defer r.cancel()
		defer func() {
			if p := recover(); p != nil {
				s.g.log.Error("a request broke", "method", r.method, "panic", p, "stack", string(debug.Stack()))
				s.answer(r, nil, &jsonrpc.Error{Code: jsonrpc.InternalError, Message: "toolvet failed at this request"})
			}
		}()
		result, err := s.serve(ctx, r)
		s.answer(r, result, err)
	}
	if m.Method == "initialize" { // later messages depend on it
		work()
		return
	}
	s.work.Go(work)
}

// begin registers a request as pending, and counts it in the gateway.
func (s *session) begin(r *request) error {
	if err := s.version(r); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := jsonrpc.IDKey(r.id)
	switch {
	case s.pending[key] != nil:
		return &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: `"id" belongs to a request that is not answered yet: use each id once`}
	case len(s.pending) >= maxPending:
		return &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: fmt.Sprintf("%d requests wait for answers: wait for some of them", maxPending)}
	}
	if err := s.g.enter(); err != nil {
		return err
	}
	s.pending[key] = r
	return nil
}

// answer answers a request, unless it has been answered or cancelled.
func (s *session) answer(r *request, result json.RawMessage, err error) {
	s.mu.Lock()
	key := jsonrpc.IDKey(r.id)
	mine := s.pending[key] == r
	if mine {
		delete(s.pending, key)
	}
	s.mu.Unlock()
	if !mine {
		return
	}
	if err != nil {
		s.refuse(r.id, err)
		return
	}
	loan, err := s.lend(len(result))
	if err != nil {
		s.g.log.Warn("dropped an answer of the server", "err", err)
		s.refuse(r.id, fmt.Errorf("the call may have run, but its result is dropped: %w", err))
		return
	}
	line := responseLine(r.id, "result", result)
	budget.Until(loan, &line[0])
	s.out.put(s.ctx, line)
}

// unread is the largest result, in bytes, that waits for its client without a loan.
const unread = 64 << 10

// lend returns a loan for a result that waits for its client; nil for a small one.
func (s *session) lend(n int) (*budget.Loan, error) {
	if n <= unread {
		return nil, nil
	}
	return budget.Held.Take(s.ctx, s.caller.Principal(), n, budget.Brief)
}

// waits reports whether a request is not answered yet.
func (s *session) waits(r *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending[jsonrpc.IDKey(r.id)] == r
}

// refuse answers with an error. A nil id becomes null, as JSON-RPC requires.
func (s *session) refuse(id json.RawMessage, err error) {
	s.out.put(s.ctx, responseLine(id, "error", errorOf(err)))
}

// responseLine encodes a response as one line.
func responseLine(id json.RawMessage, member string, value json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	if value == nil {
		value = json.RawMessage("{}")
	}
	return strictjson.OneLine(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"%s":%s}`, id, member, value))
}

// connections returns the session's pool. It joins the pool at the first use.
func (s *session) connections() (*pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pool == nil {
		key := s.offers
		key.identity = s.g.identity(s.caller)
		pool, err := s.g.join(key, s.caller, s)
		if err != nil {
			return nil, err
		}
		if s.ctx.Err() != nil { // the session has ended, so nobody else would leave the pool
			go pool.leave(s)
			return nil, s.ctx.Err()
		}
		s.pool = pool
	}
	return s.pool, nil
}

// identity tells principals apart.
func (g *Gateway) identity(who call.Session) string {
	if !g.personal {
		return who.Subject
	}
	if len(who.Claims) == 0 {
		who.Claims = nil // a store of jobs does not distinguish no claims from unknown ones
	}
	return who.Principal()
}

// who identifies the caller of a request with this _meta.
func (s *session) who(meta map[string]any) *call.Session {
	s.mu.Lock()
	known := s.caller
	s.mu.Unlock()
	known.Traceparent, _ = meta["traceparent"].(string) // SEP-414
	if version, _ := meta[jsonrpc.RevisionKey].(string); version != "" {
		known.ProtocolVersion = version
	}
	if client, _ := meta[jsonrpc.ClientInfoKey].(map[string]any); client != nil {
		known.ClientName, _ = client["name"].(string)
		known.ClientVersion, _ = client["version"].(string)
	}
	return &known
}

// note handles a notification of the client.
func (s *session) note(m jsonrpc.Envelope) {
	switch m.Method {
	case "notifications/initialized":
		s.mu.Lock()
		s.ready = s.begun
		s.mu.Unlock()
	case "notifications/cancelled":
		key := jsonrpc.IDKey(splice.Get(m.Params, s.limits, "requestId"))
		s.mu.Lock()
		r := s.pending[key]
		if r != nil && r.method != "initialize" {
			delete(s.pending, key) // no answer will come
		}
		s.mu.Unlock()
		if r != nil && r.method != "initialize" {
			r.cancel()
		}
	case "tools/call":
		s.g.log.Warn("dropped a tools/call without an id")
		s.g.refused(s.ctx, s.who, m, errors.New("the call has no id"))
	}
}
