// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"testing"
)

func TestHost(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://example.org":                       "example.org",
		"https://EXAMPLE.org.:443/x?y#z":            "example.org",
		"http://127.0.0.1:8080":                     "127.0.0.1",
		"http://[::1]:80/":                          "::1",
		"https://evil.example#@good.example":        "evil.example",
		"https://good.example.evil.example/":        "good.example.evil.example",
		"https://evil.example/https://good.example": "evil.example",

		"": "", "x": "", "//good.example": "", "/good.example": "", "https:good.example": "", "https:///good.example": "",
		"https://": "", "mailto:a@good.example": "",
		"https://good.example@evil.example": "", "https://good.example\\@evil.example": "", "https://evil.example\\.good.example": "",
		"https://good.example:x": "", "https://good.example\t": "", " https://good.example": "",
		"https://g\u00f6\u00f6d.example": "", "https://good%2eexample": "", "https://good\uff0eexample": "", "https://[fe80::1%25eth0]/": "",
	} {
		if got, err := host(address); got != want || (err == nil) != (want != "") {
			t.Errorf("host(%q) = %q, %v", address, got, err)
		}
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		glob, text string
		want       bool
	}{
		{"*.txt", "a.txt", true}, {"*.txt", "a/b.txt", false}, {"*.txt", "a.txt\n", false}, {"*.txt", "atxt", false},
		{"**", "a/b\nc", true}, {"a/**", "a/b/c", true}, {"a/**", "ab", false}, {"**/x", "a/b/x", true},
		{"a?c", "abc", true}, {"a?c", "a/c", false}, {"a?c", "aäc", true}, {"", "", true}, {"", "a", false},
		{"a+(b)[c]", "a+(b)[c]", true}, {"a|b", "a", false}, {`a\*`, `a\b`, true},
	} {
		p := mustCompile(t, Rule{Name: "g", Effect: Allow, When: "glob(args.t, " + quoteCEL(tt.glob) + ")"}).ForTool("files", readTool(t))
		d := p.Evaluate(t.Context(), Input{Args: map[string]any{"t": tt.text}})
		if d.Allowed != tt.want || failed(d) != nil {
			t.Errorf("glob(%q, %q) = %t, %v", tt.text, tt.glob, d.Allowed, failed(d))
		}
	}
}

func quoteCEL(s string) string { return `r"` + s + `"` }
