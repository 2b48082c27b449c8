// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestClockwork has files whose names end like that of the kernel's part of a process.
func TestClockwork(t *testing.T) {
	const of = "7f0000000000-7f0000002000 r-xp 00000000 00:00 0 "
	files := strings.Join([]string{
		"560000000000-560000001000 r--p 00000000 fe:00 7                          /tmp/a [vdso]",
		"560000001000-560000002000 r--p 00000000 fe:00 7                          [vdso] (deleted)",
		"560000002000-560000003000 rw-p 00000000 00:01 7                          /memfd:[vdso] (deleted)",
		"560000003000-560000004000 rw-p 00000000 00:00 0                          [anon: [vdso]]",
		"560000004000-560000005000 rw-p 00000000 00:00 0 ",
	}, "\n") + "\n"
	start, end, err := clockworkIn(strings.NewReader(files + of + "                         [vdso]\n"))
	if start != 0x7f0000000000 || end != 0x7f0000002000 || err != nil {
		t.Errorf("%x-%x %v", start, end, err)
	}
	if start, end, err := clockworkIn(strings.NewReader(files)); err == nil {
		t.Errorf("%x-%x in files alone", start, end)
	}
}

// TestLeave stops a process just as it gets a signal. It gets the signal when we leave it.
func TestLeave(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(t.Context(), "/bin/sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	for _, stop := range []func(int) error{unix.PtraceInterrupt, func(pid int) error { return unix.Kill(pid, unix.SIGUSR1) }} {
		if err := unix.PtraceSeize(pid); err != nil {
			t.Skip(err)
		}
		if err := stop(pid); err != nil || !stops(pid, time.Now().Add(time.Minute)) {
			t.Fatalf("it does not stop: %v", err)
		}
		leave(pid)
	}
	time.AfterFunc(10*time.Second, func() { _ = unix.Kill(pid, unix.SIGKILL) })
	_ = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != unix.SIGUSR1 {
		t.Errorf("got %v", cmd.ProcessState)
	}
}
