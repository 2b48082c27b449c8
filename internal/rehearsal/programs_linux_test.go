// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/servers"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/upstream"
)

// asLive makes calls rehearsed and live. The rehearsal must leave the machine as it is, and report the live effects.
func asLive(t *testing.T, command, env []string, dir string, calls []Call) *Report {
	t.Helper()
	before := snapshot(t, dir)
	s := startSession(t, Config{Command: command, Env: env, Dir: dir})
	for _, c := range calls {
		if done := s.Call(t.Context(), c); done.Result == nil || done.verdict() != "done" {
			t.Fatalf("%s: %s %s", c.Tool, done.Failed, done.Result)
		}
	}
	r := finish(t, s)
	if diff := cmp.Diff(before, snapshot(t, dir), cmp.AllowUnexported(fact{})); diff != "" {
		t.Fatalf("the machine was changed:\n%s", diff)
	}
	live, err := servers.Connect(t.Context(), upstream.Command{Args: command, Env: append(os.Environ(), env...), Dir: dir}, servers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close(context.Background())
	for _, c := range calls {
		if _, err := live.Call(t.Context(), c.Tool, c.Arguments); err != nil {
			t.Fatal(err)
		}
	}
	live.Close(context.Background())
	after := snapshot(t, dir)
	if diff := cmp.Diff(changesOf(before, after), reported(r, dir)); diff != "" {
		t.Errorf("live (-) and rehearsed (+) differ:\n%s", diff)
	}
	if len(r.Changes) == 0 {
		t.Error("nothing was changed")
	}
	return r
}

// TestGit rehearses a server that runs git.
func TestGit(t *testing.T) {
	race.Skip(t)
	type object = map[string]any
	command := npm.Program(t, "@cyanheads/git-mcp-server/dist/index.js")
	git := need.Git.Program(t, "git")
	dir := t.TempDir()
	env := []string{
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
	}
	do := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	notes := filepath.Join(dir, "notes.txt")
	do("init", "-q")
	for _, content := range []string{"one\n", "one\ntwo\n"} {
		if err := os.WriteFile(notes, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if content == "one\n" {
			do("add", "-A")
			do("commit", "-qm", "first")
		}
	}
	r := asLive(t, command, env, dir, []Call{
		{"git_add", arguments(t, object{"path": dir, "paths": []string{"notes.txt"}})},
		{"git_commit", arguments(t, object{"path": dir, "message": "second"})},
		{"git_branch", arguments(t, object{"path": dir, "mode": "create", "branchName": "topic"})},
	})
	if !slices.ContainsFunc(r.Processes, func(p Process) bool {
		return strings.Contains(strings.Join(p.Arguments, " "), "commit") && !p.AtStart
	}) {
		t.Errorf("git is not among the programs: %v", r.Processes)
	}
}

// TestSQLite rehearses a server with a database, in both of its journals.
func TestSQLite(t *testing.T) {
	race.Skip(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, journal := range []string{"delete", "wal"} {
		t.Run(journal, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "shop.db")
			database(file, []string{"PRAGMA journal_mode=" + journal, "CREATE TABLE orders (id INTEGER PRIMARY KEY, what TEXT)", "INSERT INTO orders (what) VALUES ('one')"})
			script := self + " as-database " + file + ` "INSERT INTO orders (what) VALUES ('two')" "UPDATE orders SET what = 'three' WHERE id = 1" "CREATE INDEX i ON orders (what)"`
			asLive(t, []string{self, "as-server"}, nil, dir, []Call{{"run", arguments(t, map[string]string{"script": script})}})
		})
	}
}
