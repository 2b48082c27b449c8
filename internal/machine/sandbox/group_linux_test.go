// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/toolvet/toolvet/internal/machine/cgroup"
	"github.com/toolvet/toolvet/internal/test/need"
)

// requireGroup skips the test where there are no control groups, in CI, too: it depends on how the machine was booted.
func requireGroup(t *testing.T) []string {
	t.Helper()
	names, err := start(t, Config{Dir: "/", Args: []string{"/bin/true"}}).Group()
	if err != nil {
		t.Skip(err)
	}
	return names
}

// TestGroupWall tries what takes too much with no other wall than the control group, and without that.
func TestGroupWall(t *testing.T) {
	held := requireGroup(t)
	for _, tt := range []struct {
		controller, limit string
		limits            Limits
		attack            func(dir string) []string
	}{
		{"memory", "memory", Limits{Memory: 96 << 20, Storage: 32 << 20}, func(string) []string { return []string{"memory", "384"} }},
		{"pids", "processes", Limits{Processes: 64}, func(dir string) []string { return []string{"forkbomb", dir, "150"} }},
	} {
		t.Run(tt.controller, func(t *testing.T) {
			if !slices.Contains(held, tt.controller) {
				t.Skipf("there is no controller %s", tt.controller)
			}
			dir := t.TempDir()
			try := func(without ...wall) ran {
				return run(t, Config{Dir: dir, Limits: tt.limits, without: without, Args: append([]string{self(t), "as-attacker"}, tt.attack(dir)...)})
			}
			if r := try(limitsWall, wardenWall); r.out == "done\n" || !slices.Contains(r.Ended().Limits, tt.limit) {
				t.Errorf("it works, or it is not told why it fails: %q %+v", r.out, r.Ended())
			}
			if r := try(limitsWall, wardenWall, groupWall); r.out != "done\n" || len(r.Ended().Limits) > 0 {
				t.Errorf("it fails without any wall: %q %q %+v", r.out, r.err, r.Ended())
			}
		})
	}
}

// TestGroupUsage has two processes whose memory counts together, and looks at what is left of the group.
func TestGroupUsage(t *testing.T) {
	if !slices.Contains(requireGroup(t), "memory") {
		t.Skip("there is no controller memory")
	}
	before := groups(t)
	eat := self(t) + " as-attacker memory 64"
	r := shell(t, t.TempDir(), "cat /proc/self/cgroup; "+eat+"; "+eat)
	if !strings.HasPrefix(r.out, "0::/\n") {
		t.Errorf("inside, the group is not the topmost: %q", r.out)
	}
	used := r.Ended().Usage
	if used.Memory < 64<<20 || used.CPU <= 0 {
		t.Errorf("got %+v", used)
	}
	r.Close()
	if after := groups(t); len(after) > len(before) {
		t.Errorf("groups are left: %q, and before %q", after, before)
	}
}

// groups are those of sandboxes.
func groups(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "toolvet-") {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestDelegated has an ordinary user who was given a control group.
func TestDelegated(t *testing.T) {
	if os.Geteuid() != 0 {
		need.Root.Skip(t, "only the superuser gives groups away")
	}
	requireGroup(t)
	parent := delegate(t)
	dir := sharedDir(t)
	raw, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program, home := filepath.Join(dir, "sandbox.test"), filepath.Join(dir, "home")
	write(t, program, string(raw), 0o755)
	mkdir(t, home)
	inner, err := os.Open(filepath.Join(parent, "inner"))
	if err := errors.Join(err, os.Chown(home, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.run=^TestGroup")
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home, "TMPDIR="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}, UseCgroupFD: true, CgroupFD: int(inner.Fd())}
	out, err := cmd.CombinedOutput()
	for _, name := range []string{"TestGroupWall/memory", "TestGroupWall/pids", "TestGroupUsage"} {
		if err != nil || !strings.Contains(string(out), "--- PASS: "+name) {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
}

// delegate makes a group that is an ordinary user's, with another in it, as systemd does. It returns the path.
func delegate(t *testing.T) string {
	t.Helper()
	g, err := cgroup.New(cgroup.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	top, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(g.FD()))
	if err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(top, "inner")
	t.Cleanup(func() { os.Remove(inner) })
	if err := errors.Join(os.Mkdir(inner, 0o755), os.WriteFile(top+"/cgroup.subtree_control", []byte("+memory +pids"), 0)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{top, top + "/cgroup.procs", top + "/cgroup.subtree_control", inner, inner + "/cgroup.procs"} {
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	return top
}
