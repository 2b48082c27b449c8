// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package commandstate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/command"
)

func run(ctx context.Context, t *testing.T, c *check.Check, world check.World, o *command.Options, value any) string {
	t.Helper()
	pass := check.NewPass(c, &call.Call{}, nil)
	pass.World = world
	pass.Targets = []check.Target{{Pointer: "/command", Value: value, Options: o}}
	if err := c.Run(ctx, pass); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range pass.Findings() {
		lines = append(lines, f.Severity.String()+" "+f.String(), "→ "+f.Suggestion)
	}
	if skip := pass.Skipped(); skip != nil {
		lines = append(lines, "skip: "+skip.Why)
	}
	return strings.Join(lines, "\n")
}

func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"backup": 0o755, "notes": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := newCheck(func() string { return "relative" + string(filepath.ListSeparator) + dir }, os.Stat)
	yes, no := true, false
	for name, tt := range map[string]struct {
		value any
		world check.World
		exist *bool
		want  string
	}{
		"there":            {"backup --all", check.World{}, nil, ""},
		"array":            {[]any{"backup", "x"}, check.World{}, &yes, ""},
		"missing":          {"bakcup --all", check.World{}, nil, "warning /command: the program does not exist"},
		"missing, error":   {"bakcup --all", check.World{}, &yes, "error /command: the program does not exist"},
		"missing, unasked": {"bakcup --all", check.World{}, &no, ""},
		"not executable":   {"notes", check.World{}, nil, "may not be run"},
		"a directory":      {"folder", check.World{}, nil, "does not exist"},
		"absolute":         {[]any{filepath.Join(dir, "backup")}, check.World{}, nil, ""},
		"relative":         {"./backup", check.World{Base: dir}, nil, ""},
		"base unknown":     {"./backup", check.World{}, nil, "skip: not looked"},
		"builtin":          {"cd x", check.World{}, nil, ""},
		"array of builtin": {[]any{"cd", "x"}, check.World{}, nil, "does not exist"},
		"remote":           {"bakcup", check.World{Remote: true}, &yes, "skip: not looked"},
		"unreadable":       {"bakcup 'x", check.World{}, &yes, ""},
		"each of a list":   {"backup; bakcup", check.World{}, nil, "does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t.Context(), t, c, tt.world, &command.Options{Exists: tt.exist}, tt.value)
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestStall holds that a file system that does not answer holds nothing up.
func TestStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		stall := func(string) (os.FileInfo, error) { <-release; return nil, os.ErrNotExist }
		c := newCheck(func() string { return "/bin" }, stall)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		for range 2 * maxLooks { // more than there are slots
			if got := run(ctx, t, c, check.World{}, new(command.Options), "ls"); !strings.Contains(got, "did not answer in time") {
				t.Errorf("got %q", got)
			}
		}
		if got := time.Since(start); got > time.Second {
			t.Errorf("it took %v, want the budget of a second", got)
		}
		close(release)
		synctest.Wait()
	})
}

// TestExample holds that the README shows what the check says.
func TestExample(t *testing.T) {
	t.Parallel()
	if err := check.Validate([]*check.Check{Check}); err != nil {
		t.Error(err)
	}
	c := newCheck(func() string { return "" }, os.Stat)
	for line := range strings.Lines(run(t.Context(), t, c, check.World{}, new(command.Options), "bakcup --all") + "\n") {
		if !strings.Contains(doc, "    "+line) {
			t.Errorf("the README does not show %q", line)
		}
	}
}
