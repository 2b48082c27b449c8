// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/toolvet/toolvet/call"
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

// deadline gives the client time to take the next piece.
func (p *Proxy) deadline(w http.ResponseWriter) { mcphttp.Deadline(w, p.cfg.WriteTimeout) }

// drain takes the answers of the proxy's own.
func (e *exchange) drain() []answer {
	e.mu.Lock()
	defer e.mu.Unlock()
	answers := e.answers
	e.answers = nil
	return answers
}

// writeAnswers writes what the proxy answers itself, beside what the server answered to
// the rest of a batch. It returns false if there is nothing.
func (e *exchange) writeAnswers(w http.ResponseWriter, server []byte) bool {
	answers := e.drain()
	switch {
	case len(answers) == 0:
		return false
	case e.batch > 0:
		e.p.write(w, http.StatusOK, jsonType, joined(server, answers))
	default:
		e.p.write(w, statusOf(answers[0].code), jsonType, answers[0].line)
	}
	return true
}

// statusOf is the HTTP status of an answer.
func statusOf(code int) int {
	switch code {
	case 0: // a result; a tool's error is one (2025-11-25, server/tools, Error Handling)
		return http.StatusOK
	case call.InternalError:
		return http.StatusBadGateway
	}
	return http.StatusBadRequest
}

// joined is a batch of what the server answers, which may be a batch or nothing, and of
// answers of the proxy's own.
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

// fail answers what the server was asked with why it does not answer.
func (e *exchange) fail(w http.ResponseWriter, why string) {
	e.failAll(why)
	if !e.writeAnswers(w, nil) {
		e.p.refuse(w, http.StatusBadGateway, e.id, call.InternalError, why)
	}
}
