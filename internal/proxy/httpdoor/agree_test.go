// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
)

// TestAgree holds what counts as the same value in a header and in a body.
func TestAgree(t *testing.T) {
	t.Parallel()
	const tool = `{"name":"t","inputSchema":{"type":"object","properties":{
		"s":{"type":"string","x-mcp-header":"S"},"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"},
		"o":{"type":"object","properties":{"deep":{"type":"string","x-mcp-header":"Deep-One"}}}}}}`
	definition, err := call.DecodeTool([]byte(tool), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, value, arguments string
		agree                  bool
	}{
		{"S", "a", `{"s":"a"}`, true},
		{"S", "b", `{"s":"a"}`, false},
		{"S", "=?base64?SGVsbG8sIOS4lueVjA==?=", `{"s":"Hello, 世界"}`, true},
		{"S", "Hello, 世界", `{"s":"Hello, 世界"}`, true},
		{"S", "=?base64?IHBhZGRlZCA=?=", `{"s":" padded "}`, true},
		{"S", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", `{"s":"=?base64?literal?="}`, true},
		{"S", "=?base64?literal?=", `{"s":"=?base64?literal?="}`, false},
		{"S", "=?base64?YQ?=", `{"s":"a"}`, false}, // no padding
		{"S", "", `{}`, false},
		{"S", "null", `{"s":null}`, false},
		{"N", "42", `{"n":42}`, true},
		{"N", "42.0", `{"n":42}`, true},
		{"N", "042", `{"n":34}`, false},
		{"N", "1e2", `{"n":100}`, false},
		{"N", "x", `{"n":42}`, false},
		{"B", "true", `{"b":true}`, true},
		{"B", "True", `{"b":true}`, false},
		{"Deep-One", "x", `{"o":{"deep":"x"}}`, true},
		{"deep-one", "y", `{"o":{"deep":"x"}}`, false},
		{"Deep_One", "x", `{"o":{"deep":"x"}}`, false}, // to servers behind CGI, it is Deep-One
		{"Unknown", "y", `{}`, true},
	} {
		h := http.Header{}
		h.Set(mcpheader.Param+tt.name, tt.value)
		if why := paramsAgree(h, definition, []byte(tt.arguments), call.Limits{}); (why == "") != tt.agree {
			t.Errorf("%s: %q with %s: %q", tt.name, tt.value, tt.arguments, why)
		}
	}
}

// FuzzHeaderValue holds that each value comes back from its header, and that no header
// reads as two values.
func FuzzHeaderValue(f *testing.F) {
	for _, s := range []string{"read", "ü", " a ", "=?base64?x?=", "a\r\nB: c", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got, ok := mcpheader.Decode(mcpheader.Encode(value))
		if !ok || got != value {
			t.Errorf("%q becomes %q", value, got)
		}
		if strings.ContainsFunc(mcpheader.Encode(value), func(c rune) bool { return c < ' ' || c > '~' }) {
			t.Errorf("%q is not encoded", value)
		}
		if raw, err := json.Marshal(value); err == nil && utf8.ValidString(value) {
			m := jsonrpc.Envelope{ID: json.RawMessage("1"), Method: "tools/call", Params: []byte(`{"name":` + string(raw) + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`)}
			h := http.Header{mcpheader.Version: {"2026-07-28"}, mcpheader.Method: {"tools/call"}, mcpheader.Name: {mcpheader.Encode(value)}}
			if err := agree(h, m, call.Limits{}); err != nil {
				t.Errorf("%q: %v", value, err)
			}
			h.Set(mcpheader.Name, mcpheader.Encode(value+"x"))
			if agree(h, m, call.Limits{}) == nil {
				t.Errorf("%q agrees with another", value)
			}
		}
	})
}
