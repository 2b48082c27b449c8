// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxStop bounds the wait for threads to stop, and once more the wait until those that have not can be left, in all processes together: a hostile
// server may have hundreds that do not stop. One needs time if the kernel works for it, or on a busy machine.
const maxStop = 5 * time.Second

// maxTries bounds the time to find the threads of a process outside of their clocks: one that turns over short waits is
// often in one.
const maxTries = 20 * time.Millisecond

// tick is a wait for something that takes the kernel some microseconds.
const tick = 20 * time.Microsecond

// skip lets time pass for each process that waits with a deadline, or did at the last look. Its clocks go forward, and
// its waits and timers end as if that time were over.
func (i *initProcess) skip(d time.Duration) {
	i.skipped += d
	i.events.timers.skip(d)
	whole := time.Now().Add(maxStop)
	for _, pid := range processes() {
		end := time.Now().Add(maxTries)
		for late := i.late[pid] || waits(pid); late && !hasten(pid, i.skipped, whole) && time.Now().Before(end); {
			nap(tick)
		}
	}
	nap(tick) // those inside need a processor now
}

// waits reports whether a process waits with a deadline.
func waits(pid int) bool {
	return slices.ContainsFunc(threads(pid), func(id int) bool {
		t, lives := look(pid, id)
		return lives && t.wait == timed
	})
}

// hasten moves the clocks of a process to the true time and d, and ends the waits with a deadline of its
// threads. It stops all threads meanwhile: one that runs a clock while its code changes would run half of each. If one does
// not stop until end, or is about to read a clock, nothing happens, and it returns false.
func hasten(pid int, d time.Duration, end time.Time) bool {
	runtime.LockOSThread() // only the thread that stops another may change it
	defer runtime.UnlockOSThread()
	var seized []int
	stopped := 0 // of them
	defer func() {
		last := end.Add(maxStop)
		for n, id := range seized {
			if n < stopped || stops(id, last) { // only then can we leave it
				leave(id)
			}
		}
	}()
	for known := -1; known < len(seized); { // threads that still run may begin others
		known = len(seized)
		for _, id := range threads(pid) {
			if slices.Contains(seized, id) {
				continue
			}
			if unix.PtraceSeize(id) != nil {
				if ended(id) {
					continue
				}
				return false
			}
			seized = append(seized, id)
			if unix.PtraceInterrupt(id) != nil {
				return false
			}
		}
		for ; stopped < len(seized); stopped++ {
			if !stops(seized[stopped], end) {
				return false
			}
		}
	}
	if len(seized) > 0 && !forward(pid, seized, d) {
		return false
	}
	for _, id := range seized {
		expire(pid, id)
	}
	return true
}

// ended reports whether a thread has ended.
func ended(id int) bool {
	state := stateOf(taskDir(id))
	return state == 0 || state == 'Z' || state == 'X'
}

// stops waits until a thread has stopped for us, at most until end.
func stops(id int, end time.Time) bool {
	for {
		if _, err := unix.PtraceGetEventMsg(id); err == nil { // the kernel answers for a stopped thread only
			return true
		}
		if ended(id) || !time.Now().Before(end) {
			return false
		}
		nap(tick)
	}
}

// leave lets a stopped thread go on. One that has stopped for a signal, which came before our stop, gets it.
func leave(id int) {
	const number, code, size = 0, 8, 128 // siginfo_t of sigaction(2)
	info, signal := make([]byte, size), uint32(0)
	if _, _, err := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GETSIGINFO, uintptr(id), 0, uintptr(unsafe.Pointer(&info[0])), 0, 0); err == 0 &&
		binary.NativeEndian.Uint32(info[code:])>>8 != unix.PTRACE_EVENT_STOP {
		signal = binary.NativeEndian.Uint32(info[number:])
	}
	_, _, _ = unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(id), 0, uintptr(signal), 0, 0) // it may have ended
}

// expired is what a system call answers when its deadline is over.
func expired(nr uint64) (unix.Errno, bool) {
	switch nr {
	case unix.SYS_FUTEX, unix.SYS_FUTEX_WAITV, unix.SYS_FUTEX_WAIT:
		return unix.ETIMEDOUT, true
	case unix.SYS_RT_SIGTIMEDWAIT:
		return unix.EAGAIN, true
	case unix.SYS_RESTART_SYSCALL: // it is not known of what
		return 0, false
	}
	d, ok := deadlineOf(nr)
	return 0, ok && (d.always || nr != unix.SYS_RECVMMSG)
}

// empty empties the sets of select, whose deadline is over.
func empty(pid int, count, at uint64) {
	if at != 0 && count > 0 && count <= 1<<16 {
		_ = poke(pid, at, make([]byte, (count+63)/64*8)) // a wrong address is the program's fault
	}
}
