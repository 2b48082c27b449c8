// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package logname_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/logname"
)

const token = "ghp_R7kQ2mZx9LpV4tYw8NcB3sHd6JfG1a2uEQqT"

func TestPointer(t *testing.T) {
	t.Parallel()
	tool, err := call.DecodeTool([]byte(`{"name":"t","inputSchema":{"properties":{"path":{},"sub-dir":{},"x1":{},"`+token+`":{},"AKIAIOSFODNN7EXAMPLE":{}}}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"":                          "",
		"/path":                     "/path",
		"/path/0/sub-dir":           "/path/0/sub-dir",
		"/x1":                       "/x1",
		"/hunter":                   "/(6 bytes)", // not declared
		"/path/" + token + "/0":     "/path/(40 bytes)/0",
		"/AKIAIOSFODNN7EXAMPLE":     "/(20 bytes)",
		"/4111111111111111":         "/(16 bytes)",
		"/path/a~1b":                "/path/(4 bytes)",
		"/\x1b[2J":                  "/(4 bytes)",
		"/path/\n/time=now level=x": "/path/(1 bytes)/(16 bytes)",
	} {
		if got := logname.Pointer(pointer, tool); got != want {
			t.Errorf("%q: got %q, want %q", pointer, got, want)
		}
	}
	if got := logname.Pointer("/structuredContent/rows/0/"+token, nil); got != "/structuredContent/rows/0/(40 bytes)" {
		t.Errorf("a place in an answer: %s", got)
	}
}

func TestTool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		call *call.Call
		want string
	}{
		{&call.Call{Name: "read", Tool: &call.Tool{Name: "read"}}, "read"},
		{&call.Call{Name: token}, "unknown (40 bytes)"},
	} {
		if got := logname.Tool(tt.call); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	_, err := call.DecodeArguments([]byte(`{"`+token+`":{"a":1,"a":2}}`), call.Limits{})
	if got, want := logname.Error(fmt.Errorf("a call: %w", err)), `a call: "arguments" is refused: a place in it is given twice (at byte 55)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := logname.Error(fmt.Errorf("plain")); got != "plain" {
		t.Errorf("got %s", got)
	}
}

// TestErrorOfMember holds that the name of a member of params, which a caller chooses, stays out of logs.
func TestErrorOfMember(t *testing.T) {
	t.Parallel()
	for _, params := range []string{`{"` + token + `":"\u0000"}`, `{"_meta":{"` + token + `":"\u0000"}}`, `{"` + token + `":{"a":1,"a":2}}`, `{"` + token + `":1e400}`} {
		_, err := call.DecodeRequest("vendor/x", []byte(params), call.Limits{})
		if err == nil {
			_, err = call.DecodeParams([]byte(params), call.Limits{})
		}
		if err == nil || !strings.Contains(err.Error(), token[:10]) || strings.Contains(logname.Error(err), token[:10]) {
			t.Errorf("%s: %v, for a log %q", params, err, logname.Error(err))
		}
		if _, err := call.DecodeParams([]byte(params), call.Limits{}); err == nil || strings.Contains(logname.Error(err), token[:10]) {
			t.Errorf("%s: %v", params, err)
		}
	}
}

func TestMethod(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{
		"": "", "tools/call": "tools/call", "resources/read": "resources/read", "sampling/createMessage": "sampling/createMessage",
		"notifications/progress": "notifications/progress", token: "unknown (40 bytes)",
	} {
		if got := logname.Method(method); got != want {
			t.Errorf("%q: got %q, want %q", method, got, want)
		}
	}
}
