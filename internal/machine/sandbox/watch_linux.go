// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Bounds of the report of one event.
const (
	maxArguments = 64
	maxArgument  = 4096
	maxEvents    = 10_000
	maxTold      = 8 << 20 // bytes of all events
)

// struct seccomp_notif and struct seccomp_notif_resp (seccomp_unotify(2)).
type (
	notification struct {
		id    uint64
		pid   uint32
		flags uint32
		nr    int32
		arch  uint32
		ip    uint64
		args  [6]uint64
	}
	response struct {
		id    uint64
		val   int64
		errno int32
		flags uint32
	}
)

// A watcher gets system calls before they run, and lets them go on; refusing is for the filter. Only
// renames may it make itself.
type watcher struct {
	mover   mover
	names   *names
	timers  timers
	watches watches
	porter  *porter // takes connections; nil: they are refused
	control *control
	quiet   bool   // nothing is reported
	mark    string // see [Config.Mark]
	// connected reports that a process inside may have connected to something.
	connected atomic.Bool

	absent map[string]bool // reported names of missing programs; of the goroutine that watches alone

	mu   sync.Mutex
	told int // events
	size int // of them, in bytes
}

func (w *watcher) watch(listener *os.File) {
	defer listener.Close()
	fd := listener.Fd()
	for {
		var n notification
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n)))
		switch {
		case errors.Is(errno, unix.EINTR), errors.Is(errno, unix.ENOENT): // the caller is gone
			continue
		case errno != 0:
			return
		}
		w.marked(&n)
		if isRename(n.nr) {
			go func() { // it may have much to copy
				valid := func() bool {
					_, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, uintptr(unsafe.Pointer(&n.id)))
					return errno == 0
				}
				respond(fd, n.id, w.mover.rename(&n, valid))
			}()
			continue
		}
		switch {
		case n.nr == unix.SYS_EPOLL_CTL:
			respond(fd, n.id, w.watches.add())
			continue
		case n.nr == unix.SYS_TIMERFD_SETTIME:
			respond(fd, n.id, w.timers.set(&n))
			continue
		case !isWatched(n.nr) && isPathCall(n.nr):
			respond(fd, n.id, errContinue)
			continue
		case signalling(n.nr):
			w.timers.signal(&n)
			respond(fd, n.id, errContinue)
			continue
		}
		if n.nr != unix.SYS_EXECVE && n.nr != unix.SYS_EXECVEAT {
			w.connected.Store(true)
		}
		list := read(&n)
		if e := w.missing(&n); len(list) == 0 && e != nil {
			list = []*Event{e}
		}
		for _, e := range list {
			if w.porter != nil {
				w.porter.expect(e.Connect)
			}
			e.Own = own(&n, e.Connect)
			w.send(e)
		}
		respond(fd, n.id, errContinue)
	}
}

func isRename(nr int32) bool {
	return nr == unix.SYS_RENAMEAT || nr == unix.SYS_RENAMEAT2 || slices.Contains(oldWatched, uint32(nr))
}

// respond lets a system call go on, or answers it.
func respond(fd uintptr, id uint64, err error) {
	r := response{id: id}
	var errno unix.Errno
	switch {
	case errors.Is(err, errContinue):
		r.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	case errors.As(err, &errno):
		r.errno = -int32(errno)
	}
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&r))) // the caller may be gone
}

// send reports an event. Without a listener, the end is near.
func (w *watcher) send(e *Event) {
	if w.quiet {
		return
	}
	e.Connect = w.names.named(e.Connect)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told > maxEvents {
		return
	}
	w.told++
	w.size += len(e.Connect) + len(e.Name) + len(e.Path) + len(e.Absent)
	for _, arg := range e.Exec {
		w.size += len(arg)
	}
	if w.told > maxEvents || w.size > maxTold {
		w.told, e = maxEvents+1, &Event{Lost: true}
	}
	_ = w.control.send(note{Event: e})
}

