// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"io"

	"golang.org/x/sys/unix"
)

// A space reads the memory of a thread. Init may do that with itself, and with each that it may trace.
//
// The file /proc/PID/mem asks for more. Nobody may dump init, so its file belongs to the superuser, and the sandbox of an
// ordinary user has none.
type space uint32

// ReadAt fills p, or fails.
func (s space) ReadAt(p []byte, at int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	local, remote := []unix.Iovec{{Base: &p[0]}}, []unix.RemoteIovec{{Base: uintptr(at), Len: len(p)}}
	local[0].SetLen(len(p))
	n, err := unix.ProcessVMReadv(int(s), local, remote, 0)
	if err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}
