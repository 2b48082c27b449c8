// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"errors"
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
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

func jsonError(code int, what string, err error) *Error {
	return &Error{Code: code, Message: fmt.Sprintf("%s is refused: %v", what, err), Err: err}
}

// memberError is jsonError for a member of params. Its places and offsets count from the member's value,
// because nothing else of a message is the same at every door.
func memberError(key string, err error) *Error {
	if key == "arguments" {
		return argumentsError(err)
	}
	what := fmt.Sprintf(`"params.%s"`, strictjson.Printable(key, 64))
	e := jsonError(paramsCode(err), what, err)
	if !slices.Contains(paramsKeys, key) {
		e.Place = what
	}
	return e
}

// argumentsError refuses arguments, with the same words wherever they stand: in a tools/call, in a dry
// run, in a file.
func argumentsError(err error) *Error {
	e := jsonError(paramsCode(err), `"arguments"`, err)
	if fault := (*strictjson.Error)(nil); errors.As(err, &fault) && fault.Pointer != "" {
		e.Pointer, e.Fault = fault.Pointer, fault.Fault()
	}
	return e
}

var errNoObject = &Error{Code: InvalidParams, Message: `"arguments" must be an object`}

// paramsCode is the code for a fault in the value of a member of params.
func paramsCode(err error) int {
	if e := (*strictjson.Error)(nil); errors.As(err, &e) {
		switch e.Kind {
		case strictjson.Syntax, strictjson.TrailingData, strictjson.InvalidUTF8:
			return ParseError // the text is no JSON
		}
	}
	return InvalidParams
}
