// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxTimers bounds the armed timers of all processes inside.
const maxTimers = 1024

// timers knows the timers inside that run without a waiting thread.
//
// Init sets timers of timerfd itself, in the place of the process: the value cannot change between our
// look and the kernel's, and no descriptor can hide the timer. Timers that send a signal cannot be read
// from outside, so a process that asks for one has it until its end.
type timers struct {
	mu      sync.Mutex
	files   []timerFile
	signals []int // processes with a timer that sends a signal
}

type timerFile struct{ fd, process int }

// set performs timerfd_settime(fd, flags, new, old) for a process.
func (t *timers) set(n *notification) error {
	process, err := leader(n.pid)
	if err != nil {
		return unix.ESRCH
	}
	memory, err := os.Open("/proc/" + strconv.Itoa(int(n.pid)) + "/mem")
	if err != nil {
		return unix.EFAULT
	}
	defer memory.Close()
	raw := make([]byte, unsafe.Sizeof(unix.ItimerSpec{}))
	if _, err := memory.ReadAt(raw, int64(n.args[2])); err != nil {
		return unix.EFAULT
	}
	value := unix.ItimerSpec{Interval: timespec(raw), Value: timespec(raw[len(raw)/2:])}
	fd, err := descriptor(process, int(int32(n.args[0])))
	if err != nil {
		return unix.EBADF
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.prune()
	if len(t.files) >= maxTimers {
		unix.Close(fd)
		return unix.ENOMEM
	}
	var old unix.ItimerSpec
	if err := unix.TimerfdSettime(fd, int(n.args[1]), &value, &old); err != nil {
		unix.Close(fd)
		return err
	}
	t.files = append(t.files, timerFile{fd, process})
	if n.args[3] == 0 {
		return nil
	}
	return poke(process, n.args[3], unsafe.Slice((*byte)(unsafe.Pointer(&old)), unsafe.Sizeof(old)))
}

// poke writes to the memory of a process, if the process itself may write there.
func poke(process int, at uint64, data []byte) error {
	local, remote := []unix.Iovec{{Base: &data[0], Len: uint64(len(data))}}, []unix.RemoteIovec{{Base: uintptr(at), Len: len(data)}}
	if _, err := unix.ProcessVMWritev(process, local, remote, 0); err != nil {
		return unix.EFAULT
	}
	return nil
}

func timespec(raw []byte) unix.Timespec {
	return unix.Timespec{Sec: int64(word(raw)), Nsec: int64(word(raw[8:]))}
}

// prune drops timers of files that are not armed.
func (t *timers) prune() {
	t.files = slices.DeleteFunc(t.files, func(f timerFile) bool {
		var now unix.ItimerSpec
		armed := unix.TimerfdGettime(f.fd, &now) == nil && now.Value != (unix.Timespec{})
		if !armed {
			unix.Close(f.fd)
		}
		return !armed
	})
}

// signal notes that a process asks for a timer that sends a signal.
func (t *timers) signal(n *notification) {
	process, err := leader(n.pid)
	if err != nil {
		return // it is gone
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.signals, process) {
		t.signals = append(t.signals, process)
	}
}

// armed returns the processes with timers.
func (t *timers) armed() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.prune()
	t.signals = slices.DeleteFunc(t.signals, func(pid int) bool { return errors.Is(unix.Kill(pid, 0), unix.ESRCH) })
	list := slices.Clone(t.signals)
	for _, f := range t.files {
		list = append(list, f.process)
	}
	return list
}

// skip lets the timers of files run out that would do so within d.
func (t *timers) skip(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.prune()
	for _, f := range t.files {
		var now unix.ItimerSpec
		if unix.TimerfdGettime(f.fd, &now) == nil && time.Duration(now.Value.Nano()) <= d {
			now.Value = unix.NsecToTimespec(1)
			_ = unix.TimerfdSettime(f.fd, 0, &now, nil) // on failure it runs out later
		}
	}
}
