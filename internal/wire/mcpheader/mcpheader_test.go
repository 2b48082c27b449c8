// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpheader_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

var limits strictjson.Limits

// TestEncode has the examples of the specification (Value Encoding).
func TestEncode(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"us-west1": "us-west1", "a b\tc": "a b\tc", "": "",
		"Hello, 世界":             "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":              "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":          "=?base64?bGluZTEKbGluZTI=?=",
		"=?base64?literal?=":    "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"=?base64?unterminated": "=?base64?unterminated",
	} {
		if got := mcpheader.Encode(value); got != want {
			t.Errorf("Encode(%q) = %q, want %q", value, got, want)
		}
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"plain": "plain", "=?base64?IHBhZGRlZCA=?=": " padded ", "=?base64??=": "", "世界": "世界", "=?BASE64?YQ==?=": "=?BASE64?YQ==?=", "=?base64?=": "=?base64?=",
	} {
		if got, ok := mcpheader.Decode(header); !ok || got != want {
			t.Errorf("Decode(%q) = %q, %v; want %q", header, got, ok, want)
		}
	}
	for _, header := range []string{"=?base64?!?=", "=?base64?YQ?=", "=?base64?YR==?="} {
		if got, ok := mcpheader.Decode(header); ok {
			t.Errorf("Decode(%q) = %q, want a refusal", header, got)
		}
	}
}

// FuzzEncode holds that every value survives a header, and that the header is safe.
func FuzzEncode(f *testing.F) {
	for _, seed := range []string{"", "a", " a", "\r\nX: y", "=?base64??=", "=?base64?=", "世界", "\x00", "\xff", "a\t"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		header := mcpheader.Encode(value)
		for _, c := range []byte(header) {
			if (c < ' ' || c > '~') && c != '\t' {
				t.Fatalf("Encode(%q) = %q: not safe", value, header)
			}
		}
		if strings.TrimSpace(header) != header {
			t.Fatalf("Encode(%q) = %q: a header loses its outer spaces", value, header)
		}
		if got, ok := mcpheader.Decode(header); !ok || got != value {
			t.Fatalf("Decode(Encode(%q)) = %q, %v", value, got, ok)
		}
	})
}

