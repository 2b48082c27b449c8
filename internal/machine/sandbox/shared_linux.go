// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
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

// pipesOf adds the pipes that a process has open to those found, by inode.
func pipesOf(pid int, found map[uint64]bool) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	for _, fd := range numbers(dir, -1) {
		var stat unix.Stat_t
		if unix.Stat(dir+"/"+strconv.Itoa(fd), &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFIFO {
			found[stat.Ino] = true
		}
	}
}
