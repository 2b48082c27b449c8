// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// pathAttempts are system calls with paths, made in a directory with a directory "in", a link "away" to "out", and an
// open descriptor of "in". MARK stands for the mark. Each has the places to be reported, below the directory.
var pathAttempts = map[string]struct {
	do   func(in int, dir string) error
	want []string
}{
	"open":                {func(_ int, dir string) error { return errorOf(os.ReadFile(dir + "/in/MARK")) }, []string{"openat /in/MARK"}},
	"open relative":       {func(int, string) error { return errorOf(os.ReadFile("in/../out/MARK")) }, []string{"openat /out/MARK"}},
	"open by descriptor":  {func(in int, _ string) error { return errorOf(unix.Openat(in, "../MARK", unix.O_RDONLY, 0)) }, []string{"openat /MARK"}},
	"open through a link": {func(int, string) error { return errorOf(os.ReadFile("in/away/MARK")) }, []string{"openat /out/MARK"}},
	"open through /proc":  {func(int, string) error { return errorOf(os.ReadFile("/proc/self/cwd/out/MARK")) }, []string{"openat /out/MARK"}},
	"open below nothing":  {func(int, string) error { return errorOf(os.ReadFile("in/MARK/none/../../../out")) }, []string{"openat /in/MARK/none"}},
	"open to look only":   {func(int, string) error { return errorOf(unix.Open("out/MARK", unix.O_PATH, 0)) }, nil},
	"no mark":             {func(int, string) error { return errorOf(os.ReadFile("out/other")) }, nil},
	"look":                {func(int, string) error { return errorOf(os.Lstat("out/MARK")) }, nil},
	"openat2":             {func(in int, _ string) error { return errorOf(unix.Openat2(in, "../MARK", &unix.OpenHow{})) }, []string{"openat2 /MARK"}},
	"openat2 that stays": {func(in int, _ string) error {
		return errorOf(unix.Openat2(in, "../MARK", &unix.OpenHow{Resolve: unix.RESOLVE_BENEATH}))
	}, nil},
	"openat2 that follows no link": {func(in int, _ string) error {
		return errorOf(unix.Openat2(in, "away/MARK", &unix.OpenHow{Resolve: unix.RESOLVE_NO_SYMLINKS}))
	}, nil},
	"mkdir":    {func(int, string) error { return os.Mkdir("out/MARK", 0o700) }, []string{"mkdirat /out/MARK"}},
	"unlink":   {func(int, string) error { return unix.Unlink("out/MARK") }, []string{"unlinkat /out/MARK"}},
	"symlink":  {func(int, string) error { return unix.Symlink("x", "out/MARK") }, []string{"symlinkat /out/MARK"}},
	"link":     {func(int, string) error { return unix.Link("out/other", "out/MARK") }, []string{"linkat /out/MARK"}},
	"rename":   {func(int, string) error { return unix.Rename("out/MARK", "in/MARK") }, []string{"renameat /out/MARK", "renameat /in/MARK"}},
	"truncate": {func(int, string) error { return unix.Truncate("out/MARK", 0) }, []string{"truncate /out/MARK"}},
	"chmod":    {func(int, string) error { return unix.Chmod("out/MARK", 0o600) }, []string{"fchmodat /out/MARK"}},
}

// openMarked is the server of [TestPaths].
func openMarked(a []string) error {
	in, err := unix.Open(a[1]+"/in", unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	_ = pathAttempts[a[0]].do(in, a[1]) // there is no such file
	return nil
}

// TestPaths holds that each system call with a marked path is reported with the place to which it leads, and that a
// call that cannot go there is not.
func TestPaths(t *testing.T) {
	t.Parallel()
	for name, tt := range pathAttempts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			mkdir(t, dir+"/in")
			mkdir(t, dir+"/out")
			if err := os.Symlink("../out", dir+"/in/away"); err != nil {
				t.Fatal(err)
			}
			r := run(t, Config{Dir: dir, Mark: "MARK", Args: []string{self(t), "as-attacker", "path", name, dir}})
			var got []string
			for _, e := range r.Events() {
				if e.Path != "" {
					call := strings.NewReplacer("renameat2", "renameat").Replace(e.Call)
					if !strings.HasSuffix(call, "at") && call != "openat2" && call != "truncate" { // an older call of the same purpose
						call += "at"
					}
					if call == "chmodat" {
						call = "fchmodat"
					}
					got = append(got, fmt.Sprintf("%s %s", call, strings.TrimPrefix(e.Path, dir)))
				}
			}
			if diff := cmp.Diff(tt.want, slices.Compact(got)); diff != "" || r.Ended().Exit.Code != 0 {
				t.Errorf("%s\n%s%s", diff, r.out, r.err)
			}
		})
	}
}

// TestAbsent holds that a missing program is reported once, by its name, and only with a mark.
func TestAbsent(t *testing.T) {
	t.Parallel()
	for mark, want := range map[string][]string{"MARK": {"frobnicate"}, "": nil} {
		t.Run("mark "+mark, func(t *testing.T) {
			t.Parallel()
			r := run(t, Config{Dir: t.TempDir(), Mark: mark, Args: []string{"/bin/sh", "-c", "/absent/a/frobnicate; /absent/b/frobnicate; true"}})
			var got []string
			for _, e := range r.Events() {
				if e.Absent != "" {
					got = append(got, e.Absent)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n%s", diff, r.err)
			}
		})
	}
}
