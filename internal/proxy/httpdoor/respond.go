// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// maxErrorText bounds an answer that is plain text, in bytes.
const maxErrorText = 64 << 10

// respond reviews and writes the server's answer.
func (e *exchange) respond(w http.ResponseWriter, r *http.Request, resp *http.Response) {
	status, good := resp.StatusCode, resp.StatusCode/100 == 2
	if why := e.suspect(resp); why != "" {
		e.fail(w, why)
		return
	}
	if !e.learnSession(resp) {
		e.fail(w, "the server gives a session id that cannot be used")
		return
	}
	e.p.toClient(w.Header(), resp.Header)
	if e.session != nil && resp.Header.Get(sessionHeader) == e.session.id {
		w.Header().Set(sessionHeader, e.session.id)
	}
	if e.session != nil && (status == http.StatusNotFound || r.Method == http.MethodDelete && good) {
		e.p.sessions.end(e.session)
	}
	switch t := mcphttp.ContentType(resp.Header); {
	case t == streamType && good:
		e.pump(w, r, resp)
	case t == jsonType && r.Method == http.MethodPost:
		e.respondJSON(w, resp)
	default:
		e.respondText(w, r, resp)
	}
}

// suspect returns the reason for refusing an answer unread, or "".
func (e *exchange) suspect(resp *http.Response) string {
	status := resp.StatusCode
	ours := !slices.Contains(e.p.pass, "Authorization")
	switch {
	case status < 200 || status/100 == 3:
		// A client that follows the redirect bypasses the proxy.
		return fmt.Sprintf("the server sends its clients elsewhere (HTTP status %d): correct the URL of the server", status)
	case status == http.StatusProxyAuthRequired || status == http.StatusUnauthorized && ours:
		return fmt.Sprintf("the server refuses the proxy's credentials (HTTP status %d)", status)
	case mcphttp.Encoded(resp.Header):
		return "the server's answer is compressed, though nobody asked for that"
	}
	return ""
}

// learnSession begins the session named in the server's answer to initialize. It reports whether
// the id is usable.
func (e *exchange) learnSession(resp *http.Response) bool {
	ids := resp.Header.Values(sessionHeader)
	if !e.begins || len(ids) == 0 || resp.StatusCode/100 != 2 {
		return true
	}
	id := ids[0]
	odd := strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' })
	if len(ids) > 1 || id == "" || len(id) > 1024 || odd || e.relay.Apart(call.SessionID(id)) != nil {
		return false
	}
	e.session = e.p.sessions.begin(id, e.owner, e.relay.Client())
	return e.session != nil
}

// respondJSON writes an answer with a message or a batch.
func (e *exchange) respondJSON(w http.ResponseWriter, resp *http.Response) {
	data, err := mcphttp.ReadWithin(resp, e.p.cfg.Limits.Bytes, e.got)
	switch {
	case errors.Is(err, mcphttp.ErrTooLarge), errors.Is(err, budget.ErrFull):
		e.tooLarge(err)
		e.fail(w, err.Error())
		return
	case err != nil:
		e.fail(w, "the server's answer broke off")
		return
	case len(bytes.TrimSpace(data)) == 0:
		e.respondNothing(w, resp.StatusCode)
		return
	}
	out := e.relay.FromServer(data)
	if resp.StatusCode/100 != 2 {
		e.forgetAll() // the HTTP status answers them
		e.respondError(w, resp, out)
		return
	}
	e.failAll("the server answers something else")
	switch {
	case e.writeAnswers(w, out):
	case out == nil:
		e.respondNothing(w, resp.StatusCode)
	default:
		e.p.write(w, resp.StatusCode, "", out)
	}
}

// respondNothing writes an answer without a body.
func (e *exchange) respondNothing(w http.ResponseWriter, status int) {
	if status/100 == 2 {
		e.failAll("the server answers nothing")
	} else {
		e.forgetAll()
	}
	if !e.writeAnswers(w, nil) {
		w.Header().Del("Content-Type")
		e.p.write(w, status, "", nil)
	}
}

// respondText writes a plain text answer, which only an HTTP error may have.
func (e *exchange) respondText(w http.ResponseWriter, r *http.Request, resp *http.Response) {
	text, err := mcphttp.ReadWithin(resp, maxErrorText, e.got)
	good := resp.StatusCode/100 == 2
	switch {
	case err == nil && len(text) == 0, good && r.Method == http.MethodDelete, good && e.id == nil && r.Method == http.MethodPost && e.batch == nil:
		e.respondNothing(w, resp.StatusCode)
	case good:
		e.fail(w, "the server's answer is neither JSON nor an event stream")
	default:
		e.forgetAll()
		if err != nil || !e.showable(text) {
			text = nil
		}
		if mcphttp.ContentType(resp.Header) != jsonType {
			// A browser must not take the server's page for a page of the proxy.
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		e.respondError(w, resp, text)
	}
}

// showable reports whether the client may see a text unchanged.
func (e *exchange) showable(text []byte) bool {
	if !e.relay.Server().Withholds() {
		return true
	}
	quoted, err := json.Marshal(string(text))
	return err == nil && utf8.Valid(text) && e.relay.Harmless(quoted)
}

// respondError writes an answer with an HTTP error status.
func (e *exchange) respondError(w http.ResponseWriter, resp *http.Response, body []byte) {
	e.drain()
	if body == nil {
		e.p.refuse(w, resp.StatusCode, e.id, jsonrpc.InternalError, fmt.Sprintf("the server answers with the HTTP status %d, and a body that cannot be shown", resp.StatusCode))
		return
	}
	e.p.write(w, resp.StatusCode, "", body)
}
