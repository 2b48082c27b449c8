// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rewritable makes the directory for rewriting.
func rewritable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/sub", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"a", "b", "sub/c", "m", "gone"} {
		if err := os.WriteFile(filepath.Join(dir, f), []byte("old "+f), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// states describes each file of rewritable: "old", "new", or its content.
func states(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		name := strings.TrimPrefix(path, dir+"/")
		state := string(raw)
		switch state {
		case "old " + name, "old m":
			state = "old"
		case "new\n":
			state = "new"
		}
		if strings.Contains(name, staging) {
			name, state = "left", ""
		}
		found[name] = state
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestKilled kills a committing toolvet at each step. Each file is old or new, the report of changes is right, and
// the next commit removes the leftovers.
func TestKilled(t *testing.T) {
	rehearseScripts(t, Config{Dir: t.TempDir()}, "true") // skips where nothing can be rehearsed
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	after := map[string]string{"a": "new", "b": "new", "sub/c": "new", "moved": "old", "fresh/d": "new"}
	before := map[string]string{"a": "old", "b": "old", "sub/c": "old", "m": "old", "gone": "old"}
	for _, tt := range []struct {
		where  string
		nth    int
		copies bool // are left
	}{{"compared", 1, false}, {"copied", 1, true}, {"copied", 3, true}, {"staged", 1, true}, {"made", 1, true}, {"made", 3, true}, {"made", 5, true}, {"made", 6, false}} {
		t.Run(fmt.Sprint(tt.where, tt.nth), func(t *testing.T) {
			t.Parallel()
			dir := rewritable(t)
			out, err := exec.CommandContext(t.Context(), self, "as-committer", dir, tt.where, strconv.Itoa(tt.nth)).Output()
			var ended *exec.ExitError
			if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%v %s", err, out)
			}
			got := states(t, dir)
			if _, left := got["left"]; left != tt.copies {
				t.Errorf("copies are left: %v", left)
			}
			delete(got, "left")
			for name, state := range got {
				if state != before[name] && state != after[name] {
					t.Errorf("%s holds %q", name, state)
				}
			}
			for path := range strings.Lines(string(out)) {
				name := strings.TrimPrefix(strings.TrimSpace(path), dir+"/")
				if state, there := got[name]; name != "gone" && name != "fresh" && (!there || state != after[name]) || name == "gone" && there {
					t.Errorf("%s is told as made, and is %q", name, state)
				}
			}
			s, _ := rehearseScripts(t, Config{Dir: dir}, "for f in a b sub/c fresh/d; do mkdir -p fresh; echo last >$f; done")
			if _, err := s.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			now := states(t, dir)
			if _, left := now["left"]; left || now["a"] != "last\n" || now["sub/c"] != "last\n" {
				t.Errorf("after the next commit: %q", now)
			}
		})
	}
}

// TestPartial: a commit fails in the middle, because a directory to delete is not empty any more.
func TestPartial(t *testing.T) {
	dir := rewritable(t)
	s, _ := rehearseScripts(t, Config{Dir: dir}, "echo new >a; rm -r sub; rm gone; mv m moved; mkdir fresh; chmod 700 fresh")
	s.reached = func(what string) {
		if what == "staged" {
			if err := os.WriteFile(dir+"/sub/theirs", nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	var told []string
	s.cfg.Committed = func(c Change) { told = append(told, strings.TrimPrefix(c.Path, dir+"/")) }
	n, err := s.Commit(t.Context())
	var partial *PartialError
	if !errors.As(err, &partial) || n == 0 {
		t.Fatalf("got %d %v", n, err)
	}
	short := func(list []string) (out []string) {
		for _, p := range list {
			out = append(out, strings.TrimPrefix(p, dir+"/"))
		}
		return out
	}
	if diff := cmp.Diff([][]string{{"a", "sub/c"}, {"fresh", "moved"}, {"sub", "gone"}, {"sub/c", "a"}}, [][]string{short(partial.Made), short(partial.Begun), short(partial.Left), told}, cmp.Transformer("sorted", func(s []string) string { slices.Sort(s); return strings.Join(s, " ") })); diff != "" {
		t.Errorf("made, begun, left, told (-want +got)\n%s\n%v", diff, err)
	}
}

// TestClosed: the calls would change directories that are closed to us.
func TestClosed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is closed to the superuser; TestOrdinaryUser runs this test")
	}
	for _, script := range []string{"rm sub/c", "mkdir sub/new", "mv sub/c c", "echo new >sub/c; echo new >a"} {
		dir := rewritable(t)
		s, _ := rehearseScripts(t, Config{Dir: dir}, script)
		was := states(t, dir)
		if err := os.Chmod(dir+"/sub", 0o555); err != nil {
			t.Fatal(err)
		}
		n, err := s.Commit(t.Context())
		if err == nil || n != 0 {
			t.Errorf("%s: got %d %v", script, n, err)
		}
		if diff := cmp.Diff(was, states(t, dir)); diff != "" {
			t.Errorf("%s: %s", script, diff)
		}
		_ = os.Chmod(dir+"/sub", 0o755) // to be removed
	}
}

// TestSparse commits a file with a large hole. It is larger than the server's storage.
func TestSparse(t *testing.T) {
	dir := t.TempDir()
	s, r := rehearseScripts(t, Config{Dir: dir, Limits: Limits{Storage: 8 << 20}}, "truncate -s 1G f; echo end >>f; mkdir d; mv f d/f; mv d e")
	if r.Incomplete || len(r.Changes) != 2 {
		t.Fatalf("got %q %s", told(r, dir), whys(r))
	}
	if _, err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir + "/e/f")
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); info.Size() != 1<<30+4 || stat.Blocks > 1<<10 {
		t.Errorf("it has %d bytes, in %d blocks", info.Size(), stat.Blocks)
	}
}
