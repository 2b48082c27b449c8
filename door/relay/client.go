// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// FromClient handles one message of the client: it is forwarded, or answered, or both are
// still to come when this returns (see [Exchange.Wait]). The line is valid only until it
// returns.
func (p *Exchange) FromClient(ctx context.Context, line []byte) {
	m, err := call.DecodeEnvelope(line, p.limits)
	if err != nil {
		p.refuseMessage(m.ID, err)
		return
	}
	p.Message(ctx, m, line)
}

// Batch takes a JSON-RPC batch (2025-03-26 only) apart: its messages are judged one by
// one, reach the server one by one, and are answered one by one.
func (p *Exchange) Batch(ctx context.Context, text []byte) {
	elements, err := strictjson.Elements(text, p.limits)
	if err == nil && len(elements) == 0 {
		err = errors.New("the batch is empty")
	}
	if err != nil {
		p.Refuse(nil, call.InvalidRequest, "the batch is refused: "+err.Error())
		return
	}
	for _, e := range elements {
		p.FromClient(ctx, e)
	}
}

// Refuse answers a message of the client, which may have had an id, with an error.
func (p *Exchange) Refuse(id json.RawMessage, code int, message string) {
	p.answerError(id, &call.Error{Code: code, Message: message})
}

// Message is FromClient for a line that was decoded.
func (p *Exchange) Message(ctx context.Context, m call.Envelope, line []byte) {
	switch {
	case m.Method == "tools/call":
		p.toolsCall(ctx, m, line)
	case m.Method == "notifications/cancelled":
		p.cancelled(m, line)
	case m.IsRequest() && p.validator.OwnsTask(m.Method, m.Params):
		p.task(m)
	case m.IsRequest():
		p.request(m, line)
	default:
		if dirs, ok := p.roots.answered(m, p.limits); ok {
			p.caller.learn(func(s *call.Session) { s.Roots = dirs })
		}
		p.link.Send(line)
	}
}

// request forwards a request that is not judged, and remembers it.
func (p *Exchange) request(m call.Envelope, line []byte) {
	r := &Request{id: bytes.Clone(m.ID), method: m.Method}
	switch m.Method {
	case "initialize":
		name, version := splice.Get(m.Params, p.limits, "clientInfo", "name"), splice.Get(m.Params, p.limits, "clientInfo", "version")
		p.caller.learn(func(s *call.Session) { s.ClientName, s.ClientVersion = textOf(name), textOf(version) })
	case "tools/list":
		cursor := splice.Get(m.Params, p.limits, "cursor")
		_ = json.Unmarshal(cursor, &r.cursor) // what is no string the server refuses
		r.epoch = p.catalog.now()
		p.noteMeta(splice.Get(m.Params, p.limits, "_meta"))
	case "tasks/get", "tasks/result":
		r.task = p.tasks.of(textOf(splice.Get(m.Params, p.limits, "taskId")))
	case "server/discover":
		p.noteMeta(splice.Get(m.Params, p.limits, "_meta"))
	}
	if p.enter(r) {
		p.forward(r, line)
	}
}

// enter remembers a request, or answers it with why it cannot be taken.
func (p *Exchange) enter(r *Request) bool {
	why := p.pending.add(r)
	if why != "" {
		p.answerError(r.id, &call.Error{Code: call.InvalidRequest, Message: why})
	}
	return why == ""
}

// forward sends a request that is remembered, unless it was cancelled meanwhile.
func (p *Exchange) forward(r *Request, line []byte) {
	if p.pending.forward(r) {
		defer r.delivered()
		p.link.Forward(r, line)
	}
}

// Unsent says that the server did not take a request that was to be forwarded.
func (p *Exchange) Unsent(r *Request) { r.unsent() }

// Fail answers requests that were forwarded and that the server will not answer with an error,
// unless they are answered.
func (p *Exchange) Fail(code int, message string, requests ...*Request) {
	var lost []*toolvet.Event
	for _, r := range requests {
		if p.pending.remove(r) {
			lost = append(lost, r.event)
			p.Refuse(r.id, code, message)
		}
	}
	p.lost(lost...)
}

// Waits reports whether a request is not answered yet, and not forgotten.
func (c *Client) Waits(r *Request) bool { return c.pending.has(r) }

// Forget drops a request that was forwarded, and whose answer nobody waits for any more.
func (c *Client) Forget(r *Request) { c.pending.forget(r) }

// cancelled forwards the cancellation of a request that the server has. One that is
// still being judged is dropped instead, and the server never learns of it.
func (p *Exchange) cancelled(m call.Envelope, line []byte) {
	id := splice.Get(m.Params, p.limits, "requestId")
	if id == nil {
		return
	}
	r, tell := p.pending.cancelled(id)
	if tell || r == nil && p.cfg.Forgets {
		p.link.Send(line)
	}
	if r != nil {
		p.lost(r.event)
	}
}

// refuseMessage answers a message that is not well formed.
func (p *Exchange) refuseMessage(id json.RawMessage, err error) {
	p.log.Warn("refused a message", "err", err)
	var e *call.Error
	if !errors.As(err, &e) {
		e = &call.Error{Code: call.InvalidRequest, Message: err.Error()}
	}
	p.answerError(id, e)
}
