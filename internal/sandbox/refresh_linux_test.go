// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
)

// TestRefreshAstray has a server put a link to /proc in the place of an overlay, and ask for
// a refresh: whatever is mounted anew loses its flags, and /proc must stay read-only.
func TestRefreshAstray(t *testing.T) {
	const mounted = "TOOLVET_TEST_MOUNTED"
	dir := os.Getenv(mounted)
	if dir == "" {
		unshare, err := exec.LookPath("unshare")
		if err != nil {
			t.Skip("there is no program unshare")
		}
		start(t, Config{Dir: "/", Args: []string{"/bin/true"}}) // skips where there are no sandboxes
		dir := t.TempDir()
		mkdir(t, dir+"/mounted")
		mkdir(t, dir+"/over") // an overlay of its own, beside the mount
		cmd := exec.CommandContext(t.Context(), unshare, "-Urm", "/bin/sh", "-ec",
			`mount -t tmpfs none "$1/mounted"; "$0" -test.run='^TestRefreshAstray$'`, self(t), dir)
		cmd.Env = append(os.Environ(), mounted+"="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
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
