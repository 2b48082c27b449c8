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
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// A Link carries the messages of an exchange. Its methods are called concurrently, and may
// keep a line only until they return.
type Link interface {
	// Answer gives the client an answer of toolvet's own. Code is that of a JSON-RPC
	// error, and 0 for a result.
	Answer(line []byte, code int)
	// Notify gives the client a notification of toolvet's own, ahead of the answer to the
	// request that it is about, if there is a way.
	Notify(line []byte)
	// Forward gives the server a request of the client. If the server will not answer
	// it, the link says so with [Exchange.Fail].
	Forward(r *Request, line []byte)
	// Send gives the server a message that waits for no answer, if the server takes it.
	Send(line []byte)
	// Ask gives the server a request of toolvet's own, whose answer comes through
	// FromServer. An error says that none will come. Ask may return when ctx is done,
	// which it is as soon as the answer has come.
	Ask(ctx context.Context, line []byte) error
}

// A Reader is a Link that itself reads the messages which it gives to [Exchange.FromClient].
type Reader interface {
	// Later runs work, which may take its time, and sees to it that the messages that follow
	// need not wait for it. FromClient calls it when it needs its line no more.
	Later(work func())
}

// An Exchange carries messages of one client over one link to the server, and the answers
// back. Over stdio there is one for the session; over HTTP one for each request.
type Exchange struct {
	client  *Client
	server  *Server // the client's
	link    Link
	ctx     context.Context
	judging sync.WaitGroup // calls that are judged beside the messages that follow them
}

// NewExchange begins an exchange. Ctx bounds what may outlive a message: listings of the
// tools, which others may wait for, and reviews.
func (c *Client) NewExchange(ctx context.Context, link Link) *Exchange {
	return &Exchange{client: c, server: c.server, ctx: ctx, link: link}
}

// Client is the client of the exchange.
func (x *Exchange) Client() *Client { return x.client }

// Server is what the client knows of the server.
func (x *Exchange) Server() *Server { return x.server }

// Apart gives the exchange a client of its own for a session that begins: in this session the
// server may show other tools than elsewhere, so nothing is shared with other sessions from
// now on. The new client takes over the requests that are not answered. No other exchange may
// use the old one.
func (x *Exchange) Apart(session string) error {
	server, err := NewServer(x.server.cfg)
	if err != nil {
		return err
	}
	before := x.client
	x.server, x.client = server, server.NewClient(*before.caller.known.Load())
	x.client.pending = before.pending
	x.client.meta.Store(before.meta.Load())
	x.client.caller.learn(func(s *call.Session) { s.ID = session })
	return nil
}

// Wait waits until the messages so far have been answered or forwarded.
func (x *Exchange) Wait() { x.judging.Wait() }

// Warm readies the output layer before the first result comes.
func (x *Exchange) Warm() {
	x.server.door.Review(x.ctx, &call.Call{Server: x.server.cfg.Server}, "", json.RawMessage("{}"))
}

// Fail answers requests that were forwarded and that the server will not answer, unless they
// are answered already. Why says what happened to the server: a client's model reads it in the
// result of a call, everybody else in a JSON-RPC error.
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
			x.answer(response{ID: r.id, Result: answer})
		case r.passage != nil:
			x.answer(response{ID: r.id, Result: r.passage.Failed(x.ctx, why)})
		default:
			x.Refuse(r.id, call.InternalError, why)
		}
	}
}

// FailAll is [Exchange.Fail] for every request of the client that is not answered yet.
func (x *Exchange) FailAll(why string) { x.Fail(why, x.client.pending.all()...) }

// Mismatch answers a request with a JSON-RPC error that was to be forwarded and is not: its
// transport says something else than its text.
func (x *Exchange) Mismatch(r *Request, code int, message string) {
	r.passage.Unsent()
	if x.client.pending.remove(r) {
		door.Lost(x.ctx, r.passage)
		x.Refuse(r.id, code, message)
	}
}

// Unsent says that the server did not take a request that was to be forwarded.
func (x *Exchange) Unsent(r *Request) { r.passage.Unsent() }

// ask sends the server a request of toolvet's own and returns its result.
func (x *Exchange) ask(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	if meta := x.client.meta.Load(); meta != nil {
		params["_meta"] = *meta
	}
	body, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	id, answer := x.server.private.begin(x.server.cfg.PrivatePrefix)
	defer x.server.private.end(id)
	// A server that reads nothing must not hold up whoever waits for the answer.
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

// An answeredError is a server's answer with a JSON-RPC error, without its text.
type answeredError struct {
	method string
	code   int
}

func (e *answeredError) Error() string {
	return fmt.Sprintf("the server answers %s with the error %d", e.method, e.code)
}

// ErrorCode is the code of the JSON-RPC error.
func (e *answeredError) ErrorCode() int { return e.code }

func resultOf(method string, m call.Envelope, limits call.Limits) (json.RawMessage, error) {
	switch {
	case m.Result == nil && m.Error == nil:
		return nil, fmt.Errorf("the server's answer to %s is not valid JSON-RPC", method)
	case m.Result == nil:
		e := &answeredError{method: method}
		_ = json.Unmarshal(splice.Get(m.Error, limits, "code"), &e.code) // 0 for what is no number
		return nil, e
	}
	return m.Result, nil
}
