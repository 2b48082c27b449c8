// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/test/need"
)

// changed are the entries of the layers whose path has a prefix.
func changed(t *testing.T, s *Sandbox, prefix string) map[string]os.FileMode {
	t.Helper()
	found := map[string]os.FileMode{}
	layers, _ := s.Layers()
	for _, l := range layers {
		err := filepath.WalkDir(l.Dir+"/.", func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(l.Dir, path)
			if err != nil {
				return err
			}
			if at := filepath.Join(l.Path, rel); strings.HasPrefix(at, prefix) {
				info, err := d.Info()
				if err != nil {
					return err
				}
				found[at] = info.Mode()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestWrites(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/old", "old", 0o644)
	write(t, dir+"/edited", "before", 0o640)
	r := shell(t, dir, "echo new >new; rm old; printf after >edited; mkdir sub; cat edited new; ls")
	if want := "afternew\nedited\nnew\nsub\n"; r.out != want {
		t.Errorf("inside: got %q, want %q; %s", r.out, want, r.err)
	}
	if raw, err := os.ReadFile(dir + "/edited"); string(raw) != "before" {
		t.Errorf("outside, edited holds %q (%v)", raw, err)
	}
	if _, err := os.Stat(dir + "/old"); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir + "/new"); err == nil {
		t.Error("what was made inside is outside")
	}
	got := changed(t, r.Sandbox, dir+"/")
	for name, want := range map[string]os.FileMode{
		"new": 0o644, "edited": 0o640, "old": os.ModeDevice | os.ModeCharDevice, "sub": os.ModeDir | 0o755,
	} {
		if mode, ok := got[filepath.Join(dir, name)]; !ok || mode != want {
			t.Errorf("the layer has %s as %v (%v), want %v", name, mode, ok, want)
		}
	}
	if end := r.Ended(); end.Exit != (process.Exit{}) || end.Usage.Memory == 0 {
		t.Errorf("got the end %+v", end)
	}
}

func TestRenames(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, dir+"/tree/deep")
	mkdir(t, dir+"/full")
	mkdir(t, dir+"/empty")
	write(t, dir+"/tree/deep/file", "content", 0o600)
	write(t, dir+"/tree/twin", "twin", 0o600)
	write(t, dir+"/full/file", "x", 0o600)
	if err := os.Link(dir+"/tree/twin", dir+"/tree/other"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("deep/file", dir+"/tree/link"); err != nil {
		t.Fatal(err)
	}
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, name := range []string{"/tree/deep/file", "/tree/deep"} {
		if err := os.Chtimes(dir+name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	attempts := `
mv -T tree moved; ls; cat moved/link; stat -c '%a %Y' moved/deep/file moved/deep; stat -c %h moved/twin
mv -T moved full 2>&1 | grep -o 'Directory not empty'
mv -T moved empty; ls empty
mv -T empty empty/deep/x 2>&1 || true`
	r := shell(t, dir, attempts)
	want := `empty
full
moved
content600 981173106
755 981173106
2
Directory not empty
deep
link
other
twin
mv: cannot move 'empty' to a subdirectory of itself, 'empty/deep/x'
`
	if r.out != want {
		t.Errorf("got:\n%s%s\nwant:\n%s", r.out, r.err, want)
	}
	if _, err := os.Stat(dir + "/tree/deep/file"); err != nil {
		t.Error(err)
	}
}

// TestRenameAcross moves between directories that are overlays of their own inside, and one
// file system outside.
func TestRenameAcross(t *testing.T) {
	if os.Geteuid() != 0 {
		need.Root.Skip(t, "an ordinary user writes to few top-level directories")
	}
	mounts, err := readMounts()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if mountOf(mounts, dir) != mountOf(mounts, "/opt") {
		t.Skip("the directories are not on one file system")
	}
	write(t, dir+"/file", "content", 0o600)
	r := run(t, Config{Dir: dir, Args: []string{self(t), "as-attacker", "rename", dir + "/file", "/opt/toolvet-test-moved"}})
	if r.out != "done\n" || len(changed(t, r.Sandbox, "/opt/toolvet-test-moved")) != 1 {
		t.Errorf("got %q %s", r.out, r.err)
	}
}

// TestRenameByOther has a server of the superuser's become another user, who may not move what it could.
func TestRenameByOther(t *testing.T) {
	if os.Geteuid() != 0 {
		need.Root.Skip(t, "only the superuser becomes another")
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip(err)
	}
	dir := sharedDir(t)
	mkdir(t, dir+"/tree")
	r := shell(t, dir, "setpriv --reuid 65534 --regid 65534 --clear-groups mv -T tree moved 2>&1 | grep -o 'Permission denied'; ls; mv -T tree moved; ls")
	if want := "Permission denied\ntree\nmoved\n"; r.out != want {
		t.Errorf("got %q %q, want %q", r.out, r.err, want)
	}
}

func TestEvents(t *testing.T) {
	dir := t.TempDir()
	r := shell(t, dir, "cat /dev/null\n"+self(t)+" as-attacker connect 192.0.2.7:443 || true")
	var execs, connects []string
	for _, e := range r.Events() {
		if e.Exec != nil {
			execs = append(execs, strings.Join(e.Exec, " "))
		}
		if e.Connect != "" {
			connects = append(connects, e.Connect)
		}
	}
	if len(execs) != 3 || execs[1] != "cat /dev/null" {
		t.Errorf("got the programs %q", execs)
	}
	if !slices.Contains(connects, "192.0.2.7:443") {
		t.Errorf("got the connections %q", connects)
	}
}

// TestBarePrograms starts programs that are given no arguments, and such that have no path.
func TestBarePrograms(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	for _, how := range []string{"path", "fd", "at"} {
		r := run(t, Config{Dir: "/", Args: []string{self(t), "as-attacker", "bare", how, program}})
		if events := r.Events(); len(events) != 2 || len(events[1].Exec) != 1 || r.Ended().Exit.Code != 0 {
			t.Errorf("%s: got %v, %q, %v", how, events, r.out, r.Ended().Exit)
		}
	}
}

// TestLargeEnvironment has more variables than one argument of a program can hold, and their
// values for the server alone.
func TestLargeEnvironment(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100<<10)
	r := run(t, Config{Dir: "/", Env: []string{"A=" + long, "B=" + long, "C=" + long}, Args: []string{"/bin/sh", "-c", "echo ${#A} ${#B} ${#C}"}})
	if r.out != "102400 102400 102400\n" {
		t.Errorf("got %q %q", r.out, r.err)
	}
}

func TestStop(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		grace        process.Grace
		want         process.Exit
	}{
		{"input ends", "cat; exit 3", process.Grace{EOF: time.Minute}, process.Exit{Code: 3}},
		{"asked", "trap 'exit 4' TERM; echo ready; while :; do sleep 0.01; done", process.Grace{EOF: -1, Term: time.Minute}, process.Exit{Code: 4}},
		{"forced", "trap '' TERM; echo ready; while :; do sleep 0.01; done", process.Grace{EOF: -1, Term: -1}, process.Exit{Code: 137, Signal: "SIGKILL"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, Config{Dir: "/", Args: []string{"/bin/sh", "-c", tt.script}})
			if tt.name != "input ends" {
				if _, err := s.Stdout().Read(make([]byte, 8)); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.End(context.Background(), tt.grace); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNoProgram(t *testing.T) {
	start(t, Config{Dir: "/", Args: []string{"/bin/true"}}) // skips where there are no sandboxes
	_, err := Start(t.Context(), Config{Dir: "/", Args: []string{"no-such-program"}, Env: []string{"PATH=/bin"}, Init: []string{self(t), "as-sandbox"}})
	if err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("got %v", err)
	}
}

// TestNested has a sandbox in another container-like namespace.
func TestNested(t *testing.T) {
	unshare := need.Namespace.Program(t, "unshare")
	start(t, Config{Dir: "/", Args: []string{"/bin/true"}}) // skips where there are no sandboxes
	cmd := exec.CommandContext(t.Context(), unshare, "-Urpfm", "--mount-proc", self(t), "-test.run=^TestWrites$", "-test.v")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestWrites") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestHomeInMemory has the working directory on a tmpfs of its own.
func TestHomeInMemory(t *testing.T) {
	unshare := need.Namespace.Program(t, "unshare")
	start(t, Config{Dir: "/", Args: []string{"/bin/true"}})
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), unshare, "-Urm", "/bin/sh", "-ec",
		`mount -t tmpfs none "$1"; cd "$1"; TMPDIR=$1 HOME=$1 "$0" -test.run='^Test(Writes|Renames)$' -test.v`, self(t), dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestWrites") {
		t.Errorf("%v\n%s", err, out)
	}
}
