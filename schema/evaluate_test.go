// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestPanicIsAnError breaks a schema by hand: whatever goes wrong inside must
// not take the process down, and must not look like a verdict.
func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	s := &Schema{root: &node{refs: []reference{{}}}, limits: DefaultLimits()}
	ev, err := s.Evaluate("x")
	fault, ok := errors.AsType[*EvaluateError](err)
	if ev != nil || !ok || !strings.Contains(fault.Error(), "could not judge: the evaluation failed") || len(fault.Stack) == 0 {
		t.Errorf("got %v and error %v, want none and one with a stack", ev, err)
	}
}

// TestUnexplainedIsAnError breaks a schema by hand so that it refuses a value
// only when nobody asks why.
func TestUnexplainedIsAnError(t *testing.T) {
	t.Parallel()
	e := evaluator{schema: &Schema{root: &node{always: true}, limits: DefaultLimits()}, left: stepsPerLook}
	defer func() {
		if a, ok := recover().(aborted); !ok || !strings.Contains(a.err.Reason, "could not be found") {
			t.Errorf("got %+v, want an aborted evaluation", a)
		}
	}()
	e.explain("x", &Evaluation{})
}

// TestFailuresAreBounded compares memory with time: however many alternatives
// fail in however many ways, only so many failures are kept.
func TestFailuresAreBounded(t *testing.T) {
	t.Parallel()
	var branches []string
	for range 50 {
		branches = append(branches, `{"items":{"type":"null"}}`)
	}
	s, err := Compile([]byte(`{"items":{"anyOf":[`+strings.Join(branches, ",")+`]}}`), Limits{Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var inner, outer []any
	for range 200 {
		inner = append(inner, "x")
	}
	for range 50 {
		outer = append(outer, inner)
	}
	e := evaluator{schema: s, left: stepsPerLook}
	found := e.collect(outer, false)
	if e.stored != maxStored {
		t.Errorf("got %d failures in branches, want %d", e.stored, maxStored)
	}
	if len(found.failures) != len(outer) {
		t.Errorf("got %d failures, want one for each of the %d items", len(found.failures), len(outer))
	}
	ev, err := s.Evaluate(outer)
	if err != nil {
		t.Fatal(err)
	}
	if last := ev.Violations[len(ev.Violations)-1]; last.Keyword != "" || !strings.HasPrefix(last.Message, "and ") {
		t.Errorf("got %+v at the end, want how many are left out", last)
	}
}

func TestZeroLimitsAreDefaults(t *testing.T) {
	t.Parallel()
	if got, want := (Limits{Bytes: -1}).withDefaults(), DefaultLimits(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	own := Limits{Bytes: 1, Depth: 2, Subschemas: 3, Time: 4, Violations: 5}
	if got := own.withDefaults(); got != own {
		t.Errorf("got %+v, want %+v", got, own)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	if got, want := Nearest("pth", []string{"path", "mode"}), "path"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Nearest("zzz", []string{"path", "mode"}); got != "" {
		t.Errorf("got %q, want none", got)
	}
}
