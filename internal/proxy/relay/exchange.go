// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/lines"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// A Link carries the messages of an exchange. Its methods must be safe for concurrent use, and
// must not keep a line after they return.
type Link interface {
	// Answer sends the client toolvet's own answer. Code is the code of a JSON-RPC error, or 0
	// for a result.
	Answer(line []byte, code int)
	// Notify sends the client toolvet's own notification about an open request, ahead of the
	// answer, if the transport can.
	Notify(line []byte)
	// Forward sends the server a request of the client. If the server will not answer it, the
	// link calls [Exchange.Fail].
	Forward(r *Request, line []byte)
	// Send sends the server a message without an answer, if the server takes it.
	Send(line []byte)
	// Drop ends the server, or what it sends for this exchange. The link answers the open requests.
	Drop()
	// Ask sends the server toolvet's own request. The answer comes through FromServer, unless
	// Ask returns an error. Ask may return when ctx is done; the exchange cancels ctx as soon as
	// the answer has come.
	Ask(ctx context.Context, line []byte) error
}

// A Reader is a Link that reads the client's messages itself and passes them to
// [Exchange.FromClient].
type Reader interface {
	// Later runs work, which may be slow, without blocking the messages behind it. FromClient
	// calls Later once it no longer needs its line.
	Later(work func())
}

// An Exchange carries messages of one client over one link to the server, and the answers
// back. A stdio session has one; over HTTP each request has its own.
type Exchange struct {
	client  *Client
	server  *Server // client.server
	link    Link
	ctx     context.Context
	judging sync.WaitGroup // calls under judgement while later messages pass

	refusals lines.Queue // answers to the server's requests
	flooded  sync.Once   // there were too many
}

// NewExchange begins an exchange. Ctx bounds work that may outlive a message: reviews, and
// listings of the tools, which other exchanges may share.
func (c *Client) NewExchange(ctx context.Context, link Link) *Exchange {
	x := &Exchange{client: c, server: c.server, ctx: ctx, link: link}
	x.refusals.Send = func(line []byte) { x.link.Send(line) }
	return x
}

// Client returns the client of the exchange.
func (x *Exchange) Client() *Client { return x.client }

// Server returns the client's view of the server.
func (x *Exchange) Server() *Server { return x.server }

// Apart gives the exchange a client of its own when a session begins. The server may show this
// session other tools, so from now on it shares nothing with other sessions. The new client takes
// over the open requests. No other exchange may use the old one.
func (x *Exchange) Apart(session string) error {
	server, err := NewServer(x.server.cfg)
	if err != nil {
		return err
	}
	before := x.client
	x.server, x.client = server, server.NewClient(*before.caller.known.Load())
	x.client.pending, x.client.questions = before.pending, before.questions
	x.client.meta.Store(before.meta.Load())
	x.client.caller.learn(func(s *call.Session) { s.ID = session })
	return nil
}

// Wait waits until all messages so far have been answered or forwarded.
func (x *Exchange) Wait() { x.judging.Wait() }

// Fail answers forwarded requests in place of the server, unless they have an answer already.
// Why states what happened to the server: a model reads it in the result of a call; other
// requests get it in a JSON-RPC error.
func (x *Exchange) Fail(why string, requests ...*Request) {
	var failed []*Request
	for _, r := range requests {
		if x.client.pending.remove(r) {
			failed = append(failed, r)
		}
	}
	for _, r := range failed {
		switch {
		case r.waiting != nil:
			answer, _ := x.unlisted(x.ctx, r, r.waiting, errors.New(why)).Refusal()
			x.answer(answered(r.id, answer))
		case r.passage != nil:
			x.answer(answered(r.id, r.passage.Failed(x.ctx, why)))
		default:
			x.Refuse(r.id, jsonrpc.InternalError, why)
		}
	}
}

// FailAll is [Exchange.Fail] for every open request of the client.
func (x *Exchange) FailAll(why string) { x.Fail(why, x.client.pending.all()...) }

// Broken answers a request with a JSON-RPC error, unless it is answered: the stream for its
// answer ended, which the protocol does not take for the end of a call (SEP-1699).
func (x *Exchange) Broken(r *Request, message string) {
	if x.client.pending.remove(r) {
		door.Lost(x.ctx, r.passage)
		x.Refuse(r.id, jsonrpc.InternalError, message)
	}
}

// Mismatch answers a request with a JSON-RPC error in place of forwarding it, because its
// transport contradicts its text.
func (x *Exchange) Mismatch(r *Request, code int, message string) {
	r.passage.Unsent()
	if x.client.pending.remove(r) {
		door.Lost(x.ctx, r.passage)
		x.Refuse(r.id, code, message)
	}
}

// Unsent notes that the server did not take a forwarded request.
func (x *Exchange) Unsent(r *Request) { r.passage.Unsent() }

// ask sends the server toolvet's own request and returns its result.
func (x *Exchange) ask(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	if meta := x.client.meta.Load(); meta != nil && params["_meta"] == nil {
		params["_meta"] = *meta
	}
	body, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	id, answer := x.server.private.begin(x.server.cfg.PrivatePrefix)
	defer x.server.private.end(id)
	// A server that reads nothing must not block the caller past its time-out.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		err := x.link.Ask(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, body))
		if err != nil {
			failed <- err
		}
	}()
	select {
	case m := <-answer:
		return resultOf(method, m, x.server.cfg.Limits)
	case err := <-failed:
		select {
		case m := <-answer: // before that
			return resultOf(method, m, x.server.cfg.Limits)
		default:
			return nil, err
		}
	case <-ctx.Done():
		return nil, fmt.Errorf("the server did not answer %s in time: %w", method, ctx.Err())
	}
}

// An answeredError is a JSON-RPC error from the server, without its text.
type answeredError struct {
	method string
	code   int
}

func (e *answeredError) Error() string {
	return fmt.Sprintf("the server answers %s with the error %d", e.method, e.code)
}

// ErrorCode returns the code of the JSON-RPC error.
func (e *answeredError) ErrorCode() int { return e.code }

func resultOf(method string, m jsonrpc.Envelope, limits call.Limits) (json.RawMessage, error) {
	switch {
	case m.Result == nil && m.Error == nil:
		return nil, fmt.Errorf("the server's answer to %s is not valid JSON-RPC", method)
	case m.Result == nil:
		e := &answeredError{method: method}
		_ = json.Unmarshal(splice.Get(m.Error, limits, "code"), &e.code) // 0 if it is not a number
		return nil, e
	}
	return m.Result, nil
}
