// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A wait is what a thread inside does.
type wait int

const (
	atRest  wait = iota // it waits for another process inside, or for somebody outside
	working             // it runs, or the kernel works for it
	timed               // it waits with a deadline
)

// forever lists system calls that wait without a deadline, unless the file has one of its own
// ([expiring]). The value is the argument with the file; -1 means none. Any other system call counts as
// work.
var forever = map[uint64]int{
	unix.SYS_READ: 0, unix.SYS_READV: 0, unix.SYS_WRITE: 0, unix.SYS_WRITEV: 0, unix.SYS_RECVFROM: 0, unix.SYS_RECVMSG: 0,
	unix.SYS_ACCEPT: 0, unix.SYS_ACCEPT4: 0, unix.SYS_WAIT4: -1, unix.SYS_WAITID: -1, unix.SYS_RT_SIGSUSPEND: -1,
	unix.SYS_FLOCK: -1, unix.SYS_OPENAT: -1,
}

// deadlines lists system calls that may wait with a deadline, and the argument that holds it.
var deadlines = map[uint64]deadline{
	unix.SYS_NANOSLEEP: {always: true}, unix.SYS_CLOCK_NANOSLEEP: {always: true}, unix.SYS_RESTART_SYSCALL: {always: true},
	unix.SYS_EPOLL_PWAIT: {argument: 3, milliseconds: true}, unix.SYS_EPOLL_PWAIT2: {argument: 3}, unix.SYS_PPOLL: {argument: 2},
	unix.SYS_PSELECT6: {argument: 4}, unix.SYS_FUTEX: {argument: 3}, unix.SYS_FUTEX_WAITV: {argument: 3}, unix.SYS_FUTEX_WAIT: {argument: 4},
	unix.SYS_RT_SIGTIMEDWAIT: {argument: 2}, unix.SYS_RECVMMSG: {argument: 4},
}

// A deadline is a number of milliseconds, negative for none, or a pointer, 0 for none.
type deadline struct {
	argument     int
	milliseconds bool
	always       bool
}

// deadlineOf tells how a system call gets its deadline. It is false if it has none.
func deadlineOf(nr uint64) (deadline, bool) {
	d, ok := deadlines[nr]
	if !ok {
		d, ok = oldDeadlines[nr]
	}
	return d, ok
}

// set reports whether a system call with these arguments has a deadline.
func (d deadline) set(args [6]uint64) bool {
	switch {
	case d.always:
		return true
	case d.milliseconds:
		return int32(args[d.argument]) >= 0
	}
	return args[d.argument] != 0
}

// A task is a thread at the moment of a look.
type task struct {
	process int
	wait    wait
	runs    string // grows each time that the thread gets a processor
}

// pending returns what goes on inside by itself: threads that work, and processes with timers. If there
// is nothing, then nothing happens inside until somebody asks the server.
//
// It looks twice. If a thread has run between the looks, it may have woken one that rested at the first
// look and rests at the second, so it counts as working.
func (i *initProcess) pending() []Pending {
	before := tasks()
	found := map[int]Pending{} // by process
	for id, runs := range turns() {
		t, known := before[id]
		turned := known && t.wait == timed && t.runs != runs.text && sleeps(runs.process, id)
		if !known || t.runs != runs.text && !turned {
			t.process, t.wait = runs.process, working
		}
		delete(before, id)
		if t.wait == atRest {
			continue
		}
		p := found[t.process]
		p.PID, p.Working, p.Turned = t.process, p.Working || t.wait == working, p.Turned || turned
		if t.wait == timed {
			p.Timers++
		}
		found[t.process] = p
	}
	for _, t := range before { // they have ended since
		found[t.process] = Pending{PID: t.process, Working: true, Timers: found[t.process].Timers}
	}
	for _, pid := range i.events.timers.armed() {
		found[pid] = Pending{PID: pid, Working: found[pid].Working, Timers: found[pid].Timers + 1, Turned: found[pid].Turned}
	}
	if i.events.connected.Load() && connecting() { // the kernel takes milliseconds to answer
		found[0] = Pending{Working: true}
	}
	var list []Pending
	for pid, p := range found {
		p.Program = commandLine(pid)
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Pending) int { return a.PID - b.PID })
	return list
}

// sleeps reports whether a thread waits with a deadline again.
func sleeps(pid, id int) bool {
	t, lives := look(pid, id)
	return lives && t.wait == timed
}

// A turn tells how often a thread has run, in some form.
type turn struct {
	process int
	text    string
}

// turns looks at all living threads inside except those of init.
func turns() map[int]turn {
	found := map[int]turn{}
	for _, pid := range processes() {
		for _, id := range threads(pid) {
			if raw, err := os.ReadFile(taskDir(id) + "/schedstat"); err == nil {
				found[id] = turn{pid, string(raw)}
			}
		}
	}
	return found
}

// taskDir returns the directory of a thread. There is another one, below that of its process. After a look at that one, the kernel takes
// milliseconds for each thread to end the process.
func taskDir(id int) string { return "/proc/" + strconv.Itoa(id) }

// tasks looks at all threads inside except those of init.
func tasks() map[int]task {
	found := map[int]task{}
	for _, pid := range processes() {
		for _, id := range threads(pid) {
			if t, lives := look(pid, id); lives {
				found[id] = t
			}
		}
	}
	return found
}

