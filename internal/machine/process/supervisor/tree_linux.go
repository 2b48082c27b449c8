// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"os"
	"strconv"
	"syscall"
)

// Guarded: a guard can take over from a supervisor, because it adopts the orphans.
const Guarded = true

// serverAttr: if the supervisor is killed, the kernel kills its child.
func serverAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// adoptOrphans makes orphaned descendants our children. So none escapes, and without children there are
// no descendants.
func adoptOrphans() error {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER of <linux/prctl.h>
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setChildSubreaper, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// groupGone: without children there are no descendants.
func groupGone(int) bool { return true }

// signalTree signals every descendant, or the server's process group if /proc does not show them.
func signalTree(group int, signal syscall.Signal) {
	pids := descendants(os.Getpid())
	if len(pids) == 0 {
		signalGroup(group, signal)
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, signal)
	}
}

// terminateParents sends SIGTERM to all descendants of our parent but us.
func terminateParents() {
	for _, pid := range descendants(os.Getppid()) {
		if pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
	}
}

// descendants returns the processes below root, parents before children.
func descendants(root int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := make(map[int][]int)
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if parent, ok := parentOf(pid); ok {
				children[parent] = append(children[parent], pid)
			}
		}
	}
	found := children[root]
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found
}

func parentOf(pid int) (int, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false // it has ended
	}
	return parseParent(stat)
}

// parseParent finds the parent in a /proc/PID/stat: "1 (name) S 0 …". The name can contain anything, so
// the last ")" counts.
func parseParent(stat []byte) (int, bool) {
	end := len(stat)
	for end > 0 && stat[end-1] != ')' {
		end--
	}
	const state = len(" S ")
	if end == 0 || len(stat) < end+state {
		return 0, false
	}
	number := stat[end+state:]
	for i, c := range number {
		if c == ' ' {
			number = number[:i]
			break
		}
	}
	parent, err := strconv.Atoi(string(number))
	return parent, err == nil
}

func duplicate(from, to int) error { return syscall.Dup3(from, to, 0) }
