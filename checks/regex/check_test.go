// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, Check, &Options{}, `^(\w+\s?)*$`)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const explodes = "must not be able to take exponential time: a loop in it matches one text in two ways"
	for name, tt := range map[string]struct {
		options any
		value   any
		want    string // of the first line; "" for none
	}{
		"fine":              {&Options{}, `^[a-z]+(-[a-z]+)*$`, ""},
		"no options":        {nil, `(b+)+`, "error security: " + explodes},
		"number":            {&Options{}, 7.0, "error syntax: must be a string: a regular expression"},
		"open":              {&Options{}, `ab(c`, "error syntax: must be a regular expression that JavaScript compiles: a group that is not closed (at character 3)"},
		"warn":              {&Options{Explosive: "warn"}, `(b+)+`, "warning security: " + explodes},
		"allow":             {&Options{Explosive: "allow"}, `(b+)+`, ""},
		"go never":          {&Options{Engine: "go"}, `(b+)+`, ""},
		"go has no look":    {&Options{Engine: "go"}, `a(?=b)`, "error syntax: must be a regular expression that Go's package regexp (RE2) compiles: invalid or unsupported Perl syntax"},
		"polynomial":        {&Options{}, `.*.*.*.*=`, "warning security: " + polynomial.message()},
		"too complex":       {&Options{}, strings.Repeat("[a-z]{8}", 80), "error security: " + unknown.message()},
		"too complex, warn": {&Options{Explosive: "warn"}, strings.Repeat("[a-z]{8}", 80), "warning security: " + unknown.message()},
		"long":              {&Options{MaxLength: 3}, `abcd`, "error syntax: must have at most 3 characters"},
		"long by default":   {&Options{}, strings.Repeat("ä", DefaultLength+1), "error syntax: must have at most 1000 characters"},
		"not so long":       {&Options{}, strings.Repeat("ä", 400), ""},
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
	for _, p := range (&Options{Engine: "re2", Explosive: "no", MaxLength: maxLength + 1}).Problems() {
		got = append(got, p.Field)
	}
	if diff := cmp.Diff([]string{"engine", "explosive", "max_length"}, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if got := (&Options{Engine: "pcre", Explosive: "warn", MaxLength: 10}).Problems(); got != nil {
		t.Errorf("got %v, want none", got)
	}
}

// TestCompiles holds what compiles in which engine. JavaScript's and Python's were compared
// with node 20 and Python 3.11.
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
