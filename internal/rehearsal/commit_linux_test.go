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
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/test/need"
)

// contents returns the beginnings of all files in a directory, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil && !e.IsDir() {
			t.Fatal(err)
		}
		found[e.Name()] = string(raw[:min(len(raw), 10)])
	}
	return found
}

// TestCommitsAtOnce: two sessions commit changes of the same files. One makes all of them, the other none.
func TestCommitsAtOnce(t *testing.T) {
	dir := t.TempDir()
	script := func(word string) string {
		return "for i in 1 2 3 4 5 6 7 8 9; do echo " + word + " >f$i; done"
	}
	a, _ := rehearseScripts(t, Config{Dir: dir}, script("a"))
	b, _ := rehearseScripts(t, Config{Dir: dir}, script("b"))
	var wait sync.WaitGroup
	var made [2]int
	var errs [2]error
	for i, s := range []*Session{a, b} {
		wait.Go(func() { made[i], errs[i] = s.Commit(t.Context()) })
	}
	wait.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || made[0]+made[1] != 9 {
		t.Errorf("got %v %v", made, errs)
	}
	want := "a\n"
	if errs[1] == nil {
		want = "b\n"
	}
	got := contents(t, dir)
	for name, content := range got {
		if content != want {
			t.Errorf("%s holds %q, want %q", name, content, want)
		}
	}
	if len(got) != 9 {
		t.Errorf("got %q", got)
	}
}

// TestTakenMeanwhile: after the comparison, a file appears in the place of a new one.
func TestTakenMeanwhile(t *testing.T) {
	dir := t.TempDir()
	s, _ := rehearseScripts(t, Config{Dir: dir}, "echo mine >new")
	steps, err := steps(s.ofCalls())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.stage(t.Context(), steps); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/new", []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stale *StaleError
	if err := steps[0].take(steps[0].change.layer.lower); !errors.As(err, &stale) {
		t.Errorf("got %v", err)
	}
	unstage(steps)
	if got := contents(t, dir); len(got) != 1 || got["new"] != "theirs" {
		t.Errorf("got %q", got)
	}
}

// TestIncomplete: a server fills its space, and its changes are incomplete.
func TestIncomplete(t *testing.T) {
	dir := t.TempDir()
	s, r := rehearseScripts(t, Config{Dir: dir, Limits: Limits{Storage: 1 << 20}}, "head -c 4000000 /dev/zero >big 2>/dev/null; true")
	if !r.Incomplete {
		t.Fatalf("the report says that it is complete: %+v", r.Changes)
	}
	if n, err := s.Commit(t.Context()); err == nil || n != 0 {
		t.Errorf("got %d %v", n, err)
	}
	if got := contents(t, dir); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

// TestNoRoom commits to a disk that is full by now, in a mount namespace with a small one.
func TestNoRoom(t *testing.T) {
	if dir := amongMounts(t, `mount -t tmpfs -o size=1m none "$1"`); dir != "" {
		noRoom(t, dir)
	}
}

// amongMounts runs the test again in a mount namespace, after a script with a directory as its argument. In the
// namespace it returns the directory.
func amongMounts(t *testing.T, script string) string {
	t.Helper()
	const variable = "TOOLVET_TEST_MOUNTS"
	if dir := os.Getenv(variable); dir != "" {
		return dir
	}
	rehearseScripts(t, Config{Dir: t.TempDir()}, "true") // skips where nothing can be rehearsed
	unshare := need.Namespace.Program(t, "unshare")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), unshare, "-Urm", "/bin/sh", "-ec", script+`; exec "$0" -test.run="^$2\$" -test.v`, self, dir, t.Name())
	cmd.Env = append(os.Environ(), variable+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return ""
}

