// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnsupportedDialect is wrapped by the [CompileError] of a schema with an unsupported
// "$schema".
var ErrUnsupportedDialect = errors.New("unsupported dialect")

// ErrOutOfTime is wrapped by the [EvaluateError] of an evaluation that did not
// end within [Limits].Time.
var ErrOutOfTime = errors.New("out of time")

// errForeign is wrapped by the [EvaluateError] of a value that no JSON decoder produces.
var errForeign = errors.New("foreign")

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

// An InvalidError is the error of [Schema.Validate] for a value that the schema refuses.
type InvalidError struct {
	Violations []Violation // at least one, ordered as in an [Evaluation]
}

// Error is a line for each violation: its place, what was expected, and the fix.
func (e *InvalidError) Error() string {
	var b strings.Builder
	b.WriteString("schema: the value is invalid")
	for _, v := range e.Violations {
		b.WriteString("\n - ")
		if v.Pointer != "" {
			fmt.Fprintf(&b, "%s: ", printable(v.Pointer, maxPrintedPointer))
		}
		b.WriteString(v.Message)
		if v.Suggestion != "" {
			fmt.Fprintf(&b, "; %s", v.Suggestion)
		}
	}
	return b.String()
}
