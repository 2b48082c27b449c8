// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/need"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{ // name: package, or "" if refused
		"known-tool": "knowntool",
		"path":       "path",
		"sql2":       "sql2",
		"utf-8-text": "utf8text",
		"":           "",
		"Path":       "",
		"path_1":     "",
		"-path":      "",
		"path-":      "",
		"a--b":       "",
		"2sql":       "",
		"../etc":     "",
		"a/b":        "",
		"a b":        "",
		"pâth":       "",
		"type":       "",
		"go-to":      "",
		"suite":      "",
		"test-data":  "",
		"main":       "",
	} {
		s, err := newScaffold(name)
		got := ""
		if err == nil {
			got = s.Package
		}
		if got != want {
			t.Errorf("newScaffold(%q): package %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"nothing":       {nil, "usage"},
		"two names":     {[]string{"a", "b"}, "usage"},
		"bad name":      {[]string{"Bad"}, "needs a name in lower-case words"},
		"outside":       {[]string{"good"}, "run this in the root of the module"},
		"keyword":       {[]string{"func"}, `a package cannot be called "func"`},
		"flag, no name": {[]string{"-h"}, "needs a name in lower-case words"},
	} {
		var out strings.Builder
		if err := run(tt.args, &out); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, tt.want)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("something is left behind: %v", left)
	}
}

func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("checks/suite", 0o755); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run([]string{"odd-hour"}, &out); err != nil {
		t.Fatal(err)
	}
	want := []string{"README.md", "check.go", "check_test.go", "testdata/odd-hour.txtar"}
	if diff := cmp.Diff(want, filesIn(t, "checks/oddhour")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, hint := range []string{"checks/oddhour/README.md", "testdata/odd-hour.txtar", "oddhour.Check", "go generate ./checks/suite"} {
		if !strings.Contains(out.String(), hint) {
			t.Errorf("the output does not name %s:\n%s", hint, out.String())
		}
	}
	for _, again := range []string{"odd-hour", "oddhour", "o-dd-hour"} {
		if err := run([]string{again}, &out); err == nil || !strings.Contains(err.Error(), "checks/oddhour exists already") {
			t.Errorf("%s once more: got %v, want a refusal", again, err)
		}
	}
}

// TestScaffoldedPackage builds and vets a scaffold in a module of its own, which
// requires this one, and runs its test: it fails for the case that is left to write, and for
// nothing else.
func TestScaffoldedPackage(t *testing.T) {
	t.Parallel()
	need.Minutes(t)
	dir := t.TempDir()
	s, err := newScaffold("odd-hour")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.write(dir); err != nil {
		t.Fatal(err)
	}
	writeModule(t, dir)
	for _, command := range []string{"gofmt -l .", "go build ./...", "go vet ./..."} {
		if out, err := runIn(t, dir, strings.Fields(command)...); err != nil || out != "" {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	out, err := runIn(t, dir, "go", "test", "./...")
	for _, want := range []string{"findings differ", "-    error: say what must be found here", "+    error: must have at most 4 characters"} {
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("the test of the scaffold: exit %v, want a failure that says %q:\n%s", err, want, out)
		}
	}
	for _, flags := range []string{"-update", "-count=1"} {
		if out, err := runIn(t, dir, "go", "test", "./oddhour", flags); err != nil {
			t.Errorf("the test of the scaffold with %s: %v\n%s", flags, err, out)
		}
	}
}

// writeModule makes dir a module with the requirements of this one, and this one.
func writeModule(t *testing.T, dir string) {
	t.Helper()
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			const module = "github.com/toolvet/toolvet"
			text = fmt.Appendf(bytes.Replace(text, []byte("module "+module), []byte("module example.org/checks"), 1),
				"\nrequire %s v0.0.0\nreplace %s => %q\n", module, module, root)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func runIn(t *testing.T, dir string, command ...string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}
