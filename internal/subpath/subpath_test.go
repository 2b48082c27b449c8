// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package subpath_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/toolvet/toolvet/internal/subpath"
)

func TestIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, dir string
		want      bool
	}{
		{"/a", "/a", true}, {"/a/b", "/a", true}, {"/a/b", "/a/", true}, {"/a", "/a/", true}, {"/a/", "/a", true}, {"/a", "/", true}, {"/", "/", true}, {"/a/..b", "/a", true},
		{"/a/../b", "/a", false}, {"/a/b/..", "/a", true}, {"/a/b", "/c/../a", true}, {"/ab", "/a", false}, {"/", "/a", false}, {"/a", "/a/b", false},
		{"", "/a", false}, {"/a", "", false}, {"", "", false}, {"a", "/a", false}, {"/a", "a", false}, {"/A/b", "/a", runtime.GOOS == "windows"},
	} {
		if got := subpath.In(filepath.FromSlash(c.path), filepath.FromSlash(c.dir)); got != c.want {
			t.Errorf("%q in %q is %t, want %t", c.path, c.dir, got, c.want)
		}
	}
}

// TestLink holds that a link lies where its own name says, not where it leads.
func TestLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, link := filepath.Join(dir, "in"), filepath.Join(dir, "in", "out")
	if err := os.Mkdir(in, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		t.Fatal(err)
	}
	if !subpath.In(link, in) || subpath.In(real, in) {
		t.Errorf("%s in %s: %t; %s: %t", link, in, subpath.In(link, in), real, subpath.In(real, in))
	}
}