// threads returns the threads of a process; none if it is gone.
func threads(pid int) []int { return numbers("/proc/"+strconv.Itoa(pid)+"/task", 0) }

// look looks at a thread. It is false if the thread is gone.
func look(pid, id int) (task, bool) {
	dir := taskDir(id)
	t := task{process: pid, wait: working}
	runs, err := os.ReadFile(dir + "/schedstat") // processor time, time of waiting, number of turns
	state := stateOf(dir)
	if err != nil || state == 0 {
		return t, false
	}
	t.runs = string(runs)
	switch state {
	case 'Z', 'X', 'T': // it has ended, or only a signal of another process lets it go on
		t.wait = atRest
	case 'S':
		raw, err := os.ReadFile(dir + "/syscall")
		if nr, args, ok := systemCall(raw); err == nil && ok {
			t.wait = waitOf(pid, nr, args)
		}
	}
	return t, true
}

// waitOf tells what a sleeping thread waits for.
func waitOf(pid int, nr uint64, args [6]uint64) wait {
	if d, ok := deadlineOf(nr); ok {
		if d.set(args) {
			return timed
		}
		return atRest
	}
	file, ok := forever[nr]
	if !ok {
		file, ok = oldForever[nr]
	}
	switch {
	case !ok:
		return working
	case file >= 0 && expiring(pid, int(int32(args[file]))):
		return timed
	}
	return atRest
}

// systemCall reads /proc/PID/syscall: a number and six arguments, or a word for none.
func systemCall(raw []byte) (nr uint64, args [6]uint64, ok bool) {
	fields := strings.Fields(string(raw))
	if len(fields) < 7 {
		return 0, args, false
	}
	nr, err := strconv.ParseUint(fields[0], 10, 64)
	if err != nil {
		return 0, args, false
	}
	for i := range args {
		if args[i], err = strconv.ParseUint(fields[1+i], 0, 64); err != nil {
			return 0, args, false
		}
	}
	return nr, args, true
}

// stateOf returns the state of a thread as a letter (proc_pid_stat(5)); 0 if it is gone.
func stateOf(dir string) byte {
	fields := statFields(dir)
	if len(fields) == 0 {
		return 0
	}
	return fields[0][0]
}

// statFields returns the fields of a stat file from the third on, the state. The second is the process's own choice of a name: it may have blanks
// and brackets, so the fields begin behind the last bracket.
func statFields(dir string) [][]byte {
	raw, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return nil
	}
	return bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
}

// expiring reports whether reading from a file, or writing to it, ends by itself: a socket with a
// time-out, or a terminal with a timer.
func expiring(pid, fd int) bool {
	to, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/" + strconv.Itoa(fd))
	socket, terminal := strings.HasPrefix(to, "socket:"), strings.HasPrefix(to, "/dev/pts/") || to == "/dev/tty" || to == "/dev/ptmx"
	if err == nil && !socket && !terminal {
		return false
	}
	f, err := descriptor(pid, fd)
	if err != nil {
		return true // it may be
	}
	defer unix.Close(f)
	if terminal {
		t, err := unix.IoctlGetTermios(f, unix.TCGETS)
		return err != nil || t.Cc[unix.VTIME] > 0
	}
	for _, option := range []int{unix.SO_RCVTIMEO, unix.SO_SNDTIMEO} {
		if t, err := unix.GetsockoptTimeval(f, unix.SOL_SOCKET, option); err != nil || t.Sec != 0 || t.Usec != 0 {
			return true
		}
	}
	return false
}

// descriptor duplicates a descriptor of a process.
func descriptor(pid, fd int) (int, error) {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	return unix.PidfdGetfd(process, fd, 0)
}

// leader returns the process of a thread.
func leader(id uint32) (int, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(int(id)) + "/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(raw, []byte("\nTgid:\t"))
	rest, _, _ = bytes.Cut(rest, []byte("\n"))
	return strconv.Atoi(string(rest))
}

// connecting reports whether the kernel goes on with a connection of TCP by itself: it opens it, or sends
// again. It counts as work, since it soon ends: each peer is on this machine.
func connecting() bool {
	for _, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		raw, err := os.ReadFile(file)
		if err == nil && opening(raw) {
			return true
		}
	}
	return false
}

// opening reads a table of TCP (proc_pid_net(5)).
func opening(table []byte) bool {
	const state, timer = 3, 5
	for line := range bytes.Lines(table) {
		fields := bytes.Fields(line)
		if len(fields) <= timer {
			continue
		}
		opens := string(fields[state]) == "02" || string(fields[state]) == "03"
		kind, _, _ := bytes.Cut(fields[timer], []byte(":"))
		if opens || string(kind) == "01" || string(kind) == "04" {
			return true
		}
	}
	return false
}

// commandLine returns the command line of a process, "" if it is gone.
func commandLine(pid int) string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return ""
	}
	return strings.Join(strings.FieldsFunc(string(raw[:min(len(raw), maxArgument)]), func(r rune) bool { return r == 0 }), " ")
}

// numbers returns the entries of a directory that are numbers above a bound.
func numbers(dir string, above int) []int {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var list []int
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil && n > above {
			list = append(list, n)
		}
	}
	return list
}

// word reads a number of eight bytes.
func word(raw []byte) uint64 { return binary.NativeEndian.Uint64(raw) }
