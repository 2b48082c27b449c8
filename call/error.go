// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import "fmt"

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
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, an *strictjson.Error for malformed JSON.
func (e *Error) Unwrap() error { return e.Err }

func jsonError(code int, what string, err error) *Error {
	return &Error{Code: code, Message: fmt.Sprintf("%s is refused: %v", what, err), Err: err}
}
