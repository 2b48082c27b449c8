// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// The kernel counts some things for all programs of a user together, inside and outside. Without bounds,
// a server could use them up, and other programs of the user would fail. Descriptors in flight (unix(7))
// have the bound of open files of a process: at the default, half of what other programs usually have.
const (
	maxWatches = 20_000 // of epoll(7); a user has about 100,000 for each 512 MiB of memory
	maxPipes   = 512    // with 16 pages each; a user has 16,384 pages
)

// watches counts the watches of epoll. It does not count those that end, so it never counts too few.
type watches struct{ made atomic.Int64 }

// add answers a process that adds a watch.
func (w *watches) add() error {
	if w.made.Add(1) > maxWatches {
		return unix.ENOSPC
	}
	return errContinue
}

// A shared counts what the processes inside have at one time, by inode, since several processes may have the same.
type shared struct {
	pipes    map[uint64]bool
	inFlight map[uint64]int64 // by socket that has not received them
}

// add adds what a process has open.
func (s *shared) add(pid int) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	for _, fd := range numbers(dir, -1) {
		var stat unix.Stat_t
		if unix.Stat(dir+"/"+strconv.Itoa(fd), &stat) != nil {
			continue
		}
		switch stat.Mode & unix.S_IFMT {
		case unix.S_IFIFO:
			s.pipes[stat.Ino] = true
		case unix.S_IFSOCK:
			if n := waiting(pid, fd); n > 0 {
				s.inFlight[stat.Ino] = n
			}
		}
	}
}

// waiting returns the descriptors that were sent to a socket and not received (proc_pid_fdinfo(5)). The socket must be
// open: what is in flight to one that is in flight itself does not show.
func waiting(pid, fd int) int64 {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/fdinfo/" + strconv.Itoa(fd))
	_, rest, ok := bytes.Cut(raw, []byte("\nscm_fds:"))
	if err != nil || !ok { // not a Unix socket
		return 0
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	return n
}

// flying returns the number of descriptors in flight.
func (s *shared) flying() (n int64) {
	for _, more := range s.inFlight {
		n += more
	}
	return n
}
