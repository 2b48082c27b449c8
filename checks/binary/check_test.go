// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package binary

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func fake(path string) *check.Check {
	return New(func(name string) string {
		if name == "PATH" {
			return path
		}
		return ""
	}, os.Stat, nil)
}

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, fake(""), &Options{Name: "pg_dump"}, map[string]any{})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names")
	}
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "text": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "directory"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := fake("relative" + string(os.PathListSeparator) + "/nowhere" + string(os.PathListSeparator) + dir)
	none := func(what string) []string {
		return []string{"error runtime: needs " + what + ", and PATH has none that may be run"}
	}
	alone := []string{"error runtime: must be a program's name alone, such as git, without a directory"}
	for name, tt := range map[string]struct {
		options *Options
		value   any
		want    []string
	}{
		"there":         {&Options{Name: "tool"}, map[string]any{}, nil},
		"not there":     {&Options{Name: "other"}, map[string]any{}, none("the program other")},
		"no permission": {&Options{Name: "text"}, map[string]any{}, none("the program text")},
		"directory":     {&Options{Name: "directory"}, map[string]any{}, none("the program directory")},
		"absolute":      {&Options{Name: filepath.Join(dir, "tool")}, map[string]any{}, nil},
		"argument":      {&Options{}, "tool", nil},
		"argument none": {&Options{}, "other-program", none("a program of this name")},
		"argument path": {&Options{}, filepath.Join(dir, "tool"), alone},
		"argument up":   {&Options{}, "../tool", alone},
		"argument dots": {&Options{}, "..", alone},
		"no argument":   {&Options{}, map[string]any{}, alone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, find(t, c, check.World{}, tt.options, tt.value)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	want := []string{"skip: not looked: the server's programs are not on this machine"}
	if diff := cmp.Diff(want, find(t, c, check.World{Remote: true}, &Options{Name: "other"}, nil)); diff != "" {
		t.Errorf("remote (-want +got):\n%s", diff)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"": 0, "git": 0, "/usr/bin/git": 0, "bin/git": 1, "..": 1, "a\x00": 1} {
		if got := len((&Options{Name: name}).Problems()); got != want {
			t.Errorf("%q: %d problems, want %d", name, got, want)
		}
	}
}
