// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/checks/path"
)

// insideEnv names the test that runs again in a process of its own, as another user or
// in other namespaces.
const insideEnv = "PATHSTATE_INSIDE"

// rerun runs the calling test in a new process with the given attributes.
func rerun(t *testing.T, attr *syscall.SysProcAttr) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), insideEnv+"="+t.Name(), "TMPDIR=/tmp")
	cmd.Dir = "/"
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.Process == nil {
		t.Skipf("no such process is permitted here: %v", err)
	}
	t.Logf("%s", out)
	switch {
	case err != nil:
		t.Errorf("in its own process: %v", err)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skip("skipped in its own process")
	}
}

// TestPermissions runs as a user who is not root, since root may do anything.
func TestPermissions(t *testing.T) {
	t.Parallel()
	if os.Getenv(insideEnv) == "" && os.Geteuid() == 0 {
		const nobody = 65534
		rerun(t, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}})
		return
	}
	dir := tree(t, "d/open=", "d/secret=", "d/closed/file=", "d/locked/file=", "d/write=", "d/link -> secret", "d/entered/file=")
	for name, mode := range map[string]os.FileMode{"open": 0o444, "secret": 0, "closed": 0o555, "locked": 0o444, "write": 0o200, "entered": 0o311} {
		if err := os.Chmod(filepath.Join(dir, "d", name), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		_ = os.Chmod(filepath.Join(dir, "d/locked"), 0o700)
		_ = os.Chmod(filepath.Join(dir, "d/entered"), 0o700)
		_ = os.Chmod(filepath.Join(dir, "d/closed"), 0o700)
	})
	const user = " by the user that toolvet runs as"
	unreadable := []string{"may not be read" + user}
	unwritable := []string{"may not be written" + user}
	uncreatable := []string{"cannot be created: its directory may not be written" + user}
	behind := []string{"lies behind a directory that toolvet may not enter or read, so that nothing is known of it"}
	read := func() *path.Options { return &path.Options{Readable: true} }
	write := func() *path.Options { return &path.Options{Writable: true} }
	for _, tt := range []seen{
		{"open", read(), nil},
		{"write", write(), nil},
		{"closed", read(), nil},
		{"closed/file", read(), nil},
		{"new", write(), nil},
		{"new/new", write(), nil},
		{"secret", read(), unreadable},
		{"link", read(), unreadable},
		{"write", read(), unreadable},
		{"locked", read(), unreadable},
		{"open", write(), unwritable},
		{"closed", write(), unwritable},
		{"closed/new", write(), uncreatable},
		{"closed/new/new", write(), uncreatable},
		{"open/new", write(), []string{"cannot be created: a name in the middle of the path is a file, not a directory"}},
		{"locked/file", read(), behind},
		{"locked/file", nil, behind},
		{"locked/new", write(), behind},
		{"entered/file", read(), nil},
		{"entered/neü", nil, behind}, // it may be another spelling of a name there
	} {
		tt.run(t, dir, "$/d")
	}
}

// TestFullDisk mounts a small file system, where that is permitted.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getenv(insideEnv) == "" {
		attr := &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		rerun(t, attr)
		return
	}
	dir := tree(t, "d/disk")
	disk := filepath.Join(dir, "d/disk")
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=1m,nr_inodes=5"); err != nil {
		t.Skipf("no file system may be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
	const full = "lies on a file system with less than 512KiB of free space"
	half := func() *path.Options { return &path.Options{MinFree: 512 << 10} }
	seen{"disk/new", half(), nil}.run(t, dir, "$/d")
	seen{"disk/new/new", &path.Options{MinFree: 2e6}, []string{"lies on a file system with less than 2MB of free space"}}.run(t, dir, "$/d")
	if err := os.WriteFile(filepath.Join(disk, "big"), make([]byte, 700<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	seen{"disk/new", half(), []string{full}}.run(t, dir, "$/d")
	seen{"disk/big", half(), []string{full}}.run(t, dir, "$/d")
	if err := os.Truncate(filepath.Join(disk, "big"), 0); err != nil {
		t.Fatal(err)
	}
	seen{"disk/new", half(), nil}.run(t, dir, "$/d")
	for _, name := range []string{"1", "2", "3"} { // with the root and big, all five inodes
		if err := os.WriteFile(filepath.Join(disk, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen{"disk/new", half(), []string{full}}.run(t, dir, "$/d")
	if err := unix.Mount("", disk, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	seen{"disk/big", &path.Options{Writable: true}, []string{"may not be written: the file system is read-only"}}.run(t, dir, "$/d")
	seen{"disk/new", &path.Options{Writable: true}, []string{"cannot be created: its directory may not be written: the file system is read-only"}}.run(t, dir, "$/d")
}
