// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

func TestNewCall(t *testing.T) {
	t.Parallel()
	tool := &Tool{Name: "read", InputSchema: json.RawMessage(`{"type": "object"}`)}
	type arguments struct {
		Path string   `json:"path"`
		Head uint64   `json:"head,omitempty"`
		Tags []string `json:"tags,omitempty"`
	}
	for _, tt := range []struct {
		name  string
		given any
		want  string // the params of the same call
	}{
		{"nothing", nil, `{}`},
		{"struct", arguments{"<a>", math.MaxUint64, []string{"x"}}, `{"path": "<a>", "head": 18446744073709551615, "tags": ["x"]}`},
		{"pointer", &arguments{Path: "a"}, `{"path": "a"}`},
		{"map", map[string]any{"path": "a", "head": 3, "tags": []any{1.5, nil}}, `{"path": "a", "head": 3, "tags": [1.5, null]}`},
		{"map of a type", map[string]int64{"head": 9007199254740993}, `{"head": 9007199254740993}`},
		{"text", json.RawMessage(`{"head": 1.10, "path": "a"}`), `{"head": 1.10, "path": "a"}`},
	} {
		want, err := DecodeParams([]byte(`{"name": "read", "arguments": `+tt.want+`}`), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := NewCall(tool, tt.given)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got.Tool != tool || got.Name != want.Name || !cmp.Equal(got.Arguments, want.Arguments) {
			t.Errorf("%s: %s %v, want %v", tt.name, got.Name, got.Arguments, want.Arguments)
		}
		if raw, err := DecodeArguments(got.Raw, Limits{}); err != nil || !cmp.Equal(raw, want.Arguments) {
			t.Errorf("%s: the text to forward is %s", tt.name, got.Raw)
		}
	}
	for name, given := range map[string]any{
		"nil pointer": (*arguments)(nil),
		"array":       []string{"a"},
		"twice":       json.RawMessage(`{"a": 1, "a": 2}`),
		"no JSON":     json.RawMessage(`{"a"`),
		"NaN":         map[string]any{"a": math.NaN()},
		"channel":     make(chan int),
		"too large":   json.RawMessage(`{"a": 1e999}`),
	} {
		if c, err := NewCall(tool, given); err == nil || c != nil {
			t.Errorf("%s: NewCall returns %v, %v", name, c, err)
		}
	}
	if c, err := NewCall(nil, nil); err == nil || c != nil {
		t.Errorf("without a tool: NewCall returns %v, %v", c, err)
	}
	_, err := NewCall(tool, []int{1})
	if _, ok := errors.AsType[*jsonrpc.Error](err); !ok {
		t.Errorf("the error of an array is %v", err)
	}
}

// TestMemoryOfDecoded holds what the documentation says of the memory of decoded values: whether they change when the
// caller uses its buffer again.
func TestMemoryOfDecoded(t *testing.T) {
	t.Parallel()
	const arguments = `{"path":"good","uri":"good"}`
	texts := func(of ...[]byte) string {
		var all []string
		for _, one := range of {
			all = append(all, string(one))
		}
		return strings.Join(all, " ")
	}
	// All that a call holds, but its text.
	values := func(c *Call) string {
		all, err := json.Marshal([]any{c.Name, c.Method, c.Arguments, c.Meta, c.Inputs, c.Unknown, c.Extra})
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	definition := func(d *Tool) string {
		return d.Name + d.Title + d.Description + texts(d.InputSchema, d.OutputSchema, d.Raw)
	}
	for _, tt := range []struct {
		name   string
		text   string
		shares bool
		decode func(text []byte) (kept func() string, err error)
	}{
		{"DecodeParams", `{"name":"good","arguments":` + arguments + `,"_meta":{"good":"good"},"good":["good"]}`, false, func(b []byte) (func() string, error) {
			c, err := DecodeParams(b, Limits{})
			return func() string { return values(c) }, err
		}},
		{"DecodeParams: Raw", `{"name":"good","arguments":` + arguments + `}`, true, func(b []byte) (func() string, error) {
			c, err := DecodeParams(b, Limits{})
			return func() string { return texts(c.Raw) }, err
		}},
		{"DecodeRequest", arguments, false, func(b []byte) (func() string, error) {
			c, err := DecodeRequest("resources/read", b, Limits{})
			return func() string { return values(c) }, err
		}},
		{"DecodeRequest: Raw", arguments, true, func(b []byte) (func() string, error) {
			c, err := DecodeRequest("resources/read", b, Limits{})
			return func() string { return texts(c.Raw) }, err
		}},
		{"DecodeArguments", arguments, false, func(b []byte) (func() string, error) {
			v, err := DecodeArguments(b, Limits{})
			return func() string { return values(&Call{Arguments: v}) }, err
		}},
		{"DecodeAnswer", `{"content":{"good":"good"}}`, false, func(b []byte) (func() string, error) {
			c, err := (&Call{Method: "elicitation/create"}).DecodeAnswer(b, Limits{})
			return func() string { return values(c) + texts(c.Raw) }, err
		}},
		{"NewCall", arguments, false, func(b []byte) (func() string, error) {
			c, err := NewCall(&Tool{Name: "x"}, json.RawMessage(b))
			return func() string { return values(c) + texts(c.Raw) }, err
		}},
		{"DecodeTool", `{"name":"good","title":"good","description":"good","inputSchema":{"good":1},"outputSchema":{"good":1}}`, false, func(b []byte) (func() string, error) {
			d, err := DecodeTool(b, Limits{})
			return func() string { return definition(d) }, err
		}},
		{"DecodeTools", `{"tools":[{"name":"good","inputSchema":{"good":1}}],"nextCursor":"good"}`, false, func(b []byte) (func() string, error) {
			list, next, _, err := DecodeTools(b, Limits{})
			return func() string { return definition(list[0]) + next }, err
		}},
		{"DecodeEnvelope", `{"jsonrpc":"2.0","id":"good","method":"x","params":{"good":1}}`, true, func(b []byte) (func() string, error) {
			m, err := jsonrpc.DecodeEnvelope(b, Limits{})
			return func() string { return texts(m.ID, m.Params) }, err
		}},
		{"Questions", `{"inputRequests":{"a":{"method":"ping","params":{"good":1}}}}`, true, func(b []byte) (func() string, error) {
			list, err := jsonrpc.Questions(b, Limits{})
			return func() string { return texts(list[0].Params) }, err
		}},
		{"ErrorQuestions", `{"data":{"elicitations":[{"good":1}]}}`, true, func(b []byte) (func() string, error) {
			list, err := jsonrpc.ErrorQuestions(b, Limits{})
			return func() string { return texts(list[0].Params) }, err
		}},
	} {
		buffer := []byte(tt.text)
		kept, err := tt.decode(buffer)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		before := kept()
		copy(buffer, strings.ReplaceAll(tt.text, "good", "EVIL"))
		if changed := kept() != before; changed != tt.shares {
			t.Errorf("%s: shares memory: %v, documented: %v\nbefore: %s\nafter: %s", tt.name, changed, tt.shares, before, kept())
		}
	}
}
