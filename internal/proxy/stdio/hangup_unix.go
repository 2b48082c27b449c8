// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// readerGone reports whether the reading end of w is closed. It works only for pipes and
// sockets.
func readerGone(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	conn, err := f.SyscallConn() // unlike Fd, it does not change the file's mode
	if err != nil {
		return true // closed
	}
	gone := false
	err = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return gone || err != nil
}
