// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A named type of each kind, with and without a form of its own in JSON.
type (
	given struct {
		A int             `json:"a"`
		B []string        `json:"b,omitempty"`
		T *time.Time      `json:"t,omitempty"`
		R json.RawMessage `json:"r,omitempty"`
	}
	named  map[string]any
	hidden map[string]any
)

func (hidden) MarshalJSON() ([]byte, error) { return []byte(`{"a": "its own form"}`), nil }

// TestOrdinaryValues holds that a Go value is judged as the text is that encoding/json makes of it.
func TestOrdinaryValues(t *testing.T) {
	t.Parallel()
	s := compiled(t, `{"type": "object", "properties": {
		"a": {"type": "integer", "maximum": 9007199254740993},
		"b": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
		"t": {"type": "string", "format": "date-time"},
		"e": {"enum": [1, "x", {"k": 1.5}]}
	}, "required": ["a"], "additionalProperties": {"type": "number"}}`)
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for name, v := range map[string]any{
		"float64":        map[string]any{"a": 1.0},
		"float64 bad":    map[string]any{"a": 1.5},
		"int":            map[string]any{"a": 1, "x": uint8(3)},
		"exact int":      map[string]any{"a": int64(9007199254740993)},
		"exact int bad":  map[string]any{"a": uint64(9007199254740994)},
		"large float":    map[string]any{"a": 1, "x": 1e300},
		"struct":         given{A: 1, B: []string{"x", "y"}, T: &noon},
		"struct bad":     &given{A: 1, B: []string{"x", "x"}},
		"raw":            json.RawMessage(`{"a": 1, "b": ["x", 2]}`),
		"raw within":     map[string]any{"a": json.RawMessage("7"), "e": json.RawMessage(`{"k": 1.50}`)},
		"strings":        map[string]string{"a": "1"},
		"named":          named{"a": 1, "e": "x"},
		"named bad":      named{"a": 1, "e": "y"},
		"own form":       hidden{"a": 1},
		"nil pointer":    (*given)(nil),
		"empty":          map[string]any{},
		"null":           nil,
		"bytes are text": []byte("hello"),
		"enum float":     map[string]any{"a": 1, "e": map[string]any{"k": 1.5}},
		"numbers mixed":  map[string]any{"a": json.Number("1"), "e": 1},
	} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.EvaluateJSON(text)
		if err != nil {
			t.Fatalf("%s: %s: %v", name, text, err)
		}
		got, err := s.Evaluate(v)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: as text (-), as a value (+):\n%s", name, diff)
		}
		var invalid *InvalidError
		err = s.Validate(v)
		if bad := errors.As(err, &invalid); bad != (len(want.Violations) > 0) || !bad && err != nil {
			t.Errorf("%s: Validate returns %v for %d violations", name, err, len(want.Violations))
		} else if bad && !cmp.Equal(invalid.Violations, want.Violations) {
			t.Errorf("%s: Validate has other violations than Evaluate: %v", name, err)
		}
	}
}

// TestValuesThatAreNone holds that a value that is no JSON is an error, whatever the schema: never valid.
func TestValuesThatAreNone(t *testing.T) {
	t.Parallel()
	s := compiled(t, `{"properties": {"a": {"type": ["integer", "string", "number"]}}, "required": ["a"]}`)
	cycle := map[string]any{}
	cycle["a"], cycle["b"] = cycle, cycle
	for name, v := range map[string]any{
		"NaN":         map[string]any{"a": math.NaN()},
		"channel":     map[string]any{"a": make(chan int)},
		"function":    func() {},
		"bad number":  map[string]any{"a": json.Number("xx")},
		"bad raw":     json.RawMessage(`{"a": 1`),
		"given twice": json.RawMessage(`{"a": 1, "a": 2}`),
		"endless":     map[string]any{"a": 1.0, "z": cycle},
	} {
		var broken *EvaluateError
		if ev, err := s.Evaluate(v); ev != nil || !errors.As(err, &broken) {
			t.Errorf("%s: Evaluate returns %v, %v; want an *EvaluateError", name, ev, err)
		}
		if err := s.Validate(v); !errors.As(err, &broken) {
			t.Errorf("%s: Validate returns %v; want an *EvaluateError", name, err)
		}
	}
	for _, text := range []string{"", "{", `{"a": 1, "a": 2}`, `{"a": "\ud800"}`, "{} {}", "{\"a\": \"\xff\"}"} {
		var broken *EvaluateError
		if ev, err := s.EvaluateJSON([]byte(text)); ev != nil || !errors.As(err, &broken) {
			t.Errorf("%q: EvaluateJSON returns %v, %v; want an *EvaluateError", text, ev, err)
		}
	}
}

func TestBooleanSchemas(t *testing.T) {
	t.Parallel()
	for text, accepts := range map[string]bool{"true": true, "false": false, " true\n": true} {
		s := compiled(t, text)
		for _, value := range []string{"1", `{"a": {}}`, "null"} {
			ev, err := s.EvaluateJSON([]byte(value))
			if err != nil || len(ev.Violations) == 0 != accepts {
				t.Errorf("the schema %s on %s: %+v, %v", text, value, ev, err)
			}
		}
		if err := s.Validate(given{}); (err == nil) != accepts {
			t.Errorf("the schema %s: Validate returns %v", text, err)
		}
		// MCP demands objects of a tool.
		var broken *CompileError
		if _, err := new(Cache).Get([]byte(text)); !errors.As(err, &broken) {
			t.Errorf("the cache takes %s for the schema of a tool: %v", text, err)
		}
	}
	for _, text := range []string{"null", "1", "[]", `"true"`, "true false", "{} true"} {
		var broken *CompileError
		if _, err := Compile([]byte(text), Limits{}); !errors.As(err, &broken) {
			t.Errorf("Compile(%s) returns %v", text, err)
		}
	}
}

// TestNoSchema: a nil and a zero Schema judge nothing, and say so.
func TestNoSchema(t *testing.T) {
	t.Parallel()
	for _, s := range []*Schema{nil, {}} {
		_, a := s.Evaluate(nil)
		_, b := s.EvaluateJSON([]byte("{}"))
		for _, err := range []error{a, b, s.Validate(map[string]any{})} {
			var none *EvaluateError
			if !errors.As(err, &none) || !strings.Contains(err.Error(), "Compile") {
				t.Errorf("the error is %v", err)
			}
		}
	}
	s, err := new(Cache).Get([]byte(`{"type": "object"}`))
	if err != nil || s.Validate(1) == nil {
		t.Errorf("a zero cache: %v", err)
	}
}

func TestInvalidErrorIsPrintable(t *testing.T) {
	t.Parallel()
	s := compiled(t, `{"additionalProperties": false}`)
	err := s.Validate(map[string]any{"\x1b[31m\n - fine": 1})
	if err == nil || strings.ContainsRune(err.Error(), '\x1b') || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("the error is %q", err)
	}
}

func compiled(t *testing.T, text string) *Schema {
	t.Helper()
	s, err := Compile([]byte(text), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
