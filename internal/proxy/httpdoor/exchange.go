// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/sse"
)

// An exchange is one HTTP request of a client, and the link of its messages.
type exchange struct {
	relay    *relay.Exchange
	p        *Proxy
	ctx      context.Context // has the values of the request's context, but outlives it
	owner    string
	who      call.Session
	header   http.Header     // for the server
	session  *session        // nil: none
	begins   bool            // it may begin a session, and holds a place for it
	listens  bool            // the answer is a stream of notifications, and its end no fault
	resumes  bool            // the stream had an id, so the client can ask for the rest of it
	original []byte          // the body
	batch    [][]byte        // messages in it, if it is a batch; else nil
	id       json.RawMessage // of a request that is not in a batch

	asked, got *budget.Loan // for the body, and for the server's answer

	dropped atomic.Bool // the server's stream ends here

	mu      sync.Mutex
	sent    bool      // the client's messages are sent; any more are the proxy's own
	early   *flusher  // writes ahead of the answer; nil: the client takes no stream
	opened  bool      // the proxy has opened a stream of its own for the answer
	waiting []message // from the client, for the server
	answers []answer  // the proxy's own
}

// A message is a message for the server; r is nil if it expects no answer.
type message struct {
	r    *relay.Request
	line []byte
}

// An answer is the proxy's own answer. Code is the code of a JSON-RPC error, or 0.
type answer struct {
	line []byte
	code int
}

func (p *Proxy) newExchange(r *http.Request) *exchange {
	e := &exchange{p: p, ctx: detached(r), who: p.who(r), header: p.toServer(r.Header)}
	e.owner = p.owner(&e.who, r.Header)
	principal := e.who.Principal()
	e.asked, e.got = budget.Held.Open(principal), budget.Held.Open(principal)
	return e
}

// begin finds the client behind the request, or returns the reason for refusing it. Version is
// the version of a modern request, or "".
func (e *exchange) begin(version string, initialize bool) *refusal {
	id, modern := e.header.Get(sessionHeader), version != ""
	var client *relay.Client
	switch {
	case !modern && id != "":
		if e.session = e.p.sessions.use(id, e.owner); e.session == nil {
			return &refusal{http.StatusNotFound, nil, jsonrpc.InvalidRequest, "there is no such session: begin one with initialize"}
		}
		client = e.session.client
		client.Identify(e.who)
	case !modern && initialize && !e.p.sessions.places.Enter(e.owner):
		return &refusal{http.StatusServiceUnavailable, nil, jsonrpc.InternalError, "too many sessions: end some with DELETE, or try again later"}
	default:
		// A modern request has no session, even if it names one (2026-07-28, Earlier
		// Streamable HTTP Revisions).
		e.header.Del(sessionHeader)
		e.begins = !modern && initialize
		var err error
		if client, err = e.stateless(version); err != nil {
			return &refusal{http.StatusInternalServerError, nil, jsonrpc.InternalError, err.Error()}
		}
	}
	e.relay = client.NewExchange(e.ctx, e)
	return nil
}

// stateless returns a client for this request only.
func (e *exchange) stateless(version string) (*relay.Client, error) {
	server, err := e.p.peers.of(peerKey{e.owner, version}, func() (*relay.Server, error) { return relay.NewServer(e.p.cfg.Config) })
	if err != nil {
		return nil, err
	}
	who := e.who
	who.ProtocolVersion = e.header.Get(mcpheader.Version)
	return server.NewClient(who), nil
}

// end releases the resources of the request.
func (e *exchange) end() {
	e.asked.Return()
	e.got.Return()
	switch {
	case e.session != nil:
		e.p.sessions.release(e.session)
	case e.begins:
		e.p.sessions.places.Leave(e.owner)
	}
}

// Answer implements relay.Link. It keeps the answer until the whole response is written.
func (e *exchange) Answer(line []byte, code int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers = append(e.answers, answer{line, code})
}

// Notify implements relay.Link. The first notification opens a stream for the answer, too: the
// proxy sends notifications only about requests it answers itself.
func (e *exchange) Notify(line []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.early == nil {
		return
	}
	if !e.opened {
		e.opened = true
		e.early.open()
	}
	e.early.write(encode(line))
}

