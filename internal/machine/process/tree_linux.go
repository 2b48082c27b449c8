// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// guarded: a guard can take over from a supervisor, because it adopts the orphans.
const guarded = true

// serverAttr: if the supervisor is killed, the kernel kills its child.
func serverAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
}

// adoptOrphans makes orphaned descendants our children. So none escapes, and without children there are
// no descendants.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot adopt orphaned processes: %w", err)
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
		_ = unix.Kill(pid, signal)
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
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false // it has ended
	}
	return parseParent(string(stat))
}

// parseParent finds the parent in a /proc/PID/stat: "1 (name) S 0 …". The name can contain anything, so
// the last ")" counts.
func parseParent(stat string) (int, bool) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(fields[1])
	return parent, err == nil
}
