// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// maxAsked bounds the server's open requests to one client.
const maxAsked = 100

// questions are the server's open requests to one client, by id: sampling, elicitation, roots.
type questions struct {
	mu   sync.Mutex
	open map[string]question
}

type question struct {
	id      json.RawMessage // as the server spelt it
	method  string
	passage *door.Passage
}

// add remembers a request, or returns the reason for refusing it.
func (q *questions) add(a question) (why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := jsonrpc.IDKey(a.id)
	switch _, taken := q.open[key]; {
	case taken:
		return "a request with this id waits for its answer"
	case len(q.open) >= maxAsked:
		return fmt.Sprintf("%d requests wait for answers of the client: wait for some of them", maxAsked)
	}
	if q.open == nil {
		q.open = map[string]question{}
	}
	q.open[key] = a
	return ""
}

// take returns an open request and forgets it.
func (q *questions) take(id json.RawMessage) (question, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := jsonrpc.IDKey(id)
	a, ok := q.open[key]
	delete(q.open, key)
	return a, ok
}

// close forgets all requests: nobody answers them any more.
func (q *questions) close(ctx context.Context) {
	q.mu.Lock()
	open := q.open
	q.open = nil
	q.mu.Unlock()
	for _, a := range open {
		a.passage.Unanswered(ctx)
	}
}

// asked judges a request of the server to the client. It returns the client's line, or nil if it has
// answered the server itself.
func (x *Exchange) asked(m *message) []byte {
	p := x.server.door.Ask(x.ctx, m.Method, m.Params, x.client.caller.session(nil), door.Request{ID: string(m.ID)})
	if answer, refused := p.Refusal(); refused {
		x.refuseServer(m.ID, answered(m.ID, answer))
		return nil
	}
	line, ok := x.review(m)
	if !ok {
		p.Unanswered(x.ctx)
		return line
	}
	if why := x.client.questions.add(question{bytes.Clone(m.ID), m.Method, p}); why != "" {
		p.Unanswered(x.ctx)
		x.refuseServer(m.ID, errorResponse(m.ID, jsonrpc.InvalidRequest, why))
		return nil
	}
	return line
}

// unasked notes that the server has cancelled one of its requests.
func (x *Exchange) unasked(m *message) {
	if id := splice.Get(m.Params, x.server.cfg.Limits, "requestId"); id != nil {
		if a, ok := x.client.questions.take(id); ok {
			a.passage.Unanswered(x.ctx)
		}
	}
}

// reply handles the client's answer to a request of the server. An answer to no request is dropped: a
// server that takes it for one would act on values that nobody judged.
func (x *Exchange) reply(ctx context.Context, m jsonrpc.Envelope, line []byte) {
	a, ok := x.client.questions.take(m.ID)
	if !ok && !x.server.cfg.Forgets {
		x.server.cfg.Logger.Warn("dropped an answer of the client to a request that is not known, or is answered")
		return
	}
	if a.method != "elicitation/create" && ok {
		x.pass(ctx, a, m, line)
		return
	}
	line = bytes.Clone(line)
	m, err := jsonrpc.DecodeEnvelope(line, x.server.cfg.Limits) // in place of further copies of its parts
	if err != nil {                                             // impossible: it was read
		return
	}
	x.later(func() { x.pass(ctx, a, m, line) }) // judging values may wait for the file system and for names
}

// answeredBy judges an answer. The error is what the server gets in its place.
func (x *Exchange) answeredBy(ctx context.Context, p *door.Passage, m jsonrpc.Envelope) error {
	switch {
	case m.Error == nil:
		return p.Answered(ctx, m.Result, false)
	case m.Result == nil:
		return p.Answered(ctx, m.Error, true)
	}
	p.Unanswered(ctx) // readers differ in which of the two counts
	return errors.New("the client's answer is withheld: it has a result and an error")
}

// pass judges and forwards an answer. Over HTTP, the request may have come through another client of the
// server; its answer is judged all the same.
func (x *Exchange) pass(ctx context.Context, a question, m jsonrpc.Envelope, line []byte) {
	if a.passage == nil {
		a.id, a.passage = m.ID, x.server.door.Reply(x.client.caller.session(nil), door.Request{ID: string(m.ID)})
	}
	if err := x.answeredBy(ctx, a.passage, m); err != nil {
		if line := x.errorLine(a.id, jsonrpc.InternalError, err.Error()); line != nil {
			x.link.Send(line)
		}
		return
	}
	if a.method == "roots/list" {
		if dirs, ok := rootsOf(m.Result, x.server.cfg.Limits); ok {
			x.client.caller.learn(func(s *call.Session) { s.Roots = dirs })
		}
	}
	x.link.Send(line)
}
