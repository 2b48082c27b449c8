// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecover holds that any command ends a commit that was cut off, says so, and does its own work all the same.
func TestRecover(t *testing.T) {
	state, dir := t.TempDir(), t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	journals := filepath.Join(state, "toolvet", "commits")
	if err := os.MkdirAll(journals, 0o700); err != nil {
		t.Fatal(err)
	}
	run := func() (stdout, stderr string) {
		t.Helper()
		var out, errs strings.Builder
		if code := Main(context.Background(), nil, []string{"version"}, strings.NewReader(""), &out, &errs); code != exitGo {
			t.Errorf("exit code %d", code)
		}
		return out.String(), errs.String()
	}
	journal := func(name, rest string) {
		t.Helper()
		raw, err := json.Marshal(map[string]any{"version": 1, "steps": []any{
			map[string]any{"do": "place", "dir": []byte(dir), "name": []byte("new"), "copy": []byte(".toolvet-COPY")},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".toolvet-COPY"), []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(journals, name), append(append(raw, '\n'), rest...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, errs := run(); !strings.Contains(out, "toolvet") || errs != "" {
		t.Errorf("without a journal: %q %q", out, errs)
	}
	journal("a.journal", "")
	if _, errs := run(); !strings.Contains(errs, "removed the copies") {
		t.Errorf("before the changes: %q", errs)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	journal("b.journal", "ready\n")
	if _, errs := run(); !strings.Contains(errs, "finished a commit") || strings.Contains(errs, "not changed") {
		t.Errorf("among the changes: %q", errs)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "new")); string(raw) != "content" {
		t.Errorf("%q %v", raw, err)
	}
	journal("c.journal", "ready\n") // its place is taken by now
	if _, errs := run(); !strings.Contains(errs, "not changed: "+dir+"/new: ") {
		t.Errorf("where somebody else was first: %q", errs)
	}
	if err := os.WriteFile(filepath.Join(journals, "d.journal"), []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs := run(); !strings.Contains(out, "toolvet") || !strings.Contains(errs, "warning: ") {
		t.Errorf("a journal that cannot be read: %q %q", out, errs)
	}
}
