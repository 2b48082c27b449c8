// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package process

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// startAsleep starts a server below sleeping supervisors, or skips.
func startAsleep(t *testing.T, role ...string) (server *Process, guard, supervisor int) {
	t.Helper()
	if setting, _ := os.ReadFile("/proc/sys/vm/memfd_noexec"); strings.TrimSpace(string(setting)) == "2" {
		t.Skip("this machine runs no files in memory")
	}
	p, mark := startTree(t, Command{Supervisor: []string{self(t), "as-supervisor"}}, role...)
	return p, pidOf(t, mark, "guard"), pidOf(t, mark, "supervisor")
}

func asleep(t *testing.T, pid int) {
	t.Helper()
	if program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); !strings.HasPrefix(program, "/memfd:") {
		t.Errorf("the program of process %d is %q, %v, and not a file in memory", pid, program, err)
	}
}

// While nothing happens, guard and supervisor have a few pages of memory: code, data, arguments and environment.
func TestSleepersAreSmall(t *testing.T) {
	t.Parallel()
	_, guard, supervisor := startAsleep(t, "as-sleeper")
	for _, pid := range []int{guard, supervisor} {
		asleep(t, pid)
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "\nVmRSS:")
		var kilobytes int
		if _, err := fmt.Sscanf(rest, "%d kB", &kilobytes); err != nil {
			t.Fatal(err)
		}
		if kilobytes > 512 {
			t.Errorf("process %d has %d kB of memory, at most 512 are wanted", pid, kilobytes)
		}
	}
}

// The ends of orphans are collected, and wake nobody.
func TestSleepersCollect(t *testing.T) {
	t.Parallel()
	_, guard, supervisor := startAsleep(t, "as-ancestor")
	eventually(t, "the server is the supervisor's only child", func() bool {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", supervisor))
		if err != nil {
			t.Skipf("this kernel does not list children: %v", err)
		}
		return len(strings.Fields(string(children))) == 1
	})
	asleep(t, guard)
	asleep(t, supervisor)
}

// Another program must show at the start that it is a supervisor.
func TestSleepersRefuse(t *testing.T) {
	t.Parallel()
	files, err := openStdio(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer files.closeTheirs()
	defer files.closeOurs()
	c := Command{Args: []string{"/bin/cat"}, Supervisor: []string{"/bin/true"}}
	if cmd, err := startSleepers(c, c.Args[0], files, os.Stdin, os.Stdin); err == nil {
		t.Errorf("%v was started: nobody knows whether it is a supervisor", cmd)
	}
}
