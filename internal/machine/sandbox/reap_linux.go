// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"slices"
	"strconv"
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
		if status.Stopped() {
			continue // by us, for a moment: see hasten
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
		line := commandLine(pid)
		if line == "" || len(left) == maxArguments {
			continue
		}
		left = append(left, line)
	}
	return left
}

// processes returns the processes inside, without init.
func processes() []int { return numbers("/proc", 1) }

// running returns the state of the processes inside.
func running() *Running {
	r := &Running{PIDs: processes()}
	r.Busy = slices.ContainsFunc(r.PIDs, busy)
	for _, pid := range r.PIDs {
		r.CPU += processorTime(pid)
	}
	var ended unix.Rusage // init collects all whose parents have gone
	if unix.Getrusage(unix.RUSAGE_CHILDREN, &ended) == nil {
		r.CPU += time.Duration(ended.Utime.Nano() + ended.Stime.Nano())
	}
	return r
}

// processorTime is the time of a process and of its children that have ended: the fields utime, stime, cutime and
// cstime of proc_pid_stat(5), in the ticks of user space, which are always hundredths of a second here.
func processorTime(pid int) time.Duration {
	fields := statFields("/proc/" + strconv.Itoa(pid))
	if len(fields) < 15 {
		return 0 // it has just ended
	}
	var ticks time.Duration
	for _, field := range fields[11:15] {
		n, _ := strconv.ParseInt(string(field), 10, 64)
		ticks += time.Duration(n)
	}
	return ticks * (time.Second / 100)
}

// busy reports whether a thread of a process runs, waits for a processor, or for a disk.
func busy(pid int) bool {
	return slices.ContainsFunc(threads(pid), func(id int) bool {
		state := stateOf(taskDir(id))
		return state == 'R' || state == 'D'
	})
}
