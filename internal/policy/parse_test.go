// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/check"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

func TestParse(t *testing.T) {
	t.Parallel()
	severity := func(s check.Severity) *check.Severity { return &s }
	for name, tt := range map[string]struct {
		text string
		want map[string]Check
	}{
		"least":           {"version: 1", nil},
		"no checks":       {"version: 1\nchecks: {}\n", map[string]Check{}},
		"off":             {"version: 1\nchecks:\n  a: off\n  b: \"off\"\n  'c': 'off'\n", map[string]Check{"a": {Off: true}, "b": {Off: true}, "c": {Off: true}}},
		"nothing said":    {"version: 1\nchecks: {a: {}}", map[string]Check{"a": {}}},
		"severity":        {"version: 1\nchecks: {a: {severity: error}, b: {severity: warning}}", map[string]Check{"a": {Severity: severity(check.Error)}, "b": {Severity: severity(check.Warning)}}},
		"mode":            {"version: 1\nchecks: {a: {mode: enforce}, b: {mode: observe}}", map[string]Check{"a": {}, "b": {Observe: true}}},
		"fail_open":       {"version: 1\nchecks: {a: {fail_open: true}, b: {fail_open: false}}", map[string]Check{"a": {FailOpen: true}, "b": {}}},
		"document marks":  {"# a policy\n---\nversion: 1\n...\n# the end\n", nil},
		"Windows lines":   {"version: 1 # c\r\nchecks: # c\r\n  a: off # c\r\n", map[string]Check{"a": {Off: true}}},
		"flow":            {`{"version": 1, "checks": {"a": {"mode": "observe",},},}`, map[string]Check{"a": {Observe: true}}},
		"escapes in keys": {"version: 1\nchecks:\n  \"a\\x41\\u00e9\\\\\\\"\": off\n", map[string]Check{`aAé\"`: {Off: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Parse("toolvet.yaml", []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&Policy{Checks: tt.want}, p, cmpopts.IgnoreUnexported(Policy{})); diff != "" {
				t.Errorf("policy (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseErrors holds the texts of errors against testdata: each section "yaml X"
// is a policy, and "want X" what is said about it.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, name := range goldenFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			testGolden(t, name)
		})
	}
}

func goldenFiles(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no cases in testdata: %v", err)
	}
	return files
}

func testGolden(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	renewed := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		label, isPolicy := strings.CutPrefix(f.Name, "yaml ")
		if !isPolicy {
			continue
		}
		p, err := Parse("toolvet.yaml", f.Data)
		if err == nil {
			t.Errorf("%s: accepted as %+v, want errors", label, p.Checks)
			continue
		}
		got := []byte(err.Error() + "\n")
		renewed.Files = append(renewed.Files, f, txtar.File{Name: "want " + label, Data: got})
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(renewed), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(renewed))); diff != "" {
		t.Errorf("go test ./policy -update rewrites (-want +got):\n%s", diff)
	}
}

// TestParseUnreadable has the texts that a golden file cannot hold.
func TestParseUnreadable(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"too large":       {"version: 1\n#" + strings.Repeat("x", maxBytes), "p.yaml:1:1: the policy is larger than 1 MiB"},
		"too many tokens": {"version: 1\nx: [" + strings.Repeat("a,", maxTokens), "p.yaml:2:49999: the policy is too large: more than 50,000 words and marks"},
		"tags in a line":  {"version: " + strings.Repeat("!a ", maxBytes/4), "p.yaml:1:10: a tag is not part of a policy"},
		"brackets":        {"version: " + strings.Repeat("[", maxBytes/2), "p.yaml:1:42: nested deeper than 32 levels"},
		"not UTF-8":       {"version: 1\nä: \"a\xff\"", "p.yaml:2:6: not UTF-8: byte 0xFF"},
		"UTF-16":          {"\xff\xfev\x00", "p.yaml:1:1: not UTF-8: byte 0xFF"},
		"byte order mark": {"\ufeffversion: 1", "p.yaml:1:1: the invisible character U+FEFF: remove it"},
		"NUL":             {"version: 1\x00", "p.yaml:1:11: the invisible character U+0000: remove it"},
		"bidi override":   {"version: 1\n# \u202e", "p.yaml:2:3: the invisible character U+202E: remove it"},
		"no-break space":  {"version:\u00a01", "p.yaml:1:9: the invisible character U+00A0: remove it"},
		"line separator":  {"version: 1\u2028", "p.yaml:1:11: the invisible character U+2028: remove it"},
		"carriage return": {"version: 1\rchecks: {}", "p.yaml:1:11: the invisible character U+000D: remove it"},
		"escape sequence": {"version: 1 # \x1b[2J", "p.yaml:1:14: the invisible character U+001B: remove it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Parse("p.yaml", []byte(tt.text))
			if p != nil || err == nil {
				t.Fatalf("accepted as %v", p)
			}
			head, shown, _ := strings.Cut(err.Error(), "\n")
			if !strings.HasPrefix(head, tt.want) {
				t.Errorf("got %q, want it to begin with %q", head, tt.want)
			}
			if i := strings.IndexFunc(shown, func(r rune) bool { return r < ' ' && r != '\n' }); i >= 0 {
				t.Errorf("the error shows the control character %q", shown[i])
			}
		})
	}
}

