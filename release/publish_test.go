// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/need"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// TestPublish publishes a small repository to a bare one.
func TestPublish(t *testing.T) {
	t.Parallel()
	git := need.Git.Program(t, "git")
	c := configuration(t)
	origin, dir := filepath.Join(t.TempDir(), "origin"), t.TempDir()
	does(t, dir, git, "init", "--quiet", "--bare", "-b", "main", origin)
	does(t, dir, git, "init", "--quiet", "-b", "main")
	for key, value := range map[string]string{"user.name": "t", "user.email": "t@example.org", "commit.gpgsign": "false", "tag.gpgsign": "false"} {
		does(t, dir, git, "config", key, value)
	}
	does(t, dir, git, "remote", "add", "origin", origin)
	commit := func(changelog string) {
		t.Helper()
		place(t, filepath.Join(dir, "CHANGELOG.md"), []byte(changelog), 0o644)
		does(t, dir, git, "add", "-A")
		does(t, dir, git, "commit", "--quiet", "-m", "x")
	}
	publish := func(answer string) error {
		t.Helper()
		s, err := readSource(t.Context(), dir, "")
		if err != nil {
			t.Fatal(err)
		}
		return c.publish(t.Context(), s, strings.NewReader(answer), io.Discard)
	}
	fails := func(answer, want string) {
		t.Helper()
		if err := publish(answer); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	commit("# Changelog\n\n## [Unreleased]\n")
	does(t, dir, git, "push", "--quiet", "origin", "main")
	fails("y\n", "CHANGELOG.md has no section")
	commit("# Changelog\n\n## [" + c.version + "] - 2026-12-01\n")
	fails("y\n", "push it first")
	does(t, dir, git, "push", "--quiet", "origin", "main")
	fails("n\n", "nothing is published")
	fails("", "nothing is published")
	place(t, filepath.Join(dir, "new"), nil, 0o644)
	fails("y\n", "the tree has changes")
	if err := os.Remove(filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	if out := does(t, dir, git, "-C", origin, "tag"); out != "" {
		t.Fatalf("tags before anybody said yes: %s", out)
	}
	if err := publish("y\n"); err != nil {
		t.Fatal(err)
	}
	want := []string{"cmd/v" + c.version, "driver/redis/v" + c.version, "export/v" + c.version, "internal/audit/v" + c.version, "mcpgo/v" + c.version, "v" + c.version}
	if diff := cmp.Diff(want, strings.Fields(does(t, dir, git, "-C", origin, "tag"))); diff != "" {
		t.Errorf("tags of the origin (-want +got):\n%s", diff)
	}
	fails("y\n", "already exists")
}

// TestModules holds that release.yaml tags each module that the program requires.
func TestModules(t *testing.T) {
	t.Parallel()
	c := configuration(t)
	text, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"", "cmd"}
	for _, m := range regexp.MustCompile(`(?m)^\t`+own+`/(\S+) v`).FindAllStringSubmatch(string(text), -1) {
		want = append(want, m[1])
	}
	if diff := cmp.Diff(map[string]bool{}, unshared(want, c.Modules)); diff != "" {
		t.Errorf("release.yaml and go.work name other modules:\n%s", diff)
	}
}

// unshared returns what only one list has.
func unshared(a, b []string) map[string]bool {
	m := map[string]bool{}
	for _, x := range a {
		m[x] = true
	}
	for _, x := range b {
		if m[x] {
			delete(m, x)
		} else {
			m[x] = true
		}
	}
	return m
}

// TestPinned holds that the workflow runs the code of others by commit: its owner can move a tag.
func TestPinned(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, ".github", "workflows", "release.yml"))
	if err != nil {
		t.Fatal(err)
	}
	used := regexp.MustCompile(`uses: *(\S+)`).FindAllSubmatch(text, -1)
	if len(used) < 4 {
		t.Errorf("the workflow uses %d actions", len(used))
	}
	for _, m := range used {
		if !regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`).Match(m[1]) {
			t.Errorf("%s names no commit", m[1])
		}
	}
}

// TestAction runs the first step of action.yml: it downloads this machine's archive, from a program "curl" that has the
// release at hand, and refuses one with other bytes.
func TestAction(t *testing.T) {
	t.Parallel()
	c, files := release(t)
	bash := need.Packagers.Program(t, "bash")
	if runtime.GOOS == "windows" {
		t.Skip("the program curl of this test is a shell script")
	}
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	if got := action.Inputs["version"].Default; got != c.version {
		t.Errorf("action.yml installs version %s, and this is %s", got, c.version)
	}
	dir := t.TempDir()
	served := filepath.Join(dir, "served")
	for _, name := range []string{c.archiveName(here), "SHA256SUMS"} {
		place(t, filepath.Join(served, name), files[name], 0o644)
	}
	place(t, filepath.Join(dir, "bin", "curl"), []byte(`#!/bin/sh
while [ $# -gt 1 ]; do case $1 in --output) out=$2; shift;; esac; shift; done
case $1 in "`+c.download("")+`"*) cp "`+served+`/${1##*/}" "$out";; *) exit 22;; esac
`), 0o755)
	step := action.Runs.Steps[0].Run
	install := func(temp string) (string, error) {
		env := []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "RUNNER_TEMP=" + temp, "VERSION=" + c.version}
		out, err := run(t.Context(), dir, env, bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step)
		return string(out), err
	}
	temp := t.TempDir()
	if out, err := install(temp); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	answers(t, c, filepath.Join(temp, "toolvet", "toolvet"))
	place(t, filepath.Join(served, c.archiveName(here)), append(files[c.archiveName(here)][:100:100], 'x'), 0o644)
	temp = t.TempDir()
	if out, err := install(temp); err == nil {
		t.Errorf("an archive with other bytes is installed: %s", out)
	}
	if _, err := os.Stat(filepath.Join(temp, "toolvet", "toolvet")); err == nil {
		t.Error("an archive with other bytes is unpacked")
	}
}
