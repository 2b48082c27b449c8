// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"strings"
	"testing"
)

func TestMatching(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`^[A-Z]{2,4}-\d+$`:                 "AA-1",
		`^I?\d+[:|-]\d+(?:;\d+[:|-]\d+)*$`: "1-1",
		`^[a-zA-Z0-9_.-]+\.(png|svg)$`:     "a.png",
		`^(?:https?)://x`:                  "http://x",
		`^[^a]+$`:                          "1",
		`(`:                                "",
		`^(?=x)a`:                          "",
		`\bx{900}`:                         "",
		strings.Repeat("a", 2000):          "",
		`(((((a{99}){99}){99}){99}){99})`:  "",
	} {
		got, ok := matching(pattern)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%.40s: got %q, want %q", pattern, got, want)
		}
	}
}