// TestBeside: another program changes files beside a mount, while the server changes others there.
func TestBeside(t *testing.T) {
	dir := amongMounts(t, `mkdir "$1/m"; mount -t tmpfs none "$1/m"; cd "$1"; echo a >changed; echo b >gone; echo c >ours; echo d >both`)
	if dir == "" {
		return
	}
	s := startSession(t, Config{Dir: dir, Command: []string{self(t), "as-server"}})
	script := "echo x >ours; echo x >both; echo x >mine; touch m/x"
	if done := s.Call(t.Context(), Call{"run", arguments(t, map[string]string{"script": script})}); done.Result == nil {
		t.Fatal(done.Failed)
	}
	for _, name := range []string{"/changed", "/both", "/new"} {
		if err := os.WriteFile(dir+name, []byte("other"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(dir + "/gone"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range finish(t, s).Changes {
		got = append(got, string(c.Kind)+" "+strings.TrimPrefix(c.Path, dir+"/"))
	}
	if want := []string{"modified both", "created m/x", "created mine", "modified ours"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func noRoom(t *testing.T, dir string) {
	if err := os.WriteFile(dir+"/a", []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, r := rehearseScripts(t, Config{Dir: dir}, "echo after >a; mkdir sub; head -c 500000 /dev/zero >sub/z")
	if len(r.Changes) != 3 {
		t.Fatalf("got %q", told(r, dir))
	}
	if err := os.WriteFile(dir+"/full", make([]byte, 800_000), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Commit(t.Context()); !errors.Is(err, unix.ENOSPC) || n != 0 {
		t.Errorf("got %d %v", n, err)
	}
	if got := contents(t, dir); fmt.Sprintf("%d %s", len(got), got["a"]) != "2 before" {
		t.Errorf("got %q", got)
	}
	if err := os.Remove(dir + "/full"); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Commit(t.Context()); n == 0 || err != nil {
		t.Errorf("once there is room: got %d %v", n, err)
	}
	if got := contents(t, dir); fmt.Sprintf("%d %s", len(got), got["a"]) != "2 after\n" {
		t.Errorf("got %q", got)
	}
}

// TestMoved moves a directory with a mount below it, and makes another in its place.
func TestMoved(t *testing.T) {
	dir := amongMounts(t, `mkdir -p "$1/d/m" "$1/d/own"; mount -t tmpfs none "$1/d/m"; echo a >"$1/d/own/file"`)
	if dir == "" {
		return
	}
	for _, script := range []string{
		"mv d e",
		"mv d e; mkdir -p d/m d/own; echo b >d/own/file; mv e d/own/e",
		"mv d e; echo b >e/own/file",
		"mv d e; ln -s e d",
	} {
		s, r := rehearseScripts(t, Config{Dir: dir}, script+"; ls d e >&2")
		if !r.Incomplete || strings.Count(whys(r), " it was moved") != 1 || !strings.Contains(whys(r), dir+"/d it was moved") {
			t.Errorf("%s: got %q, the gaps are %q", script, told(r, dir), whys(r))
		}
		s.Close()
	}
	for script, want := range map[string]string{"mv d e; mv e d": "", "mkdir f; mv f g; rmdir g; touch d/x": "created d/x (0 bytes, -rw-r--r--)"} {
		s, r := rehearseScripts(t, Config{Dir: dir}, script)
		if got := strings.Join(told(r, dir), " "); got != want || r.Incomplete {
			t.Errorf("%s: got %q, want %q; the gaps are %q", script, got, want, whys(r))
		}
		s.Close()
	}
}

// TestLayerGone: directories with layers of their own, such as those beside a mount, go away or become links while a
// server runs.
func TestLayerGone(t *testing.T) {
	dir := amongMounts(t, `mkdir "$1/mount"; mount -t tmpfs none "$1/mount"`)
	if dir == "" {
		return
	}
	elsewhere := t.TempDir()
	own := []string{dir + "/untouched", dir + "/touched", dir + "/link"}
	for _, d := range own {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := startSession(t, Config{Dir: dir, Command: []string{self, "as-server"}})
	if done := s.Call(t.Context(), Call{"run", arguments(t, map[string]string{"script": "echo x >touched/file; echo x >link/file"})}); done.Result == nil {
		t.Fatal(done.Failed)
	}
	for _, d := range own {
		if err := os.Remove(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	r := finish(t, s)
	why := whys(r)
	for _, d := range own {
		if strings.Contains(why, d+" something was changed in it, and it is gone") != (d != own[0]) {
			t.Errorf("%s: got the gaps %s", d, why)
		}
	}
	if n, err := s.Commit(t.Context()); !r.Incomplete || n != 0 || err == nil || len(contents(t, elsewhere)) > 0 {
		t.Errorf("committed %d %v", n, err)
	}
}
