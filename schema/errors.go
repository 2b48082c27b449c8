// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import "errors"

// ErrUnsupportedDialect is wrapped by the [CompileError] of a schema with an unsupported
// "$schema".
var ErrUnsupportedDialect = errors.New("unsupported dialect")

// ErrOutOfTime is wrapped by the [EvaluateError] of an evaluation that did not
// end within [Limits].Time.
var ErrOutOfTime = errors.New("out of time")

// A CompileError says why a schema cannot be used. It is the fault of the
// schema's author, not of the caller.
type CompileError struct {
	// Pointer is the place of the fault in the schema, an RFC 6901 JSON
	// Pointer; empty means the whole schema.
	Pointer string
	// Reason says what is wrong, in one line.
	Reason string

	err error
}

func (e *CompileError) Error() string {
	if e.Pointer == "" {
		return "schema: " + e.Reason
	}
	return "schema at " + printable(e.Pointer, maxPrintedPointer) + ": " + e.Reason
}

// Unwrap returns [ErrUnsupportedDialect] for an unsupported dialect.
func (e *CompileError) Unwrap() error { return e.err }

// An EvaluateError says why a value could not be judged. It is neither valid
// nor invalid, and must be refused.
type EvaluateError struct {
	// Reason says what got in the way, in one line.
	Reason string
	// Stack is where a panic came from, for a log; nil when there was none.
	Stack []byte

	err error
}

func (e *EvaluateError) Error() string { return "schema: could not judge: " + e.Reason }

// Unwrap returns [ErrOutOfTime] when the time limit was the reason.
func (e *EvaluateError) Unwrap() error { return e.err }
