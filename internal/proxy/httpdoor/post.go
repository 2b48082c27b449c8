// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A refusal is an immediate error answer to a request.
type refusal struct {
	status  int
	id      json.RawMessage // nil: none, or unknown
	code    int
	message string
}

// post serves a POST, which carries messages of a client.
func (e *exchange) post(w http.ResponseWriter, r *http.Request) {
	defer e.end()
	body, bad := mcphttp.ReadBody(w, r, e.p.cfg.MaxBody, e.p.cfg.ReadTimeout, e.asked)
	var no *refusal
	if bad != nil {
		no = &refusal{bad.Status, nil, bad.Code(), bad.Message}
	} else {
		e.original = body
		if text := bytes.TrimSpace(body); len(text) > 0 && text[0] == '[' {
			no = e.takeBatch(r, text)
		} else {
			if mcphttp.Accepts(r.Header, streamType) {
				e.early = e.p.newFlusher(w)
			}
			no = e.take(r)
		}
	}
	if no != nil {
		e.p.refuse(w, no.status, no.id, no.code, no.message)
		return
	}
	e.forward(w, r)
}

// take judges one message.
func (e *exchange) take(r *http.Request) *refusal {
	limits := e.p.cfg.Limits
	m, err := jsonrpc.DecodeEnvelope(e.original, limits)
	if err != nil && m.Unread == nil {
		if client, none := e.stateless(""); none == nil {
			err = client.NewExchange(e.ctx, e).Refused(e.ctx, m, err)
		}
		return &refusal{http.StatusBadRequest, m.ID, mcphttp.CodeOf(err), err.Error()}
	}
	if no := e.admit(r, m); no != nil {
		no.id = m.ID
		e.unmade(m, no.message)
		return no
	}
	if m.IsRequest() {
		e.id = m.ID
	}
	e.listens = m.Method == "subscriptions/listen"
	e.relay.Message(r.Context(), m, e.original)
	e.relay.Wait()
	e.checkParams(r.Header, m)
	return nil
}

// admit finds the client behind a message, or returns the reason for refusing the message.
func (e *exchange) admit(r *http.Request, m jsonrpc.Envelope) *refusal {
	limits := e.p.cfg.Limits
	if m.Unread != nil {
		// It is answered here, so that nobody goes by its headers.
	} else if err := agree(r.Header, m, limits); err != nil {
		return &refusal{http.StatusBadRequest, nil, mcpheader.HeaderMismatch, err.Error()}
	}
	if m.Method == "tools/call" && m.ID == nil {
		return &refusal{http.StatusBadRequest, nil, jsonrpc.InvalidRequest, `a tools/call must have an "id": nobody could be told that it is refused`}
	}
	return e.begin(modern(r.Header, mcpheader.BodyVersion(m.Params, limits)), m.Method == "initialize")
}

// unmade records a request without a client.
func (e *exchange) unmade(m jsonrpc.Envelope, why string) {
	if client, err := e.stateless(""); err == nil {
		client.NewExchange(e.ctx, e).Refused(e.ctx, m, errors.New(why))
	}
}

// checkParams refuses a call if its headers and its body state different arguments.
func (e *exchange) checkParams(h http.Header, m jsonrpc.Envelope) {
	if m.Method != "tools/call" || len(e.waiting) == 0 || !hasParams(h) {
		return
	}
	params := splice.New(m.Params, e.p.cfg.Limits) // it has been judged
	var name string
	_ = json.Unmarshal(params.Get("name"), &name)
	arguments := params.Get("arguments")
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	if why := paramsAgree(h, e.relay.Server().Tool(name), arguments, e.p.cfg.Limits); why != "" {
		e.relay.Mismatch(e.waiting[0].r, mcpheader.HeaderMismatch, why)
		e.waiting = nil
	}
}

// takeBatch judges the messages of a batch. Only one revision has batches.
func (e *exchange) takeBatch(r *http.Request, text []byte) *refusal {
	no := func(why string) *refusal { return &refusal{http.StatusBadRequest, nil, jsonrpc.InvalidRequest, why} }
	const noBatch = "a batch is of the version 2025-03-26 only: send each message by itself"
	if v := r.Header.Get(mcpheader.Version); v != "" && v != "2025-03-26" {
		return no(noBatch)
	}
	if r.Header[mcpheader.Method] != nil || r.Header[mcpheader.Name] != nil || hasParams(r.Header) {
		return no("the headers Mcp-Method, Mcp-Name and Mcp-Param-… describe one message: send none with a batch")
	}
	elements, err := strictjson.Elements(text, e.p.cfg.Limits)
	switch {
	case err != nil:
		return no("the batch is refused: " + err.Error())
	case len(elements) == 0:
		return no("the batch is empty")
	}
	for _, element := range elements {
		m, err := jsonrpc.DecodeEnvelope(element, e.p.cfg.Limits)
		switch {
		case err != nil: // answered below, on its own
		case modern(r.Header, mcpheader.BodyVersion(m.Params, e.p.cfg.Limits)) != "":
			return no(noBatch)
		case m.Method == "initialize":
			return no("initialize must not be in a batch")
		}
	}
	if no := e.begin("", false); no != nil {
		return no
	}
	e.batch = elements
	e.relay.Batch(r.Context(), text)
	e.relay.Wait()
	return nil
}

