// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"regexp"
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, server, tool string
		want                  bool
	}{
		{"*:*", "", "", true},
		{"github:*", "", "search", true}, // the server may be any
		{"github:search", "", "find", false},
		{"*:*", "github", "issues/create", true},
		{"github:*", "github", "a/b:c\x00", true},
		{"github:*", "Github", "search", false},
		{"github:*", "github2", "search", false},
		{"git*:*", "github", "search", true},
		{"*:delete_*", "any", "delete_file", true},
		{"*:delete_*", "any", "undelete_file", false},
		{"*:*_file", "any", "read_file", true},
		{"*:a:b", "any", "a:b", true},
		{"*:a*b*c", "any", "a/x/b/y/c", true},
		{"*:a*b*c", "any", "abc", true},
		{"*:a*b*c", "any", "acb", false},
		{"*:ab*ba", "any", "aba", false},
		{"*:a**a", "any", "aa", true},
	} {
		p, err := parsePattern(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.matches(tt.server, tt.tool); got != tt.want {
			t.Errorf("%s matches %q %q: %v", tt.pattern, tt.server, tt.tool, got)
		}
		l := Limit{Tools: []string{"[", tt.pattern}}
		if got := l.Covers(tt.server, tt.tool); got != tt.want {
			t.Errorf("%s covers %q %q: %v", tt.pattern, tt.server, tt.tool, got)
		}
	}
}

// FuzzGlob compares with regexp.
func FuzzGlob(f *testing.F) {
	f.Add("a*b*c", "a/b/c")
	f.Add("*", "")
	f.Add("ab*ba", "aba")
	f.Add("**a*", "xa")
	f.Fuzz(func(t *testing.T, text, name string) {
		p, err := parsePattern("*:" + text)
		if err != nil {
			t.Skip()
		}
		// Byte by byte, as Latin-1, because regexp reads broken UTF-8 in its own way.
		re := regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(latin1(text)), `\*`, ".*") + `$`)
		if got, want := p.matches("x", name), re.MatchString(latin1(name)); got != want {
			t.Errorf("%q matches %q: %v, want %v", text, name, got, want)
		}
	})
}

func latin1(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}
