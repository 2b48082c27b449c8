// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"
)

// An Evaluation says what is wrong with one value. The lists are ordered by
// pointer, array items by index, and then by keyword and message. They are
// empty for a value without fault.
type Evaluation struct {
	// Violations are the failures of the schema, with "format" as annotation
	// only. The value is valid if and only if there are none.
	Violations []Violation
	// Formats are the failures that asserting formats adds: date-time, date,
	// time, email, uri, uuid, ipv4, ipv6, hostname, regex and json-pointer.
	Formats []Violation
	// Unknown are properties that the schema neither declares nor forbids; the
	// tool may ignore them.
	Unknown []Violation
	// Ambiguous are undeclared properties that differ only in case from a declared one beside
	// them. Readers that match names in any case take the one for the other. They are not among
	// Unknown.
	Ambiguous []Violation
}

// A Violation is one thing that is wrong, worded for a model.
type Violation struct {
	// Pointer is the place in the value, an RFC 6901 JSON Pointer. That of a missing property is
	// where the property should be; for a forbidden property, the property. Names of more than
	// 256 bytes are cut.
	Pointer string
	// Keyword is the schema keyword that failed; empty in the last entry of a
	// list that was cut.
	Keyword string
	// Message says what was expected. It may name properties, but never repeats
	// a value that was judged.
	Message string
	// Suggestion is the concrete fix, such as: rename "pth" to "path". Empty
	// when there is no clear one.
	Suggestion string
	// Value is the schema's own replacement for what is at Pointer, when there
	// is exactly one sensible one; else nil.
	Value json.RawMessage
}

// Evaluate judges a decoded JSON value. An error, always an [*EvaluateError], reports that the
// value could not be judged within the limits. The caller must refuse it. Evaluate is safe for
// concurrent use.
func (s *Schema) Evaluate(v any) (*Evaluation, error) { return s.EvaluateSized(v, 0) }

// EvaluateSized is Evaluate for a value whose text has so many bytes: it may take the time of
// [Limits], and as much again for each MiB.
func (s *Schema) EvaluateSized(v any, bytes int) (_ *Evaluation, err error) {
	limit := s.limits.Time + s.limits.Time/1024*time.Duration(bytes>>10)
	e := evaluator{schema: s, left: stepsPerLook, deadline: time.Now().Add(limit)}
	defer func() {
		if fault := recover(); fault != nil {
			err = evaluateError(fault)
		}
	}()
	out := &Evaluation{}
	if !e.accepts(v) {
		e.explain(v, out)
	}
	e.unknown(v, out)
	return out, nil
}

// accepts decides, without a reason, and with formats asserted.
func (e *evaluator) accepts(v any) bool {
	if e.schema.mixed || !e.schema.formats {
		if !e.eval(e.schema.root, v, nil, nil) {
			return false
		}
	}
	if !e.schema.formats {
		return true
	}
	e.formats = true
	ok := e.eval(e.schema.root, v, nil, nil)
	e.formats = false
	return ok
}

// An aborted evaluation unwinds with this panic.
type aborted struct{ err *EvaluateError }

func evaluateError(fault any) *EvaluateError {
	if a, ok := fault.(aborted); ok {
		return a.err
	}
	return &EvaluateError{Reason: "the evaluation failed: " + printable(fmt.Sprint(fault), maxPrintedFault), Stack: debug.Stack()}
}

// abort ends the evaluation: the value can neither be accepted nor refused for
// what it is.
func (e *evaluator) abort(format string, args ...any) {
	panic(aborted{&EvaluateError{Reason: fmt.Sprintf(format, args...)}})
}

func (e *evaluator) outOfTime(format string, args ...any) {
	panic(aborted{&EvaluateError{Reason: fmt.Sprintf(format, args...), err: ErrOutOfTime}})
}
