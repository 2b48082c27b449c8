// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import "testing"

// TestRules: the digest knows every section but the log, in any order.
func TestRules(t *testing.T) {
	t.Parallel()
	const one = "version: 1\nservers: {a: {url: 'http://127.0.0.1/'}}\n"
	for _, tt := range []struct {
		text string
		same bool
	}{
		{"servers: {a: {url: 'http://127.0.0.1/'}}\nlog: {file: x}\nversion: 1 # comment\n", true},
		{"version: 1\nservers: {b: {url: 'http://127.0.0.1/'}}\n", false},
		{"version: 1\nservers: [", false},
		{"", false},
	} {
		if got := Rules([]byte(tt.text)) == Rules([]byte(one)); got != tt.same {
			t.Errorf("%q has the same rules: %v", tt.text, got)
		}
	}
	if Rules([]byte("a: [")) == Rules([]byte("b: [")) {
		t.Error("texts that cannot be read are the same")
	}
}
