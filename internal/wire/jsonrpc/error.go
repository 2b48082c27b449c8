// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"fmt"
)

// JSON-RPC 2.0 error codes (section 5.1 of its specification), as MCP uses them.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	InvalidParams  = -32602
	InternalError  = -32603
)

// An Error refuses a malformed request, or a message that two readers could read differently. Its
// message names places and rules, never a value, and goes to the sender.
type Error struct {
	Code    int // JSON-RPC error code
	Message string
	Err     error // the cause, or nil
	// Place is the part of Message that names a place by names of the sender's choice. Logs leave it
	// out, since such a name may be a secret. "": there is none.
	Place string
	// Pointer is the place in the arguments of the call, a JSON Pointer, and Fault says what is wrong
	// there. Both are "" unless the fault has a place below the arguments. Message has both.
	Pointer, Fault string
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, an *strictjson.Error for malformed JSON.
func (e *Error) Unwrap() error { return e.Err }

// NewError refuses a part of a message that strictjson could not read.
func NewError(code int, what string, err error) *Error {
	return &Error{Code: code, Message: fmt.Sprintf("%s is refused: %v", what, err), Err: err}
}
