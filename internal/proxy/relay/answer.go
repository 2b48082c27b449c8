// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"encoding/json"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// A response is toolvet's own JSON-RPC response.
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

func errorResponse(id json.RawMessage, code int, message string) response {
	return response{ID: id, Error: &responseError{code, message, jsonrpc.ErrorData(code, nil)}}
}

// answered returns the response with toolvet's own answer.
func answered(id json.RawMessage, a door.Answer) response {
	if !a.Error {
		return response{ID: id, Result: a.Raw}
	}
	e := new(responseError)
	if err := json.Unmarshal(a.Raw, e); err != nil { // impossible: it is our own
		e.Code, e.Message = jsonrpc.InternalError, "toolvet failed at this request"
	}
	return response{ID: id, Error: e}
}

// answerWith answers the client's request r, unless it has been answered or cancelled meanwhile.
func (x *Exchange) answerWith(r *Request, a door.Answer) {
	if x.client.pending.remove(r) {
		x.answer(answered(r.id, a))
	}
}

// answerResult answers the client's request r, unless it has been answered or cancelled
// meanwhile.
func (x *Exchange) answerResult(r *Request, result json.RawMessage) {
	if x.client.pending.remove(r) {
		x.answer(response{ID: r.id, Result: result})
	}
}

func (x *Exchange) answer(r response) {
	code := 0
	if r.Error != nil {
		code = r.Error.Code
	}
	if line := x.encoded(r); line != nil {
		x.link.Answer(line, code)
	}
}

// encoded returns a response as a line. A nil id becomes null, which JSON-RPC requires if the
// id of the request could not be read.
func (x *Exchange) encoded(r response) []byte {
	r.JSONRPC = "2.0"
	if r.ID == nil {
		r.ID = json.RawMessage("null")
	}
	line, err := json.Marshal(r)
	if err != nil { // the parts are valid JSON of our own
		x.server.cfg.Logger.Error("could not answer", "err", err)
		return nil
	}
	return line
}

// errorLine returns a JSON-RPC error response as a line.
func (x *Exchange) errorLine(id json.RawMessage, code int, message string) []byte {
	return x.encoded(errorResponse(id, code, message))
}

// refuseServer answers a request from the server with an error. A server that reads nothing must not
// block its reader here, so the answers queue. A server that lets too many of them queue is dropped.
func (x *Exchange) refuseServer(id json.RawMessage, refusal response) {
	refusal.ID = id
	if line := x.encoded(refusal); line != nil && !x.refusals.Add(line) {
		x.flooded.Do(func() {
			x.server.cfg.Logger.Error("the server is ended: it sends requests that are refused, and does not read the refusals")
			x.link.Drop()
		})
	}
}

// notify sends the client toolvet's own notification, unless ctx is done.
func (x *Exchange) notify(ctx context.Context, method string, params any) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err == nil && ctx.Err() == nil {
		x.link.Notify(line)
	}
}

// task answers a request about one of toolvet's own tasks: a validation that has outlasted its
// request.
func (x *Exchange) task(m jsonrpc.Envelope) {
	var meta map[string]any
	if fields, err := call.DecodeArguments(m.Params, x.server.cfg.Limits); err == nil {
		meta, _ = fields["_meta"].(map[string]any)
	}
	result, e := x.server.cfg.Validator.Task(m.Method, m.Params, x.client.caller.session(meta))
	answer := response{ID: m.ID, Result: result}
	if e != nil {
		answer.Error = &responseError{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	x.answer(answer)
}
