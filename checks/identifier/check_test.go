// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package identifier

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, Check, &Options{Kinds: []string{"git_ref"}}, "--upload-pack=touch")
}

var sum = strings.Repeat("0a", 32)

// examples of each kind: what fits and what does not.
var examples = map[string][2][]string{
	"uuid": {
		{"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000", "ABCDEF01-2345-6789-abcd-ef0123456789"},
		{"", "123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}", "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456-426614174000\n"},
	},
	"slug": {
		{"a", "release-notes-2", "2026"},
		{"", "-a", "a-", "a--b", "A", "a_b", "a b", "ä", "a\n"},
	},
	"sql": {
		{"orders", "public.orders", "db.public.order_items", "_x1", strings.Repeat("a", 63)},
		{"", "1a", "a;b", "a b", `"a"`, "a--", "a.b.c.d", ".a", "a.", "a'b", strings.Repeat("a", 64), "a\n"},
	},
	"env": {
		{"PATH", "_", "log_level2"},
		{"", "2A", "A-B", "A=B", "A B", "A\n", "É"},
	},
	"docker_image": {
		{"alpine", "alpine:3.20", "acme/app", "ghcr.io/acme/app:1.4", "localhost:5000/a/b__c", "alpine@sha256:" + sum, "localhost/a", "10.0.0.1:5000/x:y@sha256:" + sum, "a-b.c_d"},
		{"", "Alpine", "-v", "a:", "a:-x", "a//b", "a/", "/a", "a b", "a@sha256:12", "a;b", "host:0/a", "ho_st.x/a", "a:b:c", "--privileged", "$(id)"},
	},
	"git_ref": {
		{"main", "feature/login", "v1.2.3", "refs/heads/x", "0a1b2c3d", "a-b_c", "größe", "dependabot/npm_and_yarn/@types/node-20"},
		{"", "@", "-x", "--upload-pack=touch", "a..b", "a~1", "a^", "a:b", "a b", "a?", "a*", "a[", `a\b`, "a@{1}", "/a", "a/", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "a\n", "a\x7f", "a;b", "$(id)", "a/-b"},
	},
	"hostname": {
		{"localhost", "db-1.example.org", "a", "3com.example", "xn--bcher-kva.example", "1.2.3.example"},
		{"", "-a", "a-", "a..b", "a.", ".a", "a_b", "a b", "a/b", "a:80", "user@a", "127.0.0.1", "2130706433", "0x7f.1", "a.0x7f", strings.Repeat("a", 64), "[::1]", "ä", "a\n"},
	},
	"semver": {
		{"0.0.0", "1.4.0", "2.0.0-rc.1", "1.0.0-0a+build.007", "1.0.0--x", "10.20.30+a-b"},
		{"", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3+", "1.2.3 ", "^1.2.3", "1.2.3\n"},
	},
}

func TestKinds(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(slices.Sorted(maps.Keys(kinds)), slices.Sorted(maps.Keys(examples))); diff != "" {
		t.Fatalf("kinds with examples (-want +got):\n%s", diff)
	}
	for name, list := range examples {
		o := &Options{Kinds: []string{name}}
		for _, s := range list[0] {
			if got := find(t, Check, check.World{}, o, s); got != nil {
				t.Errorf("%s %q: got %q, want nothing", name, s, got)
			}
		}
		want := []string{"error syntax: must be " + kinds[name].what}
		for _, s := range list[1] {
			f := o.judge(s)
			if len(f) != 1 || "error syntax: "+f[0].Message != want[0] {
				t.Errorf("%s %q: got %v, want %q", name, s, f, want)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	var letters Pattern
	if err := letters.UnmarshalText([]byte("a|bc")); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		options *Options
		value   any
		want    string
	}{
		"number":        {&Options{Kinds: []string{"slug"}}, 1.0, "error syntax: must be a string: an identifier"},
		"one of":        {&Options{Kinds: []string{"uuid", "slug"}}, "a-b", ""},
		"none of":       {&Options{Kinds: []string{"uuid", "slug"}}, "a b", "error syntax: must be " + kinds["uuid"].what + ", or " + kinds["slug"].what},
		"pattern":       {&Options{Pattern: letters}, "bc", ""},
		"whole pattern": {&Options{Pattern: letters}, "abc", "error syntax: must match the whole pattern a|bc"},
		"line end":      {&Options{Pattern: letters}, "a\n", "error syntax: must match the whole pattern a|bc"},
		"both":          {&Options{Pattern: letters, Kinds: []string{"slug"}}, "b", "error syntax: must match the whole pattern a|bc"},
		"long":          {&Options{Kinds: []string{"slug"}, MaxLength: 2}, "abc", "error syntax: must have at most 2 characters"},
		"long default":  {&Options{Kinds: []string{"slug"}}, strings.Repeat("a", 256), "error syntax: must have at most 255 characters"},
		"unknown kind":  {&Options{Kinds: []string{"isbn"}}, "a", "error syntax: must be "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := append(find(t, Check, check.World{}, tt.options, tt.value), "")[0]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	var got []string
	for _, o := range []*Options{{}, {Kinds: []string{"isbn", "x"}, MaxLength: -1}, {Kinds: []string{"slug"}}} {
		for _, p := range o.Problems() {
			got = append(got, p.Field)
		}
	}
	if diff := cmp.Diff([]string{"", "kind", "max_length"}, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	var p Pattern
	if err := p.UnmarshalText([]byte("a)|(b")); err == nil {
		t.Error("a pattern with an unopened group is taken")
	}
}

// FuzzJudge holds that nothing that fits a kind can be more than a name to a shell, to a
// database or to a program that reads flags.
func FuzzJudge(f *testing.F) {
	for _, list := range examples {
		for _, s := range append(list[0], list[1]...) {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, k := range kinds {
			if k.fits(s) && (s == "" || s[0] == '-' || strings.ContainsAny(s, " \t\r\n\x00'\"`$;&|<>(){}*?\\")) {
				t.Errorf("%q is taken for %s", s, name)
			}
		}
	})
}
