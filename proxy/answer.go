// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"encoding/json"

	"github.com/toolvet/toolvet/call"
)

// A response is a JSON-RPC response of the proxy's own.
type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *responseError  `json:"error,omitempty"`
}

type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// answerError answers the client with a JSON-RPC error. A nil id becomes null, as
// JSON-RPC wants it for a message whose id could not be read.
func (p *session) answerError(id json.RawMessage, e *call.Error) {
	p.answer(response{ID: id, Error: &responseError{e.Code, e.Message}})
}

// answerResult answers the client's request r, unless that was answered or cancelled
// meanwhile.
func (p *session) answerResult(r *request, result json.RawMessage) {
	if p.pending.remove(r) {
		p.answer(response{ID: r.id, Result: result})
	}
}

func (p *session) answer(r response) {
	line, err := encode(r)
	if err != nil { // the parts are valid JSON of our own
		p.log.Error("could not answer", "err", err)
		return
	}
	p.toClientLine(line, true)
}

func encode(r response) ([]byte, error) {
	r.JSONRPC = "2.0"
	if r.ID == nil {
		r.ID = json.RawMessage("null")
	}
	return json.Marshal(r)
}

// toClientLine writes a line to the client. A client that does not take it is gone, and
// that ends the session.
func (p *session) toClientLine(line []byte, flush bool) {
	if p.toClient.write(line, flush) != nil {
		p.end()
	}
}
