// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// An Error is a JSON-RPC error, the answer to a request other than tools/call that has no result.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// ErrorCode returns the code of the error.
func (e *Error) ErrorCode() int { return e.Code }

// MethodNotFound is the JSON-RPC code for an unknown method.
const MethodNotFound = -32601

// RequestRefusal returns the answer to a refused request other than tools/call, with the result in
// data. The code tells whether the method or the params are at fault.
func (r *Result) RequestRefusal() *Error {
	code := jsonrpc.InvalidParams
	if slices.ContainsFunc(r.Findings, func(f check.Finding) bool { return f.Check == "known-method" && f.Blocks() }) {
		code = MethodNotFound
	}
	return &Error{code, fmt.Sprintf("The request %q was refused before it reached the server:\n%s\n%s", r.Tool, r.Text(), requestAdvice), r.data()}
}

// CallError returns the protocol error in place of [Result.Refusal], for clients that expect one.
func (r *Result) CallError() *Error {
	return &Error{jsonrpc.InvalidParams, fmt.Sprintf("The call to %q was refused before it ran:\n%s\n%s", r.Tool, r.Text(), requestAdvice), r.data()}
}

// ToolError returns a tool execution error with the message and the data of a server's error. Data is nil or JSON.
func ToolError(modern bool, message string, data json.RawMessage) json.RawMessage {
	if data != nil {
		message += "\n" + string(data)
	}
	return marshal(toolResult{ResultType: resultType(modern), IsError: true, Content: text(message)})
}

// AskRefusal returns the answer to a refused request of a server to its client.
func (r *Result) AskRefusal() *Error {
	return &Error{jsonrpc.InvalidRequest, fmt.Sprintf("The request %q was refused before it reached the client:\n%s", r.Tool, r.Text()), nil}
}

const requestAdvice = "Fix the errors above before you send it again; if they are not yours to fix, do not repeat the request."

// RequestWithheld returns the answer to a request other than tools/call in place of a withheld result.
func (r *Result) RequestWithheld() *Error {
	return &Error{jsonrpc.InternalError, "what the server sent is withheld: " + r.Text(), r.data()}
}

func (r *Result) data() json.RawMessage { return marshal(map[string]any{VerdictKey: r}) }

// RequestFailure returns the answer to an admitted request other than tools/call without a result.
// Why says what happened.
func RequestFailure(why string) *Error {
	return &Error{jsonrpc.InternalError, why, jsonrpc.ErrorData(jsonrpc.InternalError, nil)}
}

// Raw returns the error as JSON.
func (e *Error) Raw() json.RawMessage { return marshal(e) }