func TestMirrors(t *testing.T) {
	t.Parallel()
	got, err := mcpheader.Mirrors(json.RawMessage(`{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"at":{"type":"object","properties":{"zone":{"type":"integer","x-mcp-header":"a-Zone"},"x-mcp-header":{"type":"string"}}},
		"other":{"type":"string","default":{"x-mcp-header":"data"}}}}`), limits)
	want := []mcpheader.Mirror{
		{Path: []string{"at", "zone"}, Header: "Mcp-Param-a-zone"},
		{Path: []string{"region"}, Header: "Mcp-Param-region"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestMirrorsRefuses(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"at the root":       `{"type":"string","x-mcp-header":"A"}`,
		"empty":             `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`,
		"no string":         `{"properties":{"a":{"type":"string","x-mcp-header":1}}}`,
		"no token":          `{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}`,
		"line end":          `{"properties":{"a":{"type":"string","x-mcp-header":"a\r\nb"}}}`,
		"number":            `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`,
		"object":            `{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}`,
		"no type":           `{"properties":{"a":{"x-mcp-header":"A"}}}`,
		"twice":             `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`,
		"in items":          `{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`,
		"in anyOf":          `{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`,
		"in a definition":   `{"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}`,
		"behind if":         `{"if":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`,
		"written otherwise": `{"properties":{"a":{"type":"number","x-mcp-heade\u0072":"A"}}}`,
	} {
		if got, err := mcpheader.Mirrors(json.RawMessage(schema), limits); err == nil {
			t.Errorf("%s: got %v, want an error", name, got)
		}
	}
}

const request = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"gr\u00fc\u00dfe","arguments":{
	"s":"x\ny","i":42,"b":true,"n":null,"o":{"deep":"1"}},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`

var mirrors = []mcpheader.Mirror{
	{Path: []string{"s"}, Header: "Mcp-Param-s"}, {Path: []string{"i"}, Header: "Mcp-Param-i"}, {Path: []string{"b"}, Header: "Mcp-Param-b"},
	{Path: []string{"n"}, Header: "Mcp-Param-n"}, {Path: []string{"o", "deep"}, Header: "Mcp-Param-deep"}, {Path: []string{"o"}, Header: "Mcp-Param-o"},
}

func decode(t *testing.T, text string) jsonrpc.Envelope {
	t.Helper()
	m, err := jsonrpc.DecodeEnvelope([]byte(text), limits)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func headers(t *testing.T) http.Header {
	h := http.Header{}
	mcpheader.Set(h, decode(t, request), mirrors, limits)
	return h
}

func TestSet(t *testing.T) {
	t.Parallel()
	want := http.Header{
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"=?base64?Z3LDvMOfZQ==?="},
		"Mcp-Param-S": {"=?base64?eAp5?="}, "Mcp-Param-I": {"42"}, "Mcp-Param-B": {"true"}, "Mcp-Param-Deep": {"1"},
	}
	if diff := cmp.Diff(want, headers(t)); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(http.Header)
		wrong  string
	}{
		{name: "as set", change: func(http.Header) {}},
		{name: "a name outside ASCII", change: func(h http.Header) { h.Set("Mcp-Name", "grüße") }},
		{name: "a number of another shape", change: func(h http.Header) { h.Set("Mcp-Param-I", "42.0") }},
		{name: "Base64 without need", change: func(h http.Header) { h.Set("Mcp-Param-B", "=?base64?dHJ1ZQ==?=") }},
		{name: "no version", change: func(h http.Header) { h.Del("Mcp-Protocol-Version") }, wrong: "Mcp-Protocol-Version must occur once"},
		{name: "another version", change: func(h http.Header) { h.Set("Mcp-Protocol-Version", "2026-07-29") }, wrong: "Mcp-Protocol-Version does not match"},
		{name: "no method", change: func(h http.Header) { h.Del("Mcp-Method") }, wrong: "Mcp-Method must occur once"},
		{name: "another method", change: func(h http.Header) { h.Set("Mcp-Method", "tools/list") }, wrong: "Mcp-Method does not match"},
		{name: "case", change: func(h http.Header) { h.Set("Mcp-Method", "Tools/call") }, wrong: "Mcp-Method does not match"},
		{name: "no name", change: func(h http.Header) { h.Del("Mcp-Name") }, wrong: "Mcp-Name must occur once"},
		{name: "two names", change: func(h http.Header) { h.Add("Mcp-Name", "x") }, wrong: "Mcp-Name must occur once"},
		{name: "bad Base64", change: func(h http.Header) { h.Set("Mcp-Name", "=?base64?*?=") }, wrong: "Mcp-Name does not match"},
		{name: "no argument", change: func(h http.Header) { h.Del("Mcp-Param-S") }, wrong: "Mcp-Param-S must occur once"},
		{name: "another argument", change: func(h http.Header) { h.Set("Mcp-Param-I", "43") }, wrong: "Mcp-Param-I does not match"},
		{name: "a string is no number", change: func(h http.Header) { h.Set("Mcp-Param-Deep", "1.0") }, wrong: "Mcp-Param-Deep does not match"},
		{name: "an argument that is null", change: func(h http.Header) { h.Set("Mcp-Param-N", "") }, wrong: "Mcp-Param-N mirrors"},
	} {
		h := headers(t)
		tt.change(h)
		err := mcpheader.Check(h, decode(t, request), mirrors, limits)
		if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.wrong)
		}
	}
}

// FuzzSetCheck holds that what Set writes, Check takes, whatever the values.
func FuzzSetCheck(f *testing.F) {
	f.Add("name", "value", 7.0)
	f.Add("\n", "=?base64??=", -0.5)
	f.Fuzz(func(t *testing.T, name, value string, number float64) {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return
		}
		text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
			"name": name, "arguments": map[string]any{"s": value, "i": number},
			"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
		}})
		if err != nil {
			return
		}
		m, err := jsonrpc.DecodeEnvelope(text, limits)
		if err != nil {
			return
		}
		h := http.Header{}
		mcpheader.Set(h, m, mirrors, limits)
		if err := mcpheader.Check(h, m, mirrors, limits); err != nil {
			t.Fatalf("%s with %v: %v", text, h, err)
		}
	})
}
