// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
	"testing"
)

func TestSimilar(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, candidates, want string // candidates separated by spaces; with a star, preferred
	}{
		{"maxResults", "max_results min_results", "max_results"},
		{"MAX-RESULTS", "max_results maxResult", "max_results"},
		{"pth", "path mode", "path"},
		{"paht", "path mode", "path"},
		{"recieve", "receive", "receive"},
		{"descriptoin", "description", "description"},
		{"desc", "description", "description"},
		{"repo", "repository_name owner", "repository_name"},
		{"path", "file_path limit", "file_path"},
		{"file_path", "path limit", "path"},
		{"id", "ids", ""},
		{"x", "y", ""},
		{"mode", "path", ""},
		{"cat", "bat hat", ""},
		{"cat", "bat* hat", "bat"},
		{"name", "first_name last_name", ""},
		{"", "a", ""},
		{"--", "__", ""},
		{strings.Repeat("x", 100), strings.Repeat("x", 99) + "y", ""},
	} {
		var candidates []string
		preferred := map[string]bool{}
		for c := range strings.FieldsSeq(tc.candidates) {
			name, star := strings.CutSuffix(c, "*")
			candidates = append(candidates, name)
			preferred[name] = star
		}
		got, ok := similar(tc.name, candidates, func(c string) bool { return preferred[c] })
		if !ok {
			got = ""
		}
		if got != tc.want {
			t.Errorf("%q among %s: got %q, want %q", tc.name, tc.candidates, got, tc.want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"abcd", "bcda", 2}, {"abc", "xyz", 3}, {"abcdef", "uvwxyz", 4}, {"abcdefgh", "a", 4}} {
		if got := distance([]rune(tc.a), []rune(tc.b), 3); got != tc.want {
			t.Errorf("%q, %q: got %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text  string
		limit int
		want  string
	}{
		{"plain ü 😀", 20, "plain ü 😀"},
		{"abcdef", 3, "abc…"},
		{"abc", 3, "abc"},
		{"a\x00\n\x1b[31m", 20, `a\u{0}\u{a}\u{1b}[31m`},
		{"\u202e\u200b\U000e0041", 20, `\u{202e}\u{200b}\u{e0041}`},
		{"a\xffb", 20, `a\xffb`},
		{"\uFFFD", 20, "\uFFFD"},
	} {
		if got := printable(tc.text, tc.limit); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestComparePointers(t *testing.T) {
	t.Parallel()
	ordered := []string{"", "/1", "/2", "/2/a", "/2/b", "/10", "/10/0", "/a", "/a/2", "/a/10", "/ab", "/b"}
	for i, a := range ordered {
		for j, b := range ordered {
			got, want := comparePointers(a, b), 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got != want {
				t.Errorf("%q, %q: got %d, want %d", a, b, got, want)
			}
		}
	}
}