// Forward implements relay.Link.
func (e *exchange) Forward(r *relay.Request, line []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting = append(e.waiting, message{r, line})
}

// Send implements relay.Link. A message from the client waits for the rest of the client's
// request. The proxy's own message goes out in an HTTP request of its own.
func (e *exchange) Send(line []byte) {
	e.mu.Lock()
	own := e.sent
	if !own {
		e.waiting = append(e.waiting, message{nil, line})
	}
	e.mu.Unlock()
	if !own {
		return
	}
	ctx, cancel := context.WithTimeout(e.ctx, e.p.cfg.ServerTimeout)
	defer cancel()
	if resp, err := e.own(ctx, line); err == nil {
		resp.Body.Close()
	}
}

// Drop implements relay.Link. It ends the server's stream.
func (e *exchange) Drop() { e.dropped.Store(true) }

// Ask implements relay.Link.
func (e *exchange) Ask(ctx context.Context, line []byte) error {
	resp, err := e.own(ctx, line)
	if err != nil {
		e.p.cfg.Logger.Error("the server cannot be reached", "err", err)
		return fmt.Errorf("the server cannot be reached: %w", hidden(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the server answers with the HTTP status %d", resp.StatusCode)
	}
	return e.readOwn(resp)
}

// readOwn reads the answer to the proxy's own request. Its error counts only if the answer has
// not come.
func (e *exchange) readOwn(resp *http.Response) error {
	limit := e.p.cfg.Limits.Bytes
	switch {
	case mcphttp.Encoded(resp.Header):
		return errors.New("the server's answer is compressed, though nobody asked for that")
	case mcphttp.ContentType(resp.Header) == jsonType:
		data, err := mcphttp.ReadWithin(resp, limit, e.got)
		if err != nil {
			return fmt.Errorf("the server's answer cannot be read: %w", hidden(err))
		}
		e.relay.FromServer(data)
	case mcphttp.ContentType(resp.Header) == streamType:
		for in := e.events(resp, limit); ; {
			event, err := in.Next()
			if errors.Is(err, io.ErrUnexpectedEOF) {
				event, err = sse.Torn(event.Raw)
			}
			if err != nil {
				return errors.New("the server's stream ends without an answer")
			}
			if len(event.Data) > 0 && (event.Type == "" || event.Type == "message") {
				e.relay.FromServer(event.Data)
			}
		}
	}
	return errors.New("the server does not answer with a message")
}

// own sends the proxy's own message in the client's name.
func (e *exchange) own(ctx context.Context, line []byte) (*http.Response, error) {
	h := e.header.Clone()
	for name := range h {
		if len(name) > len(mcpheader.Param) && name[:len(mcpheader.Param)] == mcpheader.Param {
			h.Del(name)
		}
	}
	h.Del("Last-Event-Id")
	h.Del(mcpheader.Method)
	h.Del(mcpheader.Name)
	h.Set("Content-Type", jsonType)
	h.Set("Accept", jsonType+", "+streamType)
	m, err := jsonrpc.DecodeEnvelope(line, e.p.cfg.Limits)
	if err != nil {
		return nil, err
	}
	if version := h[mcpheader.Version]; modern(h, mcpheader.BodyVersion(m.Params, e.p.cfg.Limits)) != "" {
		mcpheader.Set(h, m, nil, e.p.cfg.Limits)
		h[mcpheader.Version] = version // as negotiated by the client
	}
	return e.roundTrip(ctx, http.MethodPost, h, line)
}

func (e *exchange) roundTrip(ctx context.Context, method string, h http.Header, body []byte) (*http.Response, error) {
	var r io.Reader
	if body != nil {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, e.p.upstream, r)
	if err != nil {
		return nil, err
	}
	req.Header = h
	return e.p.cfg.Transport.RoundTrip(req)
}

// hidden returns an error without addresses and URLs.
func hidden(err error) error {
	for _, known := range []error{context.DeadlineExceeded, context.Canceled, io.ErrUnexpectedEOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	return errors.New("the reason is in toolvet's log")
}
