// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

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

// The pauses of [initProcess.pending] double, from a share of its whole time on.
const (
	shares    = 128
	lastPause = 10 * time.Millisecond
)

// pending returns what goes on inside by itself: threads that work, and processes with timers. If there
// is nothing, then nothing happens inside until somebody asks the server.
func (i *initProcess) pending(l Look) []Pending {
	if l.Skip > 0 {
		i.skip(l.Skip)
	}
	end, pause := time.Now().Add(l.Wait), l.Wait/shares
	next := func() bool {
		if !time.Now().Before(end) {
			return false
		}
		nap(pause)
		pause = min(2*pause, lastPause)
		return true
	}
	for {
		begun := lastBegun()
		seen := tasks()
		for works(seen) && next() {
			lookAgain(seen)
		}
		list := i.compare(seen)
		if now := lastBegun(); now != begun || now == "" { // it may have ended already, and neither look has met it
			list = append(list, Pending{PID: -1, Working: true})
		}
		if Busy(list, l.Turning) && next() {
			continue
		}
		for n := range list {
			list[n].Program = commandLine(list[n].PID)
		}
		return list
	}
}

// lastBegun tells which thread inside began last (proc_loadavg(5)); "" if nothing tells.
func lastBegun() string {
	raw, err := readProc("/proc/loadavg")
	if err != nil {
		return ""
	}
	return string(raw[bytes.LastIndexByte(raw, ' ')+1:])
}

// nap waits for a time that is too short for the timers of Go, which take a millisecond at least. Looks keep a
// processor busy that those inside may need: without naps, one that has little to do could not end it.
func nap(d time.Duration) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // of this thread, in nanoseconds: it would sleep 50 µs longer
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // an interrupted one is shorter
}

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

// works reports whether a thread worked.
func works(seen map[int]task) bool {
	for _, t := range seen {
		if t.wait == working {
			return true
		}
	}
	return false
}

// lookAgain looks once more at the threads that worked.
func lookAgain(seen map[int]task) {
	for id, t := range seen {
		if t.wait != working {
			continue
		}
		if now, lives := look(t.process, id); lives {
			seen[id] = now
		} else {
			delete(seen, id) // somebody whom it woke runs
		}
	}
}

// compare looks at all threads a second time. A thread that sleeps, and has not run since its first look, has slept all
// the time. If all have, nothing worked at the moment between the looks. A thread that has run may have woken one that
// rested at its first look, so it counts as working. So does one that waits for a processor: somebody has woken it.
func (i *initProcess) compare(seen map[int]task) []Pending {
	found := map[int]Pending{} // by process
	i.late = map[int]bool{}
	for id, now := range turns() {
		t, known := seen[id]
		delete(seen, id)
		moved, turned := t.runs != now.runs, false
		switch {
		case known && t.wait == timed && moved:
			turned = sleeps(now.process, id)
		case known && t.wait == timed && now.state == 'R': // its wait is over, and it has done nothing yet
			turned = true
		}
		switch {
		case !known, moved && !turned:
			t = task{process: now.process, wait: working}
		case turned:
		case now.state == 'Z', now.state == 'X', now.state == 'T': // it has ended, or only a signal of another process lets it go on
			t.wait = atRest
		case now.state != 'S':
			t.wait = working
		}
		if t.wait == atRest {
			continue
		}
		p := found[t.process]
		p.PID, p.Working, p.Turned = t.process, p.Working || t.wait == working, p.Turned || turned
		if t.wait == timed {
			p.Timers++
			i.late[t.process] = true
		}
		found[t.process] = p
	}
	for _, t := range seen { // they have ended since
		found[t.process] = Pending{PID: t.process, Working: true, Timers: found[t.process].Timers}
	}
	for _, pid := range i.events.timers.armed() {
		found[pid] = Pending{PID: pid, Working: found[pid].Working, Timers: found[pid].Timers + 1, Turned: found[pid].Turned}
	}
	if i.events.connected.Load() && connecting() { // the kernel takes milliseconds to answer
		found[0] = Pending{Working: true}
	}
	list := slices.Collect(maps.Values(found))
	slices.SortFunc(list, func(a, b Pending) int { return a.PID - b.PID })
	return list
}

// sleeps reports whether a thread waits with a deadline again.
func sleeps(pid, id int) bool {
	t, lives := look(pid, id)
	return lives && t.wait == timed
}

// A turn is a thread at the moment of a second look.
type turn struct {
	process int
	state   byte
	runs    string
}

// turns looks at all living threads inside except those of init. The state comes first: a thread that runs after the
// look at it shows in runs.
func turns() map[int]turn {
	found := map[int]turn{}
	for _, pid := range processes() {
		for _, id := range threads(pid) {
			state := stateOf(taskDir(id))
			if runs, err := readProc(taskDir(id) + "/schedstat"); err == nil && state != 0 {
				found[id] = turn{pid, state, string(runs)}
			}
		}
	}
	return found
}

// An idleness is a moment at which nobody inside runs. Two are equal if nobody has run between them.
type idleness struct {
	threads map[int]turn
	begun   string
}

// idleNow returns nil if somebody may run.
func idleNow() *idleness {
	now := &idleness{begun: lastBegun(), threads: turns()}
	for _, t := range now.threads {
		if !t.rests() {
			return nil
		}
	}
	if now.begun == "" || lastBegun() != now.begun {
		return nil
	}
	return now
}

// rests reports whether a thread cannot have run if it is the same later. A kernel without counts always writes zeros.
func (t turn) rests() bool { return (t.state == 'S' || t.state == 'Z') && t.runs != "0 0 0\n" }

// taskDir returns the directory of a thread. There is another one, below that of its process. After a look at that one, the kernel takes
// milliseconds for each thread to end the process.
func taskDir(id int) string { return "/proc/" + strconv.Itoa(id) }

// threads returns the threads of a process; none if it is gone.
func threads(pid int) []int { return numbers("/proc/"+strconv.Itoa(pid)+"/task", 0) }

// look looks at a thread. It is false if the thread is gone.
func look(pid, id int) (task, bool) {
	dir := taskDir(id)
	runs, err := readProc(dir + "/schedstat") // processor time, time of waiting, number of turns
	if err != nil {
		return task{}, false
	}
	t := task{process: pid, wait: working, runs: string(runs)}
	raw, err := readProc(dir + "/syscall")
	if nr, args, ok := systemCall(raw); err == nil && ok {
		t.wait = waitOf(pid, nr, args) // the second look tells whether it sleeps there
		return t, true
	}
	switch stateOf(dir) {
	case 0:
		return t, false
	case 'Z', 'X', 'T':
		t.wait = atRest
	}
	return t, true
}

// waitOf tells what a sleeping thread waits for.
func waitOf(pid int, nr uint64, args [6]uint64) wait {
	if d, ok := deadlineOf(nr); ok {
		if d.set(args) || nr == unix.SYS_RECVMMSG && expiring(pid, int(int32(args[0]))) {
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
	raw, err := readProc(dir + "/stat")
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
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var list []int
	for buf := make([]byte, 8<<10); ; {
		n, err := unix.ReadDirent(fd, buf)
		if err != nil || n <= 0 {
			return list
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			if n, err := strconv.Atoi(name); err == nil && n > above {
				list = append(list, n)
			}
		}
	}
}

// readProc reads a short file of the kernel. It takes a fraction of the time of [os.ReadFile].
func readProc(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	buf := make([]byte, 1024) // the kernel returns all of it at once
	n, err := unix.Read(fd, buf)
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

// word reads a number of eight bytes.
func word(raw []byte) uint64 { return binary.NativeEndian.Uint64(raw) }
