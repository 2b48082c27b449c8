// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, Check, "testdata")
}

func TestLong(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		strings.Repeat("[a-z]{8}", 80): unknown.message(),
		strings.Repeat("ä", 1001):      "must have at most 1000 characters",
		strings.Repeat("ä", 400):       "",
	} {
		f, bad := new(Options).judge(s)
		if f.Message != want || bad != (want != "") || bad && f.Severity != check.Error {
			t.Errorf("%.30q: got %v, want %q", s, f, want)
		}
	}
	if f, _ := (&Options{Explosive: "warn"}).judge(strings.Repeat("[a-z]{8}", 80)); f.Severity != check.Warning {
		t.Errorf("too complex, warn: got %v, want a warning", f)
	}
}

// TestCompiles holds which expressions compile in which engine. JavaScript's and Python's were
// compared with node 20 and Python 3.11.
func TestCompiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text               string
		ecma, python, pcre bool
	}{
		{``, true, true, true},
		{`a|`, true, true, true},
		{`(`, false, false, false},
		{`)`, false, false, false},
		{`[a`, false, false, false},
		{`[]`, true, false, false},
		{`[^]a]`, true, true, true},
		{`[z-a]`, false, false, false},
		{`[\w-a]`, true, false, false},
		{`[[:alpha:]]`, true, true, true},
		{`\`, false, false, false},
		{`*a`, false, false, false},
		{`a**`, false, false, false},
		{`a*+`, false, true, true},
		{`a{2}{3}`, false, false, false},
		{`a{3,2}`, false, false, false},
		{`a{`, true, true, true},
		{`{2}`, false, false, false},
		{`a{99999}`, false, false, false},
		{`^*`, false, false, true},
		{`(?=a)*`, true, true, true},
		{`(?<=a)*`, false, true, true},
		{`(?<=a|bc)d`, true, false, true},
		{`(?<=a*)b`, true, false, false},
		{`(?<n>a)\k<n>`, true, false, true},
		{`(?<n>a)\k<m>`, false, false, false},
		{`(?P<n>a)(?P=n)`, false, true, true},
		{`(?P<n>a)(?P<n>b)`, false, false, false},
		{`(?P<1>a)`, false, false, false},
		{`(?P<>a)`, false, false, false},
		{`(a)\1`, true, true, true},
		{`\1(a)`, true, false, true},
		{`\2(a)`, true, false, false},
		{`(?>a)b`, false, true, true},
		{`(?i)a`, false, true, true},
		{`a(?i)b`, false, false, true},
		{`(?i:a)`, true, true, true},
		{`(?i-s:a)`, true, true, true},
		{`(?y)a`, false, false, false},
		{`(?#note)a`, false, true, true},
		{`(?#note`, false, false, false},
		{`(a)?(?(1)b|c)`, false, true, true},
		{`(a)?(?(1)b|c|d)`, false, false, false},
		{`(?|(a)|(b))\1`, false, false, true},
		{`(?R)?`, false, false, true},
		{`(*COMMIT)a`, false, false, true},
		{`\Qa(b\E`, false, false, true},
		{`\p{L}\P{Lu}\p{Script=Greek}`, true, false, true},
		{`\pL`, true, false, true},
		{`\p{L`, false, false, false},
		{`\q`, true, false, false},
		{`\x4`, true, false, true},
		{`\u00e9`, true, true, false},
		{`\N{DIGIT ONE}`, true, true, true},
		{`\07[\1\b]`, true, true, true},
		{`(?x)a # (b` + "\n" + `c`, false, true, true},
		{`[a-\d]`, true, false, false},
		{strings.Repeat("(", 99) + strings.Repeat(")", 99), true, true, true},
		{strings.Repeat("(", 100) + strings.Repeat(")", 100), false, false, false},
	} {
		for e, want := range map[engine]bool{ecma: tt.ecma, python: tt.python, pcre: tt.pcre} {
			if _, err := parse(tt.text, e); (err == nil) != want {
				t.Errorf("%s: %q: got %v, want compiles %v", e.title(), tt.text, err, want)
			}
		}
	}
}
