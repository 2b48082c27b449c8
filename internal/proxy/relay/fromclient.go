// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/logname"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// FromClient handles one message of the client. It forwards or answers the message, perhaps
// after returning (see [Exchange.Wait]). It does not keep the line.
func (x *Exchange) FromClient(ctx context.Context, line []byte) {
	m, err := jsonrpc.DecodeEnvelope(line, x.server.cfg.Limits)
	if err != nil && m.Unread == nil {
		x.refuseMessage(m.ID, x.Refused(ctx, m, err))
		return
	}
	x.Message(ctx, m, line)
}

// Refused records a request that the transport or the exchange refuses with err. It returns the error to
// answer with.
func (x *Exchange) Refused(ctx context.Context, m jsonrpc.Envelope, err error) error {
	return x.server.door.Refused(ctx, x.client.caller.session, m, err)
}

// Batch takes a JSON-RPC batch (2025-03-26 only) apart, and judges, forwards and answers its
// messages one by one.
func (x *Exchange) Batch(ctx context.Context, text []byte) {
	elements, err := strictjson.Elements(text, x.server.cfg.Limits)
	if err == nil && len(elements) == 0 {
		err = errors.New("the batch is empty")
	}
	if err != nil {
		x.Refuse(nil, jsonrpc.InvalidRequest, "the batch is refused: "+err.Error())
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
	code, message := jsonrpc.InvalidRequest, err.Error()
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		code, message = e.Code, e.Message
	}
	x.Refuse(id, code, message)
}

// Message is FromClient for a decoded line, which may be a call with a fault in its params
// ([jsonrpc.Envelope.Unread]).
func (x *Exchange) Message(ctx context.Context, m jsonrpc.Envelope, line []byte) {
	if !m.IsRequest() && m.Method != "tools/call" { // decoding a request checks more
		if err := x.checkParams(ctx, m.Params); err != nil {
			x.refuseParams(m, err)
			return
		}
	}
	switch {
	case m.Method == "tools/call":
		x.toolsCall(ctx, m, line)
	case m.Method == "notifications/cancelled":
		x.cancelled(m, line)
	case m.IsRequest() && x.server.cfg.Validator.OwnsTask(m.Method, m.Params):
		x.task(m)
	case m.IsRequest():
		x.request(ctx, m, line)
	case m.Method != "":
		x.notification(ctx, m, line)
	default:
		x.reply(ctx, m, line)
	}
}

// checkParams is [call.CheckParams], with memory for the form of the params.
func (x *Exchange) checkParams(ctx context.Context, params json.RawMessage) error {
	form, err := door.Lend(ctx, x.client.caller.session, len(params))
	if err != nil {
		return err
	}
	defer form.Of(nil)
	return call.CheckParams(params, x.server.cfg.Limits)
}

// refuseParams answers a request with params that readers read in different ways, and drops any other
// message.
func (x *Exchange) refuseParams(m jsonrpc.Envelope, err error) {
	if m.IsRequest() {
		x.refuseMessage(m.ID, err)
		return
	}
	x.server.cfg.Logger.Warn("dropped a message of the client", "method", logname.Method(m.Method), "err", err)
}

// noted lists, by method, functions that remember part of a request before it is forwarded,
// for its answer or for toolvet's own requests.
var noted = map[string]func(x *Exchange, r *Request, params json.RawMessage){
	"initialize":      (*Exchange).noteClient,
	"server/discover": func(x *Exchange, _ *Request, params json.RawMessage) { x.client.noteMeta(x.get(params, "_meta")) },
	"tools/list":      (*Exchange).noteListing,
}

// get returns the value at a path in a message of the client, or nil.
func (x *Exchange) get(object json.RawMessage, path ...string) []byte {
	return splice.Get(object, x.server.cfg.Limits, path...)
}

func (x *Exchange) noteClient(_ *Request, params json.RawMessage) {
	name, version := x.get(params, "clientInfo", "name"), x.get(params, "clientInfo", "version")
	x.client.caller.learn(func(s *call.Session) { s.ClientName, s.ClientVersion = textOf(name), textOf(version) })
}

func (x *Exchange) noteListing(r *Request, params json.RawMessage) {
	r.cursor = textOf(x.get(params, "cursor")) // the server refuses a cursor of another type
	r.epoch = x.server.catalog.now()
	x.client.noteMeta(x.get(params, "_meta"))
}

