// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

// refuse answers a request with an HTTP status and a JSON-RPC error.
func (p *Proxy) refuse(w http.ResponseWriter, status int, id json.RawMessage, code int, message string) {
	p.cfg.Logger.Info("refused a request", "status", status, "code", code)
	p.write(w, status, jsonType, mcphttp.ErrorLine(id, code, message))
}

// write writes a whole answer.
func (p *Proxy) write(w http.ResponseWriter, status int, contentType string, body []byte) {
	mcphttp.Write(w, status, contentType, body, p.cfg.WriteTimeout)
}

// deadline extends the deadline for the client to read the next piece.
func (p *Proxy) deadline(w http.ResponseWriter) { mcphttp.Deadline(w, p.cfg.WriteTimeout) }

// drain removes and returns the proxy's own answers.
func (e *exchange) drain() []answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	answers := e.answers
	e.answers = nil
	return answers
}

// writeAnswers writes the proxy's own answers, together with the server's answer to the rest of
// a batch. It returns false if there are none.
func (e *exchange) writeAnswers(w http.ResponseWriter, server []byte) bool {
	answers := e.drain()
	switch {
	case len(answers) == 0:
		return false
	case e.batch != nil:
		e.p.write(w, http.StatusOK, jsonType, joined(server, answers))
	default:
		e.p.write(w, statusOf(answers[0].code), jsonType, answers[0].line)
	}
	return true
}

// statusOf returns the HTTP status of an answer.
func statusOf(code int) int {
	switch code {
	case 0: // a result, perhaps a tool's error (2025-11-25, server/tools, Error Handling)
		return http.StatusOK
	case jsonrpc.InternalError:
		return http.StatusBadGateway
	}
	return http.StatusBadRequest
}

// joined returns a batch of the server's answers and the proxy's own. The server's may be one
// answer, a batch or nothing.
func joined(server []byte, answers []answer) []byte {
	var all [][]byte
	text := bytes.TrimSpace(server)
	if len(text) > 0 && text[0] == '[' {
		text = bytes.TrimSpace(text[1 : len(text)-1])
	}
	if len(text) > 0 {
		all = append(all, text)
	}
	for _, a := range answers {
		all = append(all, a.line)
	}
	return slices.Concat([]byte("["), bytes.Join(all, []byte(",")), []byte("]"))
}

// fail answers the forwarded requests with the reason for the server's silence.
func (e *exchange) fail(w http.ResponseWriter, why string) {
	e.failAll(why)
	if !e.writeAnswers(w, nil) {
		e.p.refuse(w, http.StatusBadGateway, e.id, jsonrpc.InternalError, why)
	}
}
