// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/strictjson"
)

// readClient handles the client's messages, in their order, until it closes its side.
func (p *session) readClient(ctx context.Context) {
	in := newLineReader(p.cfg.Stdin, p.limits.Bytes)
	for {
		line, err := in.next()
		p.taken.Add(1)
		var tooLong *tooLongError
		switch {
		case errors.As(err, &tooLong):
			p.answerError(tooLong.ID, &call.Error{Code: call.InvalidRequest,
				Message: "the message is larger than the proxy's limit: send less at once"})
		case err != nil:
			return
		default:
			p.fromClient(ctx, line)
		}
	}
}

// fromClient handles one line of the client. The line is valid only until it returns.
func (p *session) fromClient(ctx context.Context, line []byte) {
	text := bytes.Trim(line, " \t\r")
	switch {
	case len(text) == 0:
	case bytes.IndexByte(text, '\r') >= 0:
		// Readers that take a carriage return for the end of a line (Python's text
		// mode, Java, .NET) would see other messages in this line than we do.
		p.answerError(call.Recover(bytes.NewReader(text)).ID, &call.Error{Code: call.ParseError,
			Message: "the message has a carriage return inside: send each message on one line"})
	case text[0] == '[':
		p.batch(ctx, text)
	default:
		p.message(ctx, line)
	}
}

// batch takes a JSON-RPC batch (2025-03-26 only) apart: its messages are judged one by
// one, reach the server one a line, and are answered one a line.
func (p *session) batch(ctx context.Context, text []byte) {
	elements, err := strictjson.Elements(text, p.limits)
	if err == nil && len(elements) == 0 {
		err = errors.New("the batch is empty")
	}
	if err != nil {
		p.answerError(nil, &call.Error{Code: call.InvalidRequest, Message: "the batch is refused: " + err.Error()})
		return
	}
	for _, e := range elements {
		p.message(ctx, e)
	}
}

// message handles one JSON-RPC message of the client.
func (p *session) message(ctx context.Context, line []byte) {
	m, err := call.DecodeEnvelope(line, p.limits)
	switch {
	case err != nil:
		p.refuseMessage(m.ID, err)
	case m.Method == "tools/call":
		p.toolsCall(ctx, m, line)
	case m.Method == "notifications/cancelled":
		p.cancelled(m, line)
	case m.IsRequest():
		p.request(m, line)
	default:
		if dirs, ok := p.roots.answered(m, p.limits); ok {
			p.caller.learn(func(s *call.Session) { s.Roots = dirs })
		}
		p.send(line)
	}
}

// request forwards a request that is not judged, and remembers it.
func (p *session) request(m call.Envelope, line []byte) {
	r := &request{id: bytes.Clone(m.ID), method: m.Method}
	switch m.Method {
	case "initialize":
		name, version := get(m.Params, p.limits, "clientInfo", "name"), get(m.Params, p.limits, "clientInfo", "version")
		p.caller.learn(func(s *call.Session) { s.ClientName, s.ClientVersion = textOf(name), textOf(version) })
	case "tools/list":
		cursor := get(m.Params, p.limits, "cursor")
		_ = json.Unmarshal(cursor, &r.cursor) // what is no string the server refuses
		r.epoch = p.catalog.now()
		p.noteMeta(get(m.Params, p.limits, "_meta"))
	case "server/discover":
		p.noteMeta(get(m.Params, p.limits, "_meta"))
	}
	if p.enter(r) {
		p.forward(r, line)
	}
}

// enter remembers a request, or answers it with why it cannot be taken.
func (p *session) enter(r *request) bool {
	why := p.pending.add(r)
	if why != "" {
		p.answerError(r.id, &call.Error{Code: call.InvalidRequest, Message: why})
	}
	return why == ""
}

// forward sends a request that is remembered, unless it was cancelled meanwhile.
func (p *session) forward(r *request, line []byte) {
	if !p.pending.forward(r) {
		return
	}
	err := p.toServer.write(line, true)
	switch {
	case p.isGone():
		// It may have had the request. How it ended is known in a moment.
		go func() {
			<-p.exited
			p.failed(r)
		}()
	case err != nil && p.pending.remove(r):
		p.answerError(r.id, &call.Error{Code: call.InternalError,
			Message: "the server does not take messages any more: start it again"})
	}
}

// send forwards a message that waits for no answer. If the server does not take it,
// the server is about to be found gone.
func (p *session) send(line []byte) { _ = p.toServer.write(line, true) }

// cancelled forwards the cancellation of a request that the server has. One that is
// still being judged is dropped instead, and the server never learns of it.
func (p *session) cancelled(m call.Envelope, line []byte) {
	id := get(m.Params, p.limits, "requestId")
	if id != nil && p.pending.cancelled(id) {
		p.send(line)
	}
}

// refuseMessage answers a message that is not well formed.
func (p *session) refuseMessage(id json.RawMessage, err error) {
	p.log.Warn("refused a message", "err", err)
	var e *call.Error
	if !errors.As(err, &e) {
		e = &call.Error{Code: call.InvalidRequest, Message: err.Error()}
	}
	p.answerError(id, e)
}
