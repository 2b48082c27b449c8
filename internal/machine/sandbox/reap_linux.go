// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func (u Usage) add(r *unix.Rusage) Usage {
	u.CPU += time.Duration(r.Utime.Nano() + r.Stime.Nano())
	u.Memory = max(u.Memory, r.Maxrss<<10)
	return u
}

// reap waits for the server, and collects other processes meanwhile.
func reap(server int) (unix.WaitStatus, Usage) {
	var u Usage
	for {
		var status unix.WaitStatus
		var r unix.Rusage
		pid, err := unix.Wait4(-1, &status, 0, &r)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return unix.WaitStatus(0xff00), u // no process is left, and the end of the server was missed
		}
		u = u.add(&r)
		if pid == server {
			return status, u
		}
	}
}

// killAll kills all processes inside except init.
func killAll() { _ = unix.Kill(-1, unix.SIGKILL) }

// reapRest collects the processes that killAll has killed.
func reapRest(u Usage) Usage {
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		var r unix.Rusage
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, &r)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return u
		case pid == 0:
			time.Sleep(time.Millisecond)
		default:
			u = u.add(&r)
		}
	}
	return u
}

// leftovers returns the programs that the server left running.
func leftovers() []string {
	var left []string
	for _, pid := range processes() {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err != nil || len(raw) == 0 || len(left) == maxArguments {
			continue
		}
		line := strings.Join(strings.FieldsFunc(string(raw[:min(len(raw), maxArgument)]), func(r rune) bool { return r == 0 }), " ")
		left = append(left, line)
	}
	return left
}

// processes returns the processes inside, without init.
func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid > 1 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// running returns the state of the processes inside.
func running() *Running {
	r := &Running{PIDs: processes()}
	r.Busy = slices.ContainsFunc(r.PIDs, busy)
	return r
}

// busy reports whether a thread of a process runs, waits for a processor, or for a disk.
func busy(pid int) bool {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	entries, err := os.ReadDir(tasks)
	if err != nil {
		return false // it is gone
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		raw, err := os.ReadFile(tasks + "/" + e.Name() + "/stat")
		end := bytes.LastIndexByte(raw, ')') // after the name, which the process chooses
		return err == nil && end >= 0 && end+2 < len(raw) && (raw[end+2] == 'R' || raw[end+2] == 'D')
	})
}
