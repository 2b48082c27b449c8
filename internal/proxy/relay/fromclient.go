// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// FromClient handles one message of the client: it is forwarded, or answered, or both are
// still to come when this returns (see [Exchange.Wait]). The line is valid only until it
// returns.
func (x *Exchange) FromClient(ctx context.Context, line []byte) {
	m, err := call.DecodeEnvelope(line, x.server.cfg.Limits)
	if err != nil {
		x.Unreadable(ctx, call.Remnant{ID: m.ID, Call: m.Method == "tools/call"}, err)
		x.refuseMessage(m.ID, err)
		return
	}
	x.Message(ctx, m, line)
}

// Unreadable records a message that the transport, or the exchange, refuses because of err, if
// it is a call.
func (x *Exchange) Unreadable(ctx context.Context, m call.Remnant, err error) {
	x.server.Unreadable(ctx, *x.client.caller.session(nil), m, err)
}

// Batch takes a JSON-RPC batch (2025-03-26 only) apart: its messages are judged one by
// one, reach the server one by one, and are answered one by one.
func (x *Exchange) Batch(ctx context.Context, text []byte) {
	elements, err := strictjson.Elements(text, x.server.cfg.Limits)
	if err == nil && len(elements) == 0 {
		err = errors.New("the batch is empty")
	}
	if err != nil {
		x.Refuse(nil, call.InvalidRequest, "the batch is refused: "+err.Error())
		return
	}
	for _, e := range elements {
		x.FromClient(ctx, e)
	}
}

// Refuse answers a message of the client, which may have had an id, with an error.
func (x *Exchange) Refuse(id json.RawMessage, code int, message string) {
	x.answer(errorResponse(id, code, message))
}

// refuseMessage answers a message that is not well formed.
func (x *Exchange) refuseMessage(id json.RawMessage, err error) {
	x.server.cfg.Logger.Warn("refused a message", "err", err)
	code, message := call.InvalidRequest, err.Error()
	var e *call.Error
	if errors.As(err, &e) {
		code, message = e.Code, e.Message
	}
	x.Refuse(id, code, message)
}

// Message is FromClient for a line that was decoded.
func (x *Exchange) Message(ctx context.Context, m call.Envelope, line []byte) {
	switch {
	case m.Method == "tools/call":
		x.toolsCall(ctx, m, line)
	case m.Method == "notifications/cancelled":
		x.cancelled(m, line)
	case m.IsRequest() && x.server.cfg.Validator.OwnsTask(m.Method, m.Params):
		x.task(m)
	case m.IsRequest():
		x.request(m, line)
	default:
		if dirs, ok := x.client.roots.answered(m, x.server.cfg.Limits); ok {
			x.client.caller.learn(func(s *call.Session) { s.Roots = dirs })
		}
		x.link.Send(line)
	}
}

// noted are the requests of which something is remembered when they are forwarded, because
// their answer is changed or held against it.
var noted = map[string]func(x *Exchange, r *Request, params *splice.Document){
	"initialize":      (*Exchange).noteClient,
	"server/discover": func(x *Exchange, _ *Request, params *splice.Document) { x.client.noteMeta(params.Get("_meta")) },
	"tools/list":      (*Exchange).noteListing,
	"tasks/get":       (*Exchange).noteTask,
	"tasks/result":    (*Exchange).noteTask,
}

func (x *Exchange) noteClient(_ *Request, params *splice.Document) {
	name, version := params.Get("clientInfo", "name"), params.Get("clientInfo", "version")
	x.client.caller.learn(func(s *call.Session) { s.ClientName, s.ClientVersion = textOf(name), textOf(version) })
}

func (x *Exchange) noteListing(r *Request, params *splice.Document) {
	r.cursor = textOf(params.Get("cursor")) // the server refuses what is no string
	r.epoch = x.server.catalog.now()
	x.client.noteMeta(params.Get("_meta"))
}

func (x *Exchange) noteTask(r *Request, params *splice.Document) {
	r.task = x.server.tasks.of(textOf(params.Get("taskId")))
}

// request forwards a request that is not judged, and remembers it.
func (x *Exchange) request(m call.Envelope, line []byte) {
	r := &Request{id: bytes.Clone(m.ID), method: m.Method}
	if note := noted[m.Method]; note != nil {
		note(x, r, splice.New(m.Params, x.server.cfg.Limits))
	}
	if x.enter(r) {
		x.forward(r, line)
	}
}

// enter remembers a request, or answers it with the reason why it cannot be taken.
func (x *Exchange) enter(r *Request) bool {
	why := x.client.pending.add(r)
	if why != "" {
		x.Refuse(r.id, call.InvalidRequest, why)
	}
	return why == ""
}

// forward sends a request that is remembered, unless it was cancelled meanwhile.
func (x *Exchange) forward(r *Request, line []byte) {
	if x.client.pending.forward(r) {
		defer r.passage.Sent()
		x.link.Forward(r, line)
	}
}

// cancelled forwards the cancellation of a request that the server has. One that is
// still being judged is dropped instead, and the server never learns of it.
func (x *Exchange) cancelled(m call.Envelope, line []byte) {
	id := splice.Get(m.Params, x.server.cfg.Limits, "requestId")
	if id == nil {
		return
	}
	r, tell := x.client.pending.cancelled(id)
	if tell || r == nil && x.server.cfg.Forgets {
		x.link.Send(line)
	}
	switch {
	case r == nil:
	case r.waiting != nil:
		x.unlisted(x.ctx, r, r.waiting, context.Canceled)
	default:
		door.Lost(x.ctx, r.passage)
	}
}
