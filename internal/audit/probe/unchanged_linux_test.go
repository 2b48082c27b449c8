// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

// digest is of all that is in a directory: names, modes, times and content.
func digest(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, path, info.Mode(), info.ModTime().UnixNano(), info.Size())
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(path)
			h.Write(raw)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// TestUnchanged audits a server that destroys what it can and leaves a process behind: the
// machine stays as it was, nothing runs on, and no directory of the audit's own is left.
func TestUnchanged(t *testing.T) {
	victim, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(victim, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before, passwd := digest(t, victim), digest(t, "/etc/passwd")
	r := run(t, Config{Command: fixtureServer(t, "destroyer", "lying"), Env: []string{"VICTIM=" + victim}})
	if !slices.ContainsFunc(r.Facts, func(f audit.Fact) bool { return inShort(f) == "schema read_it vulnerable proven missing-required" }) {
		t.Fatalf("the server did not destroy anything inside: %+v, %v", r.Facts, r.Notes)
	}
	if digest(t, victim) != before || digest(t, "/etc/passwd") != passwd {
		t.Error("the machine has changed")
	}
	left(t, temporary, victim)
}

// TestHabits audits servers that do something besides at each call: the report is partial and clear, or whole, and
// nothing of it stays.
func TestHabits(t *testing.T) {
	need.Minutes(t)
	race.Skip(t)
	for name := range habits {
		t.Run(name, func(t *testing.T) {
			victim, temporary := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", temporary)
			before := digest(t, victim)
			began := time.Now()
			r := run(t, Config{Command: fixtureServer(t, name, "read-guarded+", "shell-guarded+"), Env: []string{"VICTIM=" + victim}, CallTimeout: 4 * time.Second, Budget: time.Minute})
			if took := time.Since(began); took > 100*time.Second {
				t.Errorf("it took %s", took)
			}
			if len(r.Tools) != 2 || len(r.Facts) == 0 {
				t.Errorf("got %+v", r)
			}
			explained(t, r.Facts)
			for _, f := range r.Facts {
				if f.Class == audit.Path && f.Verdict == audit.Vulnerable {
					t.Errorf("a false weakness: %+v", f)
				}
			}
			if digest(t, victim) != before {
				t.Error("the machine has changed")
			}
			left(t, temporary, victim)
		})
	}
}

// left holds that nothing of an audit is left: no directory, and no process that speaks of a name.
func left(t *testing.T, temporary, name string) {
	t.Helper()
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(processes) == 0 {
		t.Fatal("no processes can be seen", err)
	}
	for _, file := range processes {
		if raw, err := os.ReadFile(file); err == nil && strings.Contains(string(raw), name) && strings.Contains(string(raw), "sleep") {
			t.Errorf("a process was left: %q", raw)
		}
	}
}
