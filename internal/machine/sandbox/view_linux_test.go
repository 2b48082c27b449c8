// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// programs are the directories of the system's programs that exist here.
func programs(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, dir := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/nix"} {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			list = append(list, dir)
		}
	}
	return list
}

// TestView runs a live server behind a view: its changes reach the machine below Write and nowhere else,
// and it sees nothing but the view.
func TestView(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"rw", "ro", "secret", "cache", "rw/hidden", "program", "rw/inner"} {
		mkdir(t, filepath.Join(dir, name))
		write(t, filepath.Join(dir, name, "file"), "old", 0o644)
	}
	for _, name := range []string{"program/socket", "ro/socket"} {
		l, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Skip(err) // the path is too long for a socket
		}
		defer l.Close()
	}
	view := &View{
		Write: []string{dir + "/rw"}, Read: []string{dir + "/ro", dir + "/rw/inner"}, Caches: []string{dir + "/cache"}, Programs: append(programs(t), dir+"/program"),
		Scratch: []string{dir + "/scratch"}, Hide: []string{dir + "/rw/hidden", dir + "/ro/file", dir + "/rw/missing"},
	}
	script := `
cd ` + dir + `
try() { if sh -c "$2" >/dev/null 2>&1; then echo "$1: yes"; else echo "$1: no"; fi; }
try "write into the writable directory" "echo new >rw/new && echo new >rw/file"
try "make a directory there" "mkdir rw/sub"
try "write into what is only read below it" "echo new >rw/inner/file"
try "read what is readable" "test \"$(cat rw/inner/file)\" = old && test -e ro/socket"
try "write into it" "echo new >ro/new"
try "read what is hidden" "test -s ro/file -o -s rw/hidden/file"
try "write into what is hidden" "echo new >rw/hidden/new"
try "replace what is hidden" "rmdir rw/hidden || mv rw/hidden rw/moved"
try "see another directory" "test -e secret"
try "see the home of the superuser" "ls /root"
try "write beside the writable directory" "echo new >new"
try "write into the root" "echo new >/new"
try "write into a program" "echo new >program/new || echo new >/usr/new || echo new >/etc/new"
try "read a program" "test -s program/file"
try "write into a cache" "echo new >cache/new"
try "write into an empty directory" "echo new >scratch/new && echo new >/dev/shm/new"
try "get out by a link" "ln -s ../secret rw/link && cat rw/link/file"
try "get out by the mount's parent" "cat rw/../secret/file"
try "see the processes of the machine" "test -e /proc/` + strconv.Itoa(os.Getpid()) + `/status"
`
	r := run(t, Config{Dir: dir, Args: []string{"/bin/sh", "-c", script}, View: view})
	want := map[string]bool{
		"write into the writable directory": true, "make a directory there": true, "read what is readable": true, "read a program": true, "write into a cache": true, "write into an empty directory": true,
	}
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if len(lines) != 19 {
		t.Fatalf("got %d outcomes:\n%s\n%s", len(lines), r.out, r.err)
	}
	for _, line := range lines {
		what, outcome, _ := strings.Cut(line, ": ")
		if (outcome == "yes") != want[what] {
			t.Errorf("%s", line)
		}
	}
	for name, want := range map[string]string{"rw/new": "new\n", "rw/file": "new\n", "rw/inner/file": "old", "ro/file": "old", "rw/hidden/file": "old", "ro/new": "", "new": "", "cache/new": "", "scratch": ""} {
		if raw, err := os.ReadFile(filepath.Join(dir, name)); string(raw) != want || want == "" && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("on the machine, %s holds %q (%v), want %q", name, raw, err, want)
		}
	}
}

// TestViewMissing holds that a server does not start without a place of its view.
func TestViewMissing(t *testing.T) {
	dir := t.TempDir()
	start(t, Config{Dir: dir, Args: []string{"/bin/true"}, View: &View{Programs: programs(t)}}).Close() // where sandboxes can be had
	_, err := Start(t.Context(), Config{
		Dir: dir, Args: []string{"/bin/true"}, Init: []string{self(t), "as-sandbox"}, Env: os.Environ(), View: &View{Programs: programs(t), Write: []string{dir + "/missing"}},
	})
	if err == nil || !strings.Contains(err.Error(), dir+"/missing") {
		t.Errorf("got %v, want the missing directory", err)
	}
}

// TestViewPlaced holds that a view shows parts of a placed directory, whose changes land in its layer.
func TestViewPlaced(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"root", "outside", "bin"} {
		mkdir(t, filepath.Join(dir, name))
		write(t, filepath.Join(dir, name, "file"), "old", 0o644)
	}
	const at = "/toolvet-view"
	r := run(t, Config{
		Dir: at + "/root", Placed: []Placed{{From: dir, At: at}},
		View: &View{Write: []string{at + "/root"}, Read: []string{at + "/bin"}, Programs: programs(t), Layered: true},
		Args: []string{"/bin/sh", "-c", "echo new >file; cat file; ls ..; (echo new >../bin/new) 2>/dev/null || echo refused; (echo new >../new) 2>/dev/null || echo refused"},
	})
	if want := "new\nbin\nroot\nrefused\nrefused\n"; r.out != want {
		t.Errorf("got %q, want %q; %s", r.out, want, r.err)
	}
	if raw, err := os.ReadFile(dir + "/root/file"); string(raw) != "old" {
		t.Errorf("on the machine, the file holds %q (%v)", raw, err)
	}
	if got := changed(t, r.Sandbox, at+"/root/file"); len(got) != 1 {
		t.Errorf("the layer has %v, want the changed file", got)
	}
}
