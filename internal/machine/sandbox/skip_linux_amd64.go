// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// oldDeadlines and oldForever are system calls that newer architectures do not have.
var (
	oldDeadlines = map[uint64]deadline{
		unix.SYS_EPOLL_WAIT: {argument: 3, milliseconds: true}, unix.SYS_POLL: {argument: 2, milliseconds: true}, unix.SYS_SELECT: {argument: 4},
	}
	oldForever = map[uint64]int{unix.SYS_PAUSE: -1, unix.SYS_OPEN: -1}
)

// oldAlarm sends a signal.
var oldAlarm = []uint32{unix.SYS_ALARM}

// oldSignalling is alarm, which sets a timer unless its argument is 0.
var oldSignalling = []unix.SockFilter{
	unless(unix.SYS_ALARM, 4), load(dataArgs), unless(0, 1), answer(unix.SECCOMP_RET_ALLOW), answer(unix.SECCOMP_RET_USER_NOTIF),
}

// A clock is a function for the time that the kernel puts into the memory of each process (vdso(7)). Init
// writes code in its place that asks the kernel, and adds the skipped seconds. They stand between the
// two parts of the code.
type clock struct {
	name       string
	code, tail []byte
}

var clocks = []clock{
	// mov eax, SYS_clock_gettime; syscall; test eax, eax; jnz end; the clocks 2 and 3, and those below
	// 0, count processor time: jump to end; add qword [rsi], seconds; end: ret
	{"__vdso_clock_gettime", []byte{
		0xb8, 228, 0, 0, 0, 0x0f, 0x05, 0x85, 0xc0, 0x75, 0x15, 0x83, 0xff, 2, 0x74, 0x10, 0x83, 0xff, 3, 0x74, 0x0b, 0x85, 0xff, 0x78, 0x07, 0x48, 0x81, 0x06,
	}, []byte{0xc3}},
	// mov eax, SYS_gettimeofday; syscall; test eax, eax; jnz end; test rdi, rdi; jz end; add qword
	// [rdi], seconds; end: ret
	{"__vdso_gettimeofday", []byte{
		0xb8, 96, 0, 0, 0, 0x0f, 0x05, 0x85, 0xc0, 0x75, 0x0c, 0x48, 0x85, 0xff, 0x74, 0x07, 0x48, 0x81, 0x07,
	}, []byte{0xc3}},
	// mov eax, SYS_time; syscall; add rax, seconds; test rdi, rdi; jz end; mov [rdi], rax; end: ret
	{"__vdso_time", []byte{0xb8, 201, 0, 0, 0, 0x0f, 0x05, 0x48, 0x05}, []byte{0x48, 0x85, 0xff, 0x74, 0x03, 0x48, 0x89, 0x07, 0xc3}},
}

// A patch is code for a place in the kernel's part of a process.
type patch struct {
	at    uint64 // from the beginning of that part
	clock clock
}

// patches finds the clocks in our own process. All processes have the same.
var patches = sync.OnceValues(func() ([]patch, error) {
	start, end, err := clockwork(os.Getpid())
	if err != nil {
		return nil, err
	}
	image := make([]byte, end-start)
	if _, err := space(os.Getpid()).ReadAt(image, int64(start)); err != nil {
		return nil, err
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, err
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	var found []patch
	for _, c := range clocks {
		at := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == c.name })
		if at < 0 || symbols[at].Size < uint64(len(c.with(0))) || symbols[at].Value >= end-start {
			return nil, fmt.Errorf("the kernel's clock %s is not as expected", c.name)
		}
		found = append(found, patch{symbols[at].Value, c})
	}
	return found, nil
})

// with returns the code that adds a number of seconds.
func (c clock) with(seconds int32) []byte {
	return slices.Concat(c.code, binary.LittleEndian.AppendUint32(nil, uint32(seconds)), c.tail)
}

// clockwork returns the place of the kernel's functions in a process.
func clockwork(pid int) (start, end uint64, err error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/maps")
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	if start, end, err = clockworkIn(f); err != nil {
		err = fmt.Errorf("process %d: %w", pid, err)
	}
	return start, end, err
}

// clockworkIn reads /proc/PID/maps.
func clockworkIn(maps io.Reader) (start, end uint64, err error) {
	lines := bufio.NewScanner(maps)
	lines.Buffer(make([]byte, 64<<10), 0) // more than the kernel returns at once
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) == 6 && fields[5] == "[vdso]" { // the name of a file begins with a slash
			_, err := fmt.Sscanf(fields[0], "%x-%x", &start, &end)
			return start, end, err
		}
	}
	if err := lines.Err(); err != nil {
		return 0, 0, err
	}
	return 0, 0, errors.New("it has no clocks")
}

// forward moves the clocks of a stopped process. It is false if they cannot be moved, or a thread is in
// one of them.
func forward(pid int, stopped []int, d time.Duration) bool {
	list, err := patches()
	if err != nil {
		return false
	}
	start, end, err := clockwork(pid)
	if err != nil {
		return false
	}
	for _, id := range stopped {
		var r unix.PtraceRegs
		if unix.PtraceGetRegs(id, &r) != nil || r.Rip >= start && r.Rip < end {
			return false
		}
	}
	for _, p := range list {
		if _, err := unix.PtracePokeText(stopped[0], uintptr(start+p.at), p.clock.with(int32(d.Seconds()))); err != nil {
			return false
		}
	}
	return true
}

// Answers of the kernel that a program never sees (include/linux/errno.h).
const (
	restartSys     = 512
	restartNoHand  = 514
	restartBlocked = 516
)

// expire ends the wait of a stopped thread if it has a deadline. Other waits go on.
func expire(pid, id int) {
	var r unix.PtraceRegs
	if unix.PtraceGetRegs(id, &r) != nil {
		return
	}
	args := [6]uint64{r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8, r.R9}
	interrupted := slices.Contains([]int64{-restartSys, -restartNoHand, -restartBlocked, -int64(unix.EINTR)}, int64(r.Rax))
	if int64(r.Orig_rax) < 0 || !interrupted {
		return
	}
	errno, ends := expired(r.Orig_rax)
	d, _ := deadlineOf(r.Orig_rax)
	switch {
	case ends && d.set(args):
		if r.Orig_rax == unix.SYS_SELECT || r.Orig_rax == unix.SYS_PSELECT6 {
			for _, at := range args[1:4] {
				empty(pid, args[0], at)
			}
		}
		r.Rax, r.Orig_rax = uint64(-int64(errno)), ^uint64(0)
	case int64(r.Rax) == -int64(unix.EINTR): // the program must not notice
		r.Rax = ^uint64(restartSys) + 1
	default:
		return
	}
	_ = unix.PtraceSetRegs(id, &r) // it may have ended
}