// read describes a system call: nothing if it needs no report, several events if it sends to several
// addresses. The arguments may change before the kernel reads them, so the description is only for the
// report and protects nothing.
func read(n *notification) []*Event {
	memory, err := os.Open("/proc/" + strconv.Itoa(int(n.pid)) + "/mem")
	if err != nil {
		return nil
	}
	defer memory.Close()
	var args []string
	switch n.nr {
	case unix.SYS_EXECVE:
		args = program(n.pid, memory, atCwd, n.args[0], n.args[1])
	case unix.SYS_EXECVEAT:
		args = program(n.pid, memory, n.args[0], n.args[1], n.args[2])
	}
	if args != nil {
		return []*Event{{PID: int(n.pid), Exec: args}}
	}
	var list []*Event
	for _, to := range destinations(n, memory) {
		if strings.HasSuffix(to, ":"+strconv.Itoa(domainPort)) && datagram(n.pid, n.args[0]) {
			continue // the DNS socket reports its own packets
		}
		if to != "" && !slices.ContainsFunc(list, func(e *Event) bool { return e.Connect == to }) {
			list = append(list, &Event{PID: int(n.pid), Connect: to})
		}
	}
	return list
}

// maxAbsent bounds the names of missing programs.
const maxAbsent = 200

// missing describes an attempt to start a program that is not there: by its name, since each directory of the PATH is tried.
func (w *watcher) missing(n *notification) *Event {
	if w.mark == "" || n.nr != unix.SYS_EXECVE {
		return nil
	}
	memory, err := os.Open("/proc/" + strconv.Itoa(int(n.pid)) + "/mem")
	if err != nil {
		return nil
	}
	defer memory.Close()
	path := text(memory, n.args[0])
	if name := filepath.Base(path); filepath.IsAbs(path) && unix.Access(path, unix.F_OK) != nil && !w.absent[name] && len(w.absent) < maxAbsent {
		if w.absent == nil {
			w.absent = map[string]bool{}
		}
		w.absent[name] = true
		return &Event{PID: int(n.pid), Absent: name}
	}
	return nil
}

// own reports whether a connection goes to a port of the sandbox itself with a listener.
func own(n *notification, address string) bool {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !a.Addr().Unmap().IsLoopback() && !a.Addr().Unmap().IsUnspecified() {
		return false
	}
	return Listening(a.Port(), datagram(n.pid, n.args[0]))
}

// datagram reports whether a descriptor of a process is a socket of UDP.
func datagram(pid uint32, fd uint64) bool {
	process, err := leader(pid)
	if err != nil {
		return false
	}
	socket, err := descriptor(process, int(int32(fd)))
	if err != nil {
		return false
	}
	defer unix.Close(socket)
	protocol, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_PROTOCOL)
	return err == nil && protocol == unix.IPPROTO_UDP
}

// program returns the arguments of an existing program, because shells and others try each directory of
// the PATH. Without arguments it returns the path.
func program(pid uint32, memory *os.File, at, path, args uint64) []string {
	name := text(memory, path)
	file := name
	switch own := "/proc/" + strconv.Itoa(int(pid)); {
	case name == "":
		file = openedBy(pid, at)
	case strings.HasPrefix(name, "/proc/self/"):
		file = own + strings.TrimPrefix(name, "/proc/self")
	case strings.HasPrefix(name, "/dev/fd/"):
		file = own + strings.TrimPrefix(name, "/dev")
	case !filepath.IsAbs(name):
		file = filepath.Join(openedBy(pid, at), name)
	}
	if unix.Access(file, unix.X_OK) != nil {
		return nil
	}
	if list := arguments(memory, args); len(list) > 0 {
		return list
	}
	return []string{cmp.Or(name, file)}
}

// arguments reads a vector of strings.
func arguments(memory *os.File, at uint64) []string {
	var args []string
	for i := range uint64(maxArguments) {
		pointer := make([]byte, 8)
		if _, err := memory.ReadAt(pointer, int64(at+8*i)); err != nil {
			return args
		}
		p := binary.NativeEndian.Uint64(pointer)
		if p == 0 {
			return args
		}
		args = append(args, text(memory, p))
	}
	return append(args, "…")
}

func text(memory *os.File, at uint64) string {
	var out []byte
	for len(out) < maxArgument {
		part := make([]byte, 256-at%256) // never over the end of a page
		if _, err := memory.ReadAt(part, int64(at)); err != nil {
			break
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(out, part[:end]...))
		}
		out = append(out, part...)
		at += uint64(len(part))
	}
	return string(out) + "…"
}

// isWatched reports whether a system call is reported whatever its paths are.
func isWatched(nr int32) bool {
	return slices.Contains(watched, uint32(nr)) || slices.Contains(oldWatched, uint32(nr))
}

func isPathCall(nr int32) bool {
	_, ok := pathCallOf(nr)
	return ok
}
