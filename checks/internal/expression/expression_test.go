// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestProblem(t *testing.T) {
	t.Parallel()
	many := map[string]*regexp.Regexp{}
	for i := range most + 1 {
		many[fmt.Sprint("n", i)] = regexp.MustCompile("a")
	}
	one := func(text string) map[string]*regexp.Regexp {
		return map[string]*regexp.Regexp{"acme-key": regexp.MustCompile(text)}
	}
	for _, test := range []struct {
		list map[string]*regexp.Regexp
		want string
	}{
		{nil, ""},
		{one(`acme_[0-9a-f]{32}`), ""},
		{one(`(?i)robot, please`), ""},
		{one(``), "acme-key: must be a regular expression of 1 to 500 bytes"},
		{one(strings.Repeat("a", 501)), "must be a regular expression of 1 to 500 bytes"},
		{one(`a*`), "must not match the empty text"},
		{one(`a{1000}`), "must have at most 500 steps"},
		{one(`((a{10}){10}){10}`), "must have at most 500 steps"},
		{many, "at most 32"},
		{map[string]*regexp.Regexp{"Acme": regexp.MustCompile("a")}, "lower case"},
		{map[string]*regexp.Regexp{"a": nil}, "1 to 500 bytes"},
	} {
		if got := Problem(test.list); !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%v: got %q, want %q", test.list, got, test.want)
		}
	}
}

// FuzzProblem holds that an accepted expression is within the bounds, and finds no empty text.
func FuzzProblem(f *testing.F) {
	f.Add("acme_[0-9a-f]{32}", "acme_0")
	f.Add("(a|b)*c", "ababc")
	f.Fuzz(func(t *testing.T, text, subject string) {
		re, err := regexp.Compile(text)
		if err != nil || Problem(map[string]*regexp.Regexp{"a": re}) != "" {
			return
		}
		if re.MatchString("") || len(text) > maxBytes {
			t.Fatalf("%q is accepted", text)
		}
		re.FindAllStringIndex(subject, 10)
	})
}
