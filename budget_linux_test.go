// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fileBurdens are all looks at a file.
func fileBurdens(file string, least time.Duration) map[string]burden {
	list := map[string]burden{}
	add := func(name, policy string, value any) { list[name] = burden{policy: policy, value: value, least: least} }
	add("path", "arguments: {v: {path: {type: file, readable: true, writable: true, max_size: 1MB, min_free: 1MB}}}", file)
	add("confined", "arguments: {v: {path: {within: ["+filepath.Dir(file)+"]}}}", file)
	add("many paths", "arguments: {v: {path: {exists: true}}}", distinct(file+"%d", 5000))
	add("command", "arguments: {v: {command: {exists: true}}}", []string{file, "--help"})
	add("binary", "requires: [{binary: {name: "+file+"}}]", "")
	add("disk", "requires: [{disk: {path: "+file+", min_free: 1MB}}]", "")
	return list
}

// TestBudgetOfFIFO looks at a FIFO in place of a file, which nobody writes to.
func TestBudgetOfFIFO(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o700); err != nil {
		t.Fatal(err)
	}
	each(t, stall, fileBurdens(fifo, 0))
}

// TestBudgetOfUnansweredConnections connects to a port whose queue is full: the system
// answers no more.
func TestBudgetOfUnansweredConnections(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port)
	for range 10 {
		conn, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
		if err != nil { // it is full
			each(t, stall, networkBurdens(address, true))
			return
		}
		defer conn.Close()
	}
	t.Fatal("the queue does not fill")
}

// TestBudgetOfDeadFileSystem looks at files on a FUSE file system whose server never answers,
// which is to a program what a dead NFS server is. It is mounted where only a second process
// of this test sees it.
func TestBudgetOfDeadFileSystem(t *testing.T) {
	const inside = "TOOLVET_TEST_DEAD_FILE_SYSTEM"
	if os.Getenv(inside) == "" {
		if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
			t.Skipf("no FUSE here, TestBudgetOfDeadDisk alone holds the promise: %v", err)
		} else {
			f.Close()
		}
		if out, err := exec.Command("unshare", "-Urm", "true").CombinedOutput(); err != nil {
			t.Skipf("no namespaces here, TestBudgetOfDeadDisk alone holds the promise: %v %s", err, out)
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "unshare", "-Urm", self, "-test.run=^"+t.Name()+"$", "-test.timeout=2m")
		cmd.Env = append(os.Environ(), inside+"="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir := os.Getenv(inside)
	before := runtime.NumGoroutine()
	fuse, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fuse)
	if err := unix.Mount("dead", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		t.Fatal(err)
	}
	for name, b := range fileBurdens(filepath.Join(dir, "file"), stall/2) {
		t.Run(name, func(t *testing.T) { b.holds(t, stall) })
	}
	if err := unix.Close(fuse); err != nil { // the system ends all that waits
		t.Fatal(err)
	}
	goroutinesEnd(t, before, 4*time.Second)
}
