// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package knownmethod

import (
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ method, want string }{
		{"resources/read", ""},
		{"ping", ""},
		{"", ""},
		{"tools/call", ""},
		{"notifications/roots/list_changed", ""},
		{"vendor/exec", "MCP has no request of this name, so nothing is known of its params"},
		{"resources/Read/x", "MCP has no request of this name, so nothing is known of its params"},
		{"notifications/anything", "MCP has no notification of this name, so nothing is known of its params"},
	} {
		c, err := call.DecodeRequest(tt.method, []byte(`{}`), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		run := new(check.Run).Init(Check, c, nil)
		if err := run.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got string
		for _, f := range run.Findings {
			got = f.Message
			if f.Blocks() {
				t.Errorf("%q: the finding refuses", tt.method)
			}
		}
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.method, got, tt.want)
		}
	}
}
