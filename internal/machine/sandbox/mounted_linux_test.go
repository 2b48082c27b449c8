// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/test/need"
)

// besideMount runs a test again where its directory has a mount in it, so that what is beside
// the mount is built anew. It returns the directory then, and "" the first time.
func besideMount(t *testing.T) string {
	t.Helper()
	const mounted = "TOOLVET_TEST_MOUNTED"
	if dir := os.Getenv(mounted); dir != "" {
		return dir
	}
	unshare := need.Namespace.Program(t, "unshare")
	start(t, Config{Dir: "/", Args: []string{"/bin/true"}}) // skips where there are no sandboxes
	dir := t.TempDir()
	mkdir(t, dir+"/mounted")
	mkdir(t, dir+"/over") // an overlay of its own
	cmd := exec.CommandContext(t.Context(), unshare, "-Urm", "/bin/sh", "-ec",
		`mount -t tmpfs none "$1/mounted"; "$0" -test.run="^$2\$"`, self(t), dir, t.Name())
	cmd.Env = append(os.Environ(), mounted+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return ""
}

// TestNodes has named pipes and sockets beside a mount: they are there, and nobody is at them.
func TestNodes(t *testing.T) {
	dir := besideMount(t)
	if dir == "" {
		return
	}
	if err := unix.Mkfifo(dir+"/pipe", 0o640); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", dir+"/socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := shell(t, dir, `test -S socket; stat -c %a pipe; rm pipe; `+self(t)+` as-attacker unix "$PWD/socket" || true`)
	if !strings.HasPrefix(r.out, "640\nfailed: ") {
		t.Errorf("got %q %s", r.out, r.err)
	}
	if !slices.ContainsFunc(r.Events(), func(e Event) bool { return e.Connect == "unix:"+dir+"/socket" }) {
		t.Errorf("the connection is not among the events %v", r.Events())
	}
	layers, _ := r.Layers()
	if !slices.Contains(layers[0].Made, dir+"/pipe") {
		t.Errorf("the pipe, which was removed, is not known to have been there: %q", layers[0].Made)
	}
}

// TestRefreshAstray has a server put a link to /proc in the place of an overlay, and ask for
// a refresh: whatever is mounted anew loses its flags, and /proc must stay read-only.
func TestRefreshAstray(t *testing.T) {
	dir := besideMount(t)
	if dir == "" {
		return
	}
	s := start(t, Config{Dir: "/", Args: []string{"/bin/sh", "-c", `
mv "$1" "$1.away" && mkdir "$1" && ln -s /proc "$1/over" && ln -s /proc "$1/mounted" && echo ready
read go
(: >/proc/self/oom_score_adj) 2>/dev/null && echo out || echo in`, "sh", dir}})
	lines := bufio.NewReader(s.Stdout())
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the link was not made: %q %v", line, err)
	}
	refreshed := s.Refresh()
	_, err := io.WriteString(s.Stdin(), "go\n")
	if err != nil {
		t.Fatal(err)
	}
	if line, err := lines.ReadString('\n'); line != "in\n" || refreshed != nil {
		t.Errorf("a file of /proc was opened to be written: %q %v; refreshed: %v", line, err, refreshed)
	}
}

// TestRefresh changes a file of the machine between reads. The overlays keep what a read has found, so a refresh forgets it
// each time that the server has run, and also before its first read.
func TestRefresh(t *testing.T) {
	dir := t.TempDir()
	change := func(to string) {
		t.Helper()
		write(t, dir+"/new", to, 0o644)
		if err := os.Rename(dir+"/new", dir+"/file"); err != nil {
			t.Fatal(err)
		}
	}
	change("0\n")
	s := start(t, Config{Dir: dir, Args: []string{"/bin/sh", "-c", `while read go; do cat file; echo end; done`}})
	lines := bufio.NewReader(s.Stdout())
	for i, refreshes := range []int{0, 1, 1, 2, 3, 1} {
		want := fmt.Sprintln(i)
		for range max(1, refreshes) {
			change(want)
			if refreshes > 0 {
				if err := s.Refresh(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := io.WriteString(s.Stdin(), "go\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); line != want || err != nil {
			t.Errorf("read %q after change %d: %v", line, i, err)
		}
		if line, err := lines.ReadString('\n'); line != "end\n" || err != nil { // a program that still has the file open would keep it
			t.Errorf("read %q at the end: %v", line, err)
		}
	}
}

// TestRests: nobody rests if the kernel does not count who runs.
func TestRests(t *testing.T) {
	for thread, want := range map[turn]bool{
		{1, 'S', "847253 119619 3\n"}: true, {1, 'Z', "847253 119619 3\n"}: true,
		{1, 'R', "847253 119619 3\n"}: false, {1, 'D', "847253 119619 3\n"}: false, {1, 'T', "847253 119619 3\n"}: false,
		{1, 'S', "0 0 0\n"}: false,
	} {
		if got := thread.rests(); got != want {
			t.Errorf("%c %q: got %v", thread.state, thread.runs, got)
		}
	}
}