// forward sends the admitted messages to the server, and writes the answer.
func (e *exchange) forward(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.sent = true
	e.mu.Unlock()
	if len(e.waiting) == 0 {
		switch {
		case e.opened:
			e.writeOwn(e.early)
		case e.id != nil && r.Context().Err() != nil:
			mcphttp.Abort()
		case !e.writeAnswers(w, nil): // a notification was kept back, or a request was cancelled
			e.p.write(w, http.StatusAccepted, "", nil)
		}
		return
	}
	ctx := r.Context()
	if e.listens {
		var cancel func()
		ctx, cancel = e.p.endless(ctx)
		defer cancel()
	}
	body := e.outgoing()
	resp, err := e.roundTrip(ctx, http.MethodPost, e.mirrored(body), body)
	switch {
	case ctx.Err() != nil:
		e.forgetAll()
		if err == nil {
			resp.Body.Close()
		}
		mcphttp.Abort()
	case err != nil:
		e.p.cfg.Logger.Error("the server cannot be reached", "err", err)
		e.fail(w, "the server cannot be reached: the reason is in toolvet's log")
	default:
		defer resp.Body.Close()
		e.respond(w, r, resp)
	}
}

// mirrored returns the headers for a body. Those of its arguments follow canonical arguments.
func (e *exchange) mirrored(body []byte) http.Header {
	limits := e.p.cfg.Limits
	if e.batch != nil || bytes.Equal(body, e.original) {
		return e.header
	}
	m, err := jsonrpc.DecodeEnvelope(body, limits)
	if err != nil || m.Method != "tools/call" || modern(e.header, mcpheader.BodyVersion(m.Params, limits)) == "" {
		return e.header
	}
	var name string
	_ = json.Unmarshal(splice.Get(m.Params, limits, "name"), &name)
	tool := e.relay.Server().Tool(name)
	if tool == nil {
		return e.header
	}
	mirrors, err := mcpheader.Mirrors(tool.InputSchema, limits)
	if err != nil || len(mirrors) == 0 {
		return e.header
	}
	h := e.header.Clone()
	version := h[mcpheader.Version]
	mcpheader.Set(h, m, mirrors, limits)
	h[mcpheader.Version] = version // as negotiated by the client
	return h
}

// outgoing returns the body for the server: the client's body, unless a message of a batch was
// kept back or replaced.
func (e *exchange) outgoing() []byte {
	if e.batch == nil && len(e.waiting) == 1 {
		return e.waiting[0].line
	}
	lines := make([][]byte, 0, len(e.waiting))
	for _, m := range e.waiting {
		lines = append(lines, m.line)
	}
	inOrder := func(messages [][]byte) [][]byte { return slices.SortedFunc(slices.Values(messages), bytes.Compare) }
	if slices.EqualFunc(inOrder(lines), inOrder(e.batch), bytes.Equal) { // they may have overtaken each other
		return e.original
	}
	return slices.Concat([]byte("["), bytes.Join(lines, []byte(",")), []byte("]"))
}

// forgetAll drops the requests, because the client has stopped waiting for the answers. It keeps
// resumable ones for a while in case the client comes back.
func (e *exchange) forgetAll() {
	for _, m := range e.waiting {
		switch {
		case m.r == nil:
		case e.resumable():
			e.forgetLater(m.r)
		default:
			e.relay.Client().Forget(m.r)
		}
	}
}

// forgetLater drops a request after a while unless the client comes back for the answer. Until
// then it counts as running.
func (e *exchange) forgetLater(r *relay.Request) {
	time.AfterFunc(e.p.cfg.ResumeTime, func() {
		switch {
		case !e.relay.Client().Waits(r):
		case e.p.sessions.resumed(e.session):
			e.forgetLater(r)
		default:
			e.relay.Client().Forget(r)
		}
	})
}

// resumable reports whether the client can ask for the rest of the stream in its session.
func (e *exchange) resumable() bool { return e.resumes && e.session != nil }

// failAll answers the open requests in place of the server.
func (e *exchange) failAll(message string) {
	for _, m := range e.waiting {
		if m.r != nil {
			e.relay.Fail(message, m.r)
		}
	}
}

// tooLarge answers the requests whose answers exceed the limit, or find no memory.
func (e *exchange) tooLarge(err error) {
	for _, m := range e.waiting {
		if m.r != nil {
			e.relay.TooLarge(err, m.r)
		}
	}
}

// breakAll answers the requests whose stream ended before their answer.
func (e *exchange) breakAll(message string) {
	for _, m := range e.waiting {
		if m.r != nil {
			e.relay.Broken(m.r, message)
		}
	}
}
