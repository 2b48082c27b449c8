// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func isEnv(path string) bool { return filepath.Base(path) == ".env" }

// TestDoubled holds that names and texts in a line that double again and again are read within bounds. Asked anew, 60 doublings would take for ever.
func TestDoubled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{".env", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("A=1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"x=(b*); " + strings.Repeat("x=($x $x); ", 60) + "cat $x",
		"x=$(ls); " + strings.Repeat("x=$(echo $x $x); ", 60) + "cat $x",
		"echo b > l0; " + strings.Repeat("echo $(cat l0) $(cat l0) > l0; ", 60) + "xargs cat < l0",
		strings.Repeat("for x in $x $x; do ", 60) + "cat $x" + strings.Repeat("; done", 60),
		"set -- b b; " + strings.Repeat("set -- $@ $@; ", 60) + "cat $@",
	} {
		p := &Place{Dir: dir, Secret: isEnv, Asks: func(string) bool { return true }}
		if kind, what := p.Line(line); kind != "" {
			t.Errorf("%.60s: %s: %s", line, kind, what)
		}
	}
	bytes := 0
	for _, s := range stepsOf("x=0123456789; "+strings.Repeat("x=$x$x; ", 40)+strings.Repeat("echo $x $x $x $x; ", 200), dir) {
		for _, w := range s.words {
			bytes += len(w.text)
		}
	}
	if bytes > 4*maxValues {
		t.Errorf("the words have %d bytes", bytes)
	}
}

// TestUnread holds that a line with more than is read of it is asked about where it may reach a file of secrets.
func TestUnread(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("A=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	nested, calls := "grep -r . .", "f0() { grep -r . \"$1\"; }; "
	for i := range maxWithin + 1 {
		calls += fmt.Sprintf("f%d() { f%d \"$1\"; }; ", i+1, i)
	}
	for range maxWithin {
		nested = "eval " + nested
	}
	for name, line := range map[string]string{
		"a long pipe":                "ls -A | " + strings.Repeat("cat | ", maxPipe+1) + "xargs cat",
		"many commands":              strings.Repeat(":;", maxSteps+1) + "grep -r . .",
		"many variables":             strings.Repeat("x=1;", maxSteps+1) + "grep -r . .",
		"many, then one that starts": strings.Repeat(":;", 300) + "find . -type f -exec cat {} +",
		"long values":                "x=0123456789; " + strings.Repeat("x=$x$x; ", 40) + strings.Repeat("echo $x; ", 300) + "d=.; grep -r . $d",
		"nested":                     nested,
		"functions":                  calls + fmt.Sprintf("f%d .", maxWithin+1),
	} {
		p := &Place{Dir: dir, Secret: isEnv, Asks: func(kind string) bool { return kind == "secret" }}
		if kind, _ := p.Line(line); kind != "secret" {
			t.Errorf("%s: %q", name, kind)
		}
	}
}

// TestFar holds that a file of secrets counts that stands far down, among many files or behind them, and in a long list of names.
func TestFar(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := []string{"z/.env", "crowd/.env", "a/b/c/d/e/f/g/h/.env"}
	for i := range maxEntries + 100 {
		files = append(files, fmt.Sprintf("crowd/%d.txt", i))
	}
	for _, name := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte("A=1\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"long": strings.Repeat("a.txt\n", 20_000) + "z/.env\n", "longer": strings.Repeat("a.txt\n", 1_000_000)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"grep -r . z": "secret", "grep -r . a": "secret", "grep -r . crowd": "secret", "grep -r . .": "secret", "xargs cat < long": "secret", "xargs cat < longer": "secret",
		"f() { f \"$1\"; }; f .": "",
	} {
		p := &Place{Dir: dir, Secret: isEnv, Asks: func(kind string) bool { return kind == "secret" }}
		if kind, _ := p.Line(line); kind != want {
			t.Errorf("%s: %q, want %q", line, kind, want)
		}
	}
}