// request judges a request other than tools/call and forwards it, or answers it.
func (x *Exchange) request(ctx context.Context, m jsonrpc.Envelope, line []byte) {
	c, err := x.decodeRequest(ctx, m)
	if err != nil {
		x.refuseMessage(m.ID, err)
		return
	}
	r := &Request{id: bytes.Clone(m.ID), method: m.Method}
	if note := noted[m.Method]; note != nil {
		note(x, r, m.Params)
	}
	if id, ok := c.Arguments["taskId"].(string); ok && strings.HasPrefix(m.Method, "tasks/") {
		c.Behind = x.server.tasks.of(id)
	}
	if gate := x.server.cfg.Gate(); !inside.Of(gate).Waits(c) && len(inside.Of(gate).Needs(c)) == 0 && (m.Method != "tools/list" || x.greeted()) {
		if x.enterCall(ctx, r, c) {
			x.judge(ctx, r, c, line)
		}
		return
	}
	line, c.Raw = bytes.Clone(line), bytes.Clone(c.Raw)
	ctx, r.cancel = context.WithCancel(ctx)
	cancel := r.cancel
	if !x.enterCall(ctx, r, c) {
		cancel()
		return
	}
	x.later(func() {
		defer cancel()
		if m.Method == "tools/list" { // its answer gets toolvet's tools beside the server's own validate tool
			x.greet(ctx)
		}
		x.inform(ctx, c)
		x.judge(ctx, r, c, line)
	})
}

// inform gets the lists that the gate needs to judge a request.
func (x *Exchange) inform(ctx context.Context, c *call.Call) {
	ctx, cancel := context.WithTimeout(ctx, x.server.cfg.ServerTimeout)
	defer cancel()
	x.server.door.Inform(ctx, c, func(ctx context.Context, method string) (*call.Catalog, error) {
		return door.Entries(ctx, method, x.server.cfg.Limits, x.ask)
	})
}

func (x *Exchange) decodeRequest(ctx context.Context, m jsonrpc.Envelope) (*call.Call, error) {
	return x.server.door.DecodeRequest(ctx, m.Method, m.Params, x.client.caller.session, door.Request{ID: string(m.ID)})
}

// notification forwards a notification. One that MCP does not have is judged like a request. A
// request without an id is dropped: a server that acts on it regardless would act unjudged.
func (x *Exchange) notification(ctx context.Context, m jsonrpc.Envelope, line []byte) {
	if jsonrpc.KnownNotification(m.Method) {
		x.link.Send(line)
		return
	}
	c, err := x.decodeRequest(ctx, m)
	switch {
	case err != nil:
		x.server.cfg.Logger.Warn("dropped a notification of the client", "err", err)
		return
	case call.RequestOf(m.Method) != nil:
		x.server.cfg.Logger.Warn("dropped a request without an id", "method", logname.Method(m.Method))
		x.server.door.Unreadable(ctx, c, door.Request{}, errors.New("the request has no id"))
		return
	}
	p := x.server.door.Enter(ctx, c, door.Request{})
	defer p.Close()
	if _, refused := p.Refusal(); refused {
		return
	}
	p.Sending()
	x.link.Send(line)
	p.Sent()
	p.Delivered(ctx)
}

// enter remembers a request, or answers it with the reason for refusing it.
func (x *Exchange) enter(r *Request) bool {
	why := x.client.pending.add(r)
	if why != "" {
		x.Refuse(r.id, jsonrpc.InvalidRequest, why)
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
func (x *Exchange) cancelled(m jsonrpc.Envelope, line []byte) {
	id := splice.Get(m.Params, x.server.cfg.Limits, "requestId")
	if !jsonrpc.ValidID(id) {
		return
	}
	r, tell := x.client.pending.cancelled(id)
	switch {
	case tell:
		x.link.Send(x.respelt(line, id, r))
	case r == nil && x.server.cfg.Forgets:
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

// respelt returns a cancellation with the id as its request spelt it: the client may cancel 1 as "1",
// and the server may not.
func (x *Exchange) respelt(line, id []byte, r *Request) []byte {
	if sameType(id, r.id) {
		return line
	}
	changed, err := splice.Set(line, x.server.cfg.Limits, r.id, "params", "requestId")
	if err != nil { // impossible: the id was read
		return line
	}
	return changed
}
