// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package json

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, Check, &Options{Types: []string{"object"}}, `{'a': 1}`)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	of := func(types ...string) *Options { return &Options{Types: types} }
	for name, tt := range map[string]struct {
		options any
		value   any
		want    string // of the first line; "" for none
	}{
		"object":          {of("object"), `{"a": [1, 2.5, null]}`, ""},
		"no options":      {nil, ` "text" `, ""},
		"not a string":    {of(), map[string]any{}, "error syntax: must be a string: a JSON text"},
		"empty":           {of(), "", "error syntax: must hold JSON (RFC 8259) (at byte 0)"},
		"comment":         {of(), "{/* */}", "error syntax: must hold JSON (RFC 8259) (at byte 1)"},
		"trailing comma":  {of(), "[1,]", "error syntax: must hold JSON (RFC 8259) (at byte 3)"},
		"two values":      {of(), "{} {}", "error syntax: must hold one JSON value and nothing behind it (at byte 3)"},
		"key twice":       {of(), `{"secret": 1, "secret": 2}`, "error security: must hold JSON in which no object has a key twice: readers differ in which one counts (at byte 24)"},
		"surrogate":       {of(), `"\ud800"`, "error syntax: must hold JSON in valid Unicode, without a byte order mark or half of a surrogate pair (at byte 8)"},
		"byte order mark": {of(), "\ufeff{}", "error syntax: must hold JSON in valid Unicode, without a byte order mark or half of a surrogate pair (at byte 0)"},
		"number":          {of(), "1e999", "error syntax: must hold JSON whose numbers a double can hold (at byte 5)"},
		"deep":            {&Options{MaxDepth: 2}, "[[[1]]]", "error syntax: must hold JSON nested at most 2 deep (at byte 2)"},
		"deep enough":     {&Options{MaxDepth: 2}, "[[1]]", ""},
		"deep by default": {of(), strings.Repeat("[", 100000), "error syntax: must hold JSON nested at most 64 deep (at byte 64)"},
		"long":            {&Options{MaxLength: 4}, "[1,2]", "error syntax: must have at most 4 bytes"},
		"array":           {of("object"), "[1]", "error syntax: must hold JSON of type object"},
		"one of":          {of("object", "array"), "[1]", ""},
		"integer":         {of("integer"), "7.00", ""},
		"no integer":      {of("integer", "null"), "7.5", "error syntax: must hold JSON of type integer or null"},
		"exponent":        {of("integer"), "1e3", "error syntax: must hold JSON of type integer"},
		"any number":      {of("number"), "1e3", ""},
		"null":            {of("null"), "null", ""},
		"boolean":         {of("boolean"), "true", ""},
		"string":          {of("string"), `""`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := append(find(t, Check, check.World{}, tt.options, tt.value), "")[0]
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range (&Options{Types: []string{"map", "dict"}, MaxDepth: 257, MaxLength: -1}).Problems() {
		got = append(got, p.Field)
	}
	if diff := cmp.Diff([]string{"type", "max_depth", "max_length"}, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if got := (&Options{Types: types, MaxDepth: 3, MaxLength: 10}).Problems(); got != nil {
		t.Errorf("got %v, want none", got)
	}
}

// FuzzJudge holds that what is accepted is JSON of the type to the standard library as
// well, and that a message repeats nothing of the text.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `[1,[2]]`, `"x"`, `{"a":1,"a":2}`, `1e999`, `nul`, `{"\ud800":1}`, ``} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		found := (&Options{Types: []string{"object"}}).judge(s)
		if len(found) > 0 {
			if len(s) > 12 && strings.Contains(found[0].Message, s) {
				t.Errorf("the message repeats %q", s)
			}
			return
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(s), &v); err != nil || v == nil {
			t.Errorf("%q is accepted, and is no object: %v", s, err)
		}
	})
}
