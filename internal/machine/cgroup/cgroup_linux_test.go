// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cgroup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "as-maker" {
		makeAndWait()
	}
	os.Exit(m.Run())
}

// makeAndWait makes a group with a process in it, and waits to be killed.
func makeAndWait() {
	p, err := find()
	if err == nil {
		var g *Group
		if g, err = p.make(Limits{}); err == nil {
			cmd := exec.Command("sleep", "600")
			cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: g.FD()}
			if err = cmd.Start(); err == nil {
				fmt.Println(filepath.Base(g.path))
				_, _ = io.Copy(io.Discard, os.Stdin)
			}
		}
	}
	fmt.Println("error:", err)
	os.Exit(1)
}

// parentOf finds where groups can be made, with the controllers or without, or skips the test.
func parentOf(t *testing.T, controllers bool) *parent {
	t.Helper()
	p, err := find()
	if err == nil && controllers {
		err = p.enable()
	}
	var missing *UnavailableError
	if errors.As(err, &missing) {
		t.Skip(err) // in CI, too: it depends on how the machine was booted
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

func newGroup(t *testing.T, p *parent, l Limits) *Group {
	t.Helper()
	g, err := p.make(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.remove)
	return g
}

// in starts a shell in a group.
func in(t *testing.T, g *Group, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: g.FD()}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// gone reports whether a group is, once the last of its processes is.
func gone(t *testing.T, p *parent, path string) bool {
	t.Helper()
	for exists(path) {
		if g, err := p.make(Limits{}); err == nil { // sweeps
			g.remove()
		}
		if t.Context().Err() != nil {
			return false
		}
	}
	return true
}

func TestClose(t *testing.T) {
	p := parentOf(t, false)
	g := newGroup(t, p, Limits{})
	cmd := in(t, g, "setsid sleep 600 & while :; do :; done")
	for g.Usage().CPU == 0 { // it runs
		time.Sleep(time.Millisecond)
	}
	g.remove()
	err := cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != unix.SIGKILL {
		t.Errorf("what is in a group that is closed goes on: %v", err)
	}
	if !gone(t, p, g.path) {
		t.Error("the group stays")
	}
}

// TestSweep has the maker of a group be killed.
func TestSweep(t *testing.T) {
	p := parentOf(t, false)
	mine := newGroup(t, p, Limits{})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	maker := exec.Command(self, "as-maker")
	if _, err := maker.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := maker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := maker.Start(); err != nil {
		t.Fatal(err)
	}
	name, err := bufio.NewReader(out).ReadString('\n')
	theirs := filepath.Join(p.dir, strings.TrimSpace(name))
	if err != nil || !exists(theirs) {
		t.Fatalf("no group was made: %q %v", name, err)
	}
	p.sweep()
	if (&Group{path: theirs}).count("cgroup.events", "populated") != 1 {
		t.Error("a group is swept away while its maker lives")
	}
	if err := maker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = maker.Wait()
	if !gone(t, p, theirs) {
		t.Error("the group of a maker that was killed stays")
	}
	if !exists(mine.path) {
		t.Error("the group of another is gone, too")
	}
}

func TestProcessors(t *testing.T) {
	p := parentOf(t, true)
	if !p.has(CPU) {
		t.Skip("the controller cpu is not delegated")
	}
	if runtime.NumCPU() < 2 {
		t.Skip("this machine has one processor")
	}
	// throttled is how often four busy processes were held up, until they were once or have used some time.
	throttled := func(processors int) int64 {
		g := newGroup(t, p, Limits{Processors: processors})
		cmd := in(t, g, "spin() { while :; do :; done; }; spin & spin & spin & spin")
		n := int64(0)
		for n == 0 && g.Usage().CPU < 2*time.Second && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
			n = g.count("cpu.stat", "nr_throttled")
		}
		g.remove()
		_ = cmd.Wait()
		return n
	}
	if throttled(1) == 0 {
		t.Error("one processor is no limit for four processes")
	}
	if throttled(1000) > 0 {
		t.Error("a thousand processors are a limit, too, so that this tests nothing")
	}
}

func TestMountPoint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ mountinfo, want string }{
		{"30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n", "/sys/fs/cgroup"},
		{"29 23 0:25 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n30 23 0:26 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n31 23 0:27 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n", "/sys/fs/cgroup/unified"},
		{"30 23 0:26 /part /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", ""},
		{"30 23 0:26 / /sys/with\\040space rw - cgroup2 cgroup2 rw\n", ""},
		{"30 23 0:26 / /mnt rw - cgroup none rw\nnonsense\n - cgroup2 \n", ""},
	} {
		if got := mountPoint(tt.mountinfo); got != tt.want {
			t.Errorf("of %q: got %q, want %q", tt.mountinfo, got, tt.want)
		}
	}
}

// TestChoose chooses in hierarchies that are plain directories.
func TestChoose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, own string
		files     map[string]string
		dir       string // "": none, because of
		why       string
		want      string // controllers
	}{
		{name: "delegated", own: "1:pids:/x\n0::/user/shell\n", dir: "user", files: map[string]string{
			"user/cgroup.procs": "", "user/cgroup.controllers": "cpuset cpu io memory pids", "user/cgroup.subtree_control": "memory pids",
		}, want: "[cpu memory pids]"},
		{name: "half", own: "0::/user/shell\n", dir: "user", files: map[string]string{
			"user/cgroup.procs": "", "user/cgroup.controllers": "pids", "user/cgroup.subtree_control": "",
		}, want: "[pids]"},
		{name: "root", own: "0::/\n", dir: ".", files: map[string]string{
			"cgroup.procs": "", "cgroup.controllers": "memory", "cgroup.subtree_control": "memory",
		}, want: "[memory]"},
		{name: "version 1 has them", own: "0::/\n", dir: ".", files: map[string]string{
			"cgroup.procs": "", "cgroup.controllers": "hugetlb", "cgroup.subtree_control": "",
		}, why: "no control groups: the hierarchy of version 2 has no controllers of memory and processes here"},
		{name: "top of a namespace", own: "0::/\n", files: map[string]string{"cgroup.type": "domain", "cgroup.procs": ""}, why: "no control groups: this process is in the topmost group that it sees"},
		{name: "of another namespace", own: "0::/../other\n", why: "no control groups: the group of this process is not to be seen"},
		{name: "version 1 alone", own: "1:pids:/\n", why: "no control groups: the group of this process is not to be seen"},
		{name: "of others", own: "0::/system/service\n", files: map[string]string{"system/cgroup.type": "domain"}, why: "no control groups: the group that this process's own is in belongs to others"},
	} {
		top := t.TempDir()
		for name, content := range tt.files {
			if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755), os.WriteFile(filepath.Join(top, name), []byte(content), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		var p parent
		err := p.choose(top, tt.own)
		if err == nil {
			err = p.enable()
		}
		switch {
		case tt.why != "" && (err == nil || err.Error() != tt.why), tt.why == "" && err != nil:
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.why)
		case tt.why == "" && (p.dir != filepath.Join(top, tt.dir) || fmt.Sprint(p.controllers) != tt.want):
			t.Errorf("%s: got %s with %v", tt.name, p.dir, p.controllers)
		}
	}
}
