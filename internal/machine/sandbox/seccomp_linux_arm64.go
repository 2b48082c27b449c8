// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_AARCH64

var foreign []unix.SockFilter

// gaps are numbers of other architectures.
var gaps = [][2]uint32{{244, 259}, {295, 423}}

// oldForbidden are forbidden system calls that not all architectures have.
var oldForbidden = []uint32{unix.SYS_KEXEC_FILE_LOAD, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL}

var (
	oldWatched []uint32
	oldMknod   []unix.SockFilter

	oldPathCalls map[uint32]pathCall
)
