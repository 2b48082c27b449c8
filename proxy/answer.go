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
func (p *Proxy) answerError(id json.RawMessage, e *call.Error) {
	p.answer(response{ID: id, Error: &responseError{e.Code, e.Message}})
}

// answerResult answers the client's request r, unless that was answered or cancelled
// meanwhile.
func (p *Proxy) answerResult(r *request, result json.RawMessage) {
	if p.pending.remove(r) {
		p.answer(response{ID: r.id, Result: result})
	}
}

func (p *Proxy) answer(r response) {
	r.JSONRPC = "2.0"
	if r.ID == nil {
		r.ID = json.RawMessage("null")
	}
	line, err := json.Marshal(r)
	if err != nil { // the parts are valid JSON of our own
		p.log.Error("could not answer", "err", err)
		return
	}
	// If the client is gone, its side of the proxy ends.
	_ = p.toClient.write(line, true)
}
