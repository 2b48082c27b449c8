// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/secrets"
)

func TestParseFilter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]condition{
		"":                                      nil,
		`entropy(finding["secret"]) <= 3.5`:     {{entropy: 3.5}},
		`filter.entropy(finding["secret"]) < 3`: {{entropy: 3}},
		"// why\n(matchesAny(finding[\"match\"], [`a|b`, r\"\"\"c\"\"\", \"d\\\\e\",]) || containsAny(finding[\"secret\"], [\"x\"]))": {
			{allow: secrets.Allow{Target: "match", Regexes: []string{"a|b", "c", `d\e`}}},
			{allow: secrets.Allow{Words: []string{"x"}}},
		},
		`!matchesAny(finding["secret"], ["[0-9]"])`:     {{allow: secrets.Allow{Not: true, Regexes: []string{"[0-9]"}}}},
		`matchesAny((attributes["path"] ?? ""), ["a"])`: nil,
	} {
		got, err := parseFilter(text)
		if err != nil {
			t.Errorf("parseFilter(%q): %v", text, err)
		}
		if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(condition{})); diff != "" {
			t.Errorf("parseFilter(%q) (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{
		"let x = 1; x", `entropy(finding["match"]) <= 3`, `entropy(finding["secret"]) >= 3`, `entropy(finding["secret"]) <= a`,
		`matchesAny(finding["secret"], ["a")`, `matchesAny(finding["secret"], ["a"]) && true`, "(", "!containsAny", "||", `true`,
		`matchesAny(finding["secret"], [a])`, `failsTokenEfficiency(finding["secret"])`,
	} {
		if got, err := parseFilter(text); err == nil {
			t.Errorf("parseFilter(%q) = %v, want an error", text, got)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	f.Add(`(entropy(finding["secret"]) <= 3 || !matchesAny(finding["line"], ["a", ` + "`b`" + `]))`)
	f.Add(`containsAny(finding["secret"], [r"""x""", "\"])`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseFilter(text)
		if err != nil && list != nil {
			t.Errorf("parseFilter(%q) returns %v beside an error", text, list)
		}
	})
}

// TestMerge holds the choice between two rules of one name, and the changes to the chosen one.
func TestMerge(t *testing.T) {
	t.Parallel()
	first := &config{Filter: `containsAny(finding["secret"], ["zz"])`, Rules: []configRule{
		{ID: "both", Regex: "first" + endOfBetterleaks, Filter: `entropy(finding["secret"]) <= 2`},
		{ID: "generic-api-key", Regex: "x", Filter: "let program = 1;"},
		{ID: "somebody-client-id", Regex: "x", SkipReport: true},
		{ID: "aws-secret-access-key", Regex: "y", SkipReport: true},
		{ID: "pkcs12-file"},
	}}
	second := &config{Rules: []configRule{
		{ID: "both", Regex: "second"},
		{ID: "generic-api-key", Regex: "g" + endOfGitleaks, Allowlists: []allowlist{
			{Regexes: []string{"a"}, StopWords: []string{"b"}, Condition: "AND"},
			{Regexes: []string{"c"}, Paths: []string{"d"}, Condition: "AND"},
			{Paths: []string{"e"}},
		}},
	}}
	got, err := merge(first, second)
	if err != nil {
		t.Fatal(err)
	}
	want := output{
		Allow: []secrets.Allow{{Words: []string{"zz"}}},
		Patterns: []secrets.Pattern{
			{ID: "both", Regex: "first" + widerEnd, Entropy: 2},
			{ID: "aws-secret-access-key", Regex: "y"},
			{ID: "generic-api-key", Regex: "g" + widerEnd, Generic: true, Allow: []secrets.Allow{{Regexes: []string{"a"}, Words: []string{"b"}, All: true}}},
		},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	first.Rules[0].Filter = "something new"
	if _, err := merge(first, second); err == nil || !strings.Contains(err.Error(), "rule both") {
		t.Errorf("a filter that is not understood: %v", err)
	}
}

// TestRun writes the file from modules with too few rules, and refuses them.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "config"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config", "betterleaks.toml"), []byte("[[rules]]\nid = \"a\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"x":                                   "is not the output of go mod download",
		"{}":                                  "names no directory",
		`{"Path": "a", "Error": "not found"}`: "not found",
		`{"Path": "` + betterleaks + `", "Dir": "` + dir + `"} {"Path": "` + gitleaks + `", "Dir": "` + dir + `"}`: "only 1 rules",
	} {
		if err := run(strings.NewReader(in), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("run(%q) = %v, want an error with %q", in, err, want)
		}
	}
}
