// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// maxAsks bounds the open questions of servers to one client.
const maxAsks = 64

// handler passes a server's questions on to the client of this session.
func (s *session) handler() upstream.Handler { return upstream.Handler{Request: s.asked} }

// asked hands a server's question to the client, under an id of the gateway's own, and
// returns the client's answer.
func (s *session) asked(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	id, answer, err := s.expect(method)
	if err != nil {
		return nil, err
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asks, jsonrpc.IDKey(quoted(id)))
	}()
	if params == nil {
		params = json.RawMessage("{}")
	}
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, id, method, params)
	if !s.out.put(ctx, strictjson.OneLine(line)) {
		return nil, errors.New("the client takes no more questions")
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			code, err := strconv.Atoi(string(splice.Get(m.Error, s.limits, "code")))
			if err != nil {
				code = jsonrpc.InternalError
			}
			return nil, &upstream.RefusedError{Method: method, Code: code, Message: textOf(splice.Get(m.Error, s.limits, "message"))}
		}
		return m.Result, nil
	case <-ctx.Done():
		s.out.offer(notificationLine("notifications/cancelled", fmt.Appendf(nil, `{"requestId":%q,"reason":"the server waits no more"}`, id)))
		return nil, ctx.Err()
	case <-s.ctx.Done():
		return nil, errors.New("the client is gone")
	}
}

// expect begins a server's question. It fails if the client has not declared the capability to answer.
func (s *session) expect(method string) (id string, answer chan jsonrpc.Envelope, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	can := method == "elicitation/create" && s.offers.elicitation != "" || method == "sampling/createMessage" && s.offers.sampling != ""
	switch {
	case !can:
		return "", nil, &upstream.RefusedError{Method: method, Code: methodNotFound, Message: "the client does not offer this method"}
	case len(s.asks) >= maxAsks:
		return "", nil, fmt.Errorf("the client has %d questions to answer already", maxAsks)
	}
	s.lastAsk++
	id = "toolvet-" + strconv.Itoa(s.lastAsk)
	answer = make(chan jsonrpc.Envelope, 1)
	s.asks[jsonrpc.IDKey(quoted(id))] = answer
	return id, answer, nil
}

// replied takes a client's answer to a question.
func (s *session) replied(m jsonrpc.Envelope) {
	key := jsonrpc.IDKey(m.ID)
	s.mu.Lock()
	answer := s.asks[key]
	delete(s.asks, key)
	s.mu.Unlock()
	if answer != nil {
		answer <- jsonrpc.Envelope{Result: append(json.RawMessage(nil), m.Result...), Error: append(json.RawMessage(nil), m.Error...)}
	}
}

// asked handles questions that a server asks while several requests, or none, are in flight.
// The question can only be routed if all requests in flight belong to one session.
func (p *peer) asked(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	s := p.single()
	if s == nil {
		return nil, &upstream.RefusedError{Method: method, Code: jsonrpc.InternalError,
			Message: "several clients share this server, and it does not say which of them it asks"}
	}
	return s.asked(ctx, method, params)
}

// single returns the only session with requests in flight at the server, or nil if there are none or several.
func (p *peer) single() (only *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.working {
		if only != nil {
			return nil
		}
		only = s
	}
	return only
}
