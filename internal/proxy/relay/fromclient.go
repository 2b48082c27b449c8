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

// FromClient handles one message of the client. It forwards or answers the message, perhaps
// after returning (see [Exchange.Wait]). It does not keep the line.
func (x *Exchange) FromClient(ctx context.Context, line []byte) {
	m, err := call.DecodeEnvelope(line, x.server.cfg.Limits)
	if err != nil {
		x.Unreadable(ctx, call.Remnant{ID: m.ID, Call: m.Method == "tools/call"}, err)
		x.refuseMessage(m.ID, err)
		return
	}
	x.Message(ctx, m, line)
}

// Unreadable records a message refused with err by the transport or the exchange, if it is a
// call.
func (x *Exchange) Unreadable(ctx context.Context, m call.Remnant, err error) {
	x.server.Unreadable(ctx, *x.client.caller.session(nil), m, err)
}

// Batch takes a JSON-RPC batch (2025-03-26 only) apart, and judges, forwards and answers its
// messages one by one.
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

// Refuse answers a message of the client with an error. The id may be nil.
func (x *Exchange) Refuse(id json.RawMessage, code int, message string) {
	x.answer(errorResponse(id, code, message))
}

// refuseMessage answers a malformed message.
func (x *Exchange) refuseMessage(id json.RawMessage, err error) {
	x.server.cfg.Logger.Warn("refused a message", "err", err)
	code, message := call.InvalidRequest, err.Error()
	var e *call.Error
	if errors.As(err, &e) {
		code, message = e.Code, e.Message
	}
	x.Refuse(id, code, message)
}

// Message is FromClient for a decoded line.
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

// noted lists, by method, functions that remember part of a request before it is forwarded,
// for its answer or for toolvet's own requests.
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
	r.cursor = textOf(params.Get("cursor")) // the server refuses a cursor of another type
	r.epoch = x.server.catalog.now()
	x.client.noteMeta(params.Get("_meta"))
}

func (x *Exchange) noteTask(r *Request, params *splice.Document) {
	r.task = x.server.tasks.of(textOf(params.Get("taskId")))
}

// request forwards a request without judging it, and remembers it.
func (x *Exchange) request(m call.Envelope, line []byte) {
	r := &Request{id: bytes.Clone(m.ID), method: m.Method}
	if note := noted[m.Method]; note != nil {
		note(x, r, splice.New(m.Params, x.server.cfg.Limits))
	}
	if x.enter(r) {
		x.forward(r, line)
	}
}

// enter remembers a request, or answers it with the reason for refusing it.
func (x *Exchange) enter(r *Request) bool {
	why := x.client.pending.add(r)
	if why != "" {
		x.Refuse(r.id, call.InvalidRequest, why)
	}
	return why == ""
}

// forward sends a remembered request, unless it has been cancelled meanwhile.
func (x *Exchange) forward(r *Request, line []byte) {
	if x.client.pending.forward(r) {
		defer r.passage.Sent()
		x.link.Forward(r, line)
	}
}

// cancelled forwards the cancellation of a request if the server has it. If toolvet is still
// judging the request, it drops it, and the server never learns of it.
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