func TestParseReportsEveryFault(t *testing.T) {
	t.Parallel()
	text := "version: 1\nchecks:\n" + strings.Repeat("  x: 1\n", 3*maxErrors)
	_, err := Parse("p.yaml", []byte(text))
	var errs Errors
	if !errors.As(err, &errs) {
		t.Fatalf("got %T, want Errors", err)
	}
	if got, want := len(errs), maxErrors+1; got != want {
		t.Fatalf("got %d errors, want %d", got, want)
	}
	if got, want := errs[maxErrors].Message, "and 200 more errors from here"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var first *Error
	if !errors.As(err, &first) {
		t.Fatal("the list does not unwrap to *Error")
	}
	want := &Error{File: "p.yaml", Line: 3, Column: 6, Message: "must be off, or a mapping such as {severity: warning}; it is a number", Source: "  x: 1"}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("first error (-want +got):\n%s", diff)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "toolvet.yaml")
	if err := os.WriteFile(name, []byte("version: 1\nchecks: {a: off}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Load(name)
	if err != nil || !p.Check("a").Off {
		t.Errorf("Load: %v, %v, want a to be off", p, err)
	}
	if err := os.WriteFile(name, bytes.Repeat([]byte("#\n"), maxBytes), 0o600); err != nil {
		t.Fatal(err)
	}
	var errs Errors
	if _, err := Load(name); !errors.As(err, &errs) || errs[0].File != name {
		t.Errorf("Load of a large file: %v, want an error that names it", err)
	}
	if _, err := Load(dir); err == nil {
		t.Error("Load of a directory succeeded")
	}
	if _, err := Load(filepath.Join(dir, "absent.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load of an absent file: %v, want os.ErrNotExist", err)
	}
}

// FuzzParse holds that Parse returns a policy or errors, never both and never
// neither; that a policy holds only what the grammar has; and that each error shows
// its place.
func FuzzParse(f *testing.F) {
	seeds := 0
	for _, name := range goldenFiles(f) {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasPrefix(file.Name, "yaml ") {
				f.Add(file.Data)
				seeds++
			}
		}
	}
	if seeds == 0 {
		f.Fatal("no seeds in testdata")
	}
	f.Add([]byte("version: 1\nchecks:\n  a: {severity: warning, mode: observe, fail_open: true}\n  b: off\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("p", data)
		if (p == nil) == (err == nil) {
			t.Fatalf("got policy %v and error %v", p, err)
		}
		if err != nil {
			checkPlaces(t, err, data)
			return
		}
		for name, c := range p.Checks {
			if c.Severity != nil && *c.Severity != check.Error && *c.Severity != check.Warning {
				t.Errorf("check %q has the severity %v", name, *c.Severity)
			}
			if c.Off && c != (Check{Off: true}) {
				t.Errorf("check %q is off, and more: %+v", name, c)
			}
		}
		if len(p.Checks) > 0 {
			checkPlaces(t, p.Validate(nil), data)
		}
	})
}

func checkPlaces(t *testing.T, err error, data []byte) {
	t.Helper()
	errs, ok := err.(Errors)
	if !ok || len(errs) == 0 {
		t.Fatalf("got %T with %v, want Errors", err, err)
	}
	lines := strings.Split(string(data), "\n")
	for _, e := range errs {
		if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Message == "" {
			t.Errorf("the error %+v has no place in %d lines", e, len(lines))
			continue
		}
		if e.Source != "" && e.Column > len([]rune(e.Source))+1 {
			t.Errorf("column %d is outside the line %q", e.Column, e.Source)
		}
	}
	if !slices.IsSortedFunc(errs, func(a, b *Error) int { return a.Line - b.Line }) {
		t.Errorf("errors are not in the order of the file: %v", fmt.Sprint(err))
	}
}
