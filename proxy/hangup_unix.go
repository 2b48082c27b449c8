// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package proxy

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// readerGone reports whether nobody reads what is written to w. It can tell only for
// pipes and sockets.
func readerGone(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
