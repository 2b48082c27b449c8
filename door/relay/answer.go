// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

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
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// answerError answers the client with a JSON-RPC error. A nil id becomes null, as
// JSON-RPC wants it for a message whose id could not be read.
func (p *Exchange) answerError(id json.RawMessage, e *call.Error) {
	p.answer(response{ID: id, Error: &responseError{Code: e.Code, Message: e.Message}})
}

// errorLine is an answer with a JSON-RPC error.
func (p *Exchange) errorLine(id json.RawMessage, code int, message string) []byte {
	line, err := encode(response{ID: id, Error: &responseError{Code: code, Message: message}})
	if err != nil { // the parts are valid JSON of our own
		p.log.Error("could not answer", "err", err)
		return nil
	}
	return line
}

// answerResult answers the client's request r, unless that was answered or cancelled
// meanwhile.
func (p *Exchange) answerResult(r *Request, result json.RawMessage) {
	if p.pending.remove(r) {
		p.answer(response{ID: r.id, Result: result})
	}
}

func (p *Exchange) answer(r response) {
	line, err := encode(r)
	if err != nil { // the parts are valid JSON of our own
		p.log.Error("could not answer", "err", err)
		return
	}
	code := 0
	if r.Error != nil {
		code = r.Error.Code
	}
	p.link.Answer(line, code)
}

func encode(r response) ([]byte, error) {
	r.JSONRPC = "2.0"
	if r.ID == nil {
		r.ID = json.RawMessage("null")
	}
	return json.Marshal(r)
}
