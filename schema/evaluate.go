// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
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
	// Ambiguous are undeclared properties that differ only in case from a declared one,
	// whether that is given or not. Readers that match names in any case take the one for the other. They are not among
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

// Evaluate judges a value: one as a JSON decoder produces it, or any other that
// encoding/json writes, such as a struct or a map of integers, by what it writes.
// Text, a [json.Number] among it, stands for itself; for JSON text there is
// EvaluateJSON. Evaluate keeps nothing of v.
//
// An error, always an [*EvaluateError], reports that the value could not be judged:
// it is no JSON, or the limits did not suffice. The caller must refuse it. Evaluate
// is safe for concurrent use.
func (s *Schema) Evaluate(v any) (*Evaluation, error) {
	out, err := s.evaluate(v, 0)
	if !errors.Is(err, errForeign) {
		return out, err
	}
	plain, err := plainValue(v, 0)
	if err != nil {
		return nil, err
	}
	return s.evaluate(plain, 0)
}

// EvaluateJSON is Evaluate for the text of a value, in which every number keeps its
// digits. A text that two JSON readers could read differently, for one with a key
// given twice, is an [*EvaluateError]. The evaluation may take the time of [Limits],
// and as much again for each MiB of text.
func (s *Schema) EvaluateJSON(text []byte) (*Evaluation, error) {
	v, err := strictjson.Parse(text, strictjson.Limits{Bytes: max(len(text), 1)})
	if err != nil {
		return nil, &EvaluateError{Reason: "the text is refused: " + err.Error()}
	}
	return s.evaluate(v, len(text))
}

// Validate returns nil for a value that the schema accepts, and an
// [*InvalidError] for one that it does not. Any other error is an [*EvaluateError].
// It takes the values that Evaluate takes; JSON text is a [json.RawMessage]. Formats
// and unknown properties are left to Evaluate.
func (s *Schema) Validate(v any) error {
	ev, err := s.Evaluate(v)
	if err != nil {
		return err
	}
	if len(ev.Violations) > 0 {
		return &InvalidError{ev.Violations}
	}
	return nil
}

// evaluate judges a plain value whose text has so many bytes.
func (s *Schema) evaluate(v any, bytes int) (_ *Evaluation, err error) {
	if s == nil || s.root == nil {
		return nil, &EvaluateError{Reason: "there is no schema: use one that Compile returned"}
	}
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

// foreign ends the evaluation of a value that no JSON decoder produces.
func (e *evaluator) foreign(v any) {
	panic(aborted{&EvaluateError{Reason: fmt.Sprintf("the value holds a %T, which no JSON decoder produces", v), err: errForeign}})
}
