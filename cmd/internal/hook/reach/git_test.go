// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNoAnswer holds that a line is asked about where git cannot tell what it takes: in no repository yet, and without a git.
func TestNoAnswer(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".env", "a.js"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("A=1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(line, want string) {
		t.Helper()
		p := &Place{Dir: dir, Secret: isEnv, Asks: func(kind string) bool { return kind == "secret" }}
		if kind, _ := p.Line(line); kind != want {
			t.Errorf("%s: %q, want %q", line, kind, want)
		}
	}
	wants("git init && git add -A", "secret")
	wants("git init && git add a.js", "")
	t.Setenv("PATH", t.TempDir())
	wants("git add -A", "secret")
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(".env\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wants("git add -A", "")
}
