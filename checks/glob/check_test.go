// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package glob

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check/checktest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, Check, "testdata")
}

func TestLong(t *testing.T) {
	t.Parallel()
	const many = "must not stand for more than 1000 patterns by its braces"
	for s, want := range map[string]string{
		strings.Repeat("{a,b}", 200):  many,
		strings.Repeat("{1..1}", 160): many,
		strings.Repeat("a", 1001):     "must have at most 1000 characters",
		strings.Repeat("ä", 1000):     "",
	} {
		got := ""
		if list := new(Options).judge(s); len(list) > 0 {
			got = list[0].Message
		}
		if got != want {
			t.Errorf("%.30q: got %q, want %q", s, got, want)
		}
	}
}

// FuzzJudge holds that no spelling of an accepted pattern is absolute or holds "..", and that it
// has at most the allowed number of spellings.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{"*.go", "{a,b}/**", "{..,a}/x", "[.][.]", `\..\`, "{1..9}", "a{,/}b", "{a,{b,c}}", "[a-z]/{.,b}."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len((&Options{}).judge(s)) > 0 {
			return
		}
		tree, why := parse(s)
		if why != "" {
			t.Fatalf("%q is accepted, and does not parse: %s", s, why)
		}
		ways := tree.spell()
		if len(ways) > defaultBraces {
			t.Errorf("%q stands for %d patterns", s, len(ways))
		}
		for _, w := range ways {
			bare := strings.ReplaceAll(w, `\`, "/")
			if strings.HasPrefix(w, "/") || strings.Contains("/"+bare+"/", "/../") {
				t.Errorf("%q stands for %q", s, w)
			}
		}
	})
}
