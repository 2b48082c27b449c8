// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_X86_64

// foreign refuses the numbers of the x32 ABI.
var foreign = []unix.SockFilter{
	{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jf: 1, K: 0x40000000},
	answer(deny(unix.ENOSYS)),
}

// gaps are numbers between the old system calls and those that all architectures share.
var gaps = [][2]uint32{{337, 423}}

// oldForbidden are forbidden system calls that newer architectures do not have.
var oldForbidden = []uint32{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS__SYSCTL,
	unix.SYS_KEXEC_FILE_LOAD, unix.SYS_CREATE_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_QUERY_MODULE, unix.SYS_NFSSERVCTL, unix.SYS_LOOKUP_DCOOKIE,
}

// oldWatched are watched system calls that newer architectures do not have.
var oldWatched = []uint32{unix.SYS_RENAME}

var oldMknod = noDevices(unix.SYS_MKNOD, dataArgs+8)

// oldPathCalls are system calls with paths that newer architectures do not have.
var oldPathCalls = map[uint32]pathCall{
	unix.SYS_OPEN:    {"open", []pathArgument{{-1, 0, true}}, 1},
	unix.SYS_CREAT:   {"creat", []pathArgument{{-1, 0, true}}, 0},
	unix.SYS_MKDIR:   {"mkdir", []pathArgument{{-1, 0, false}}, 0},
	unix.SYS_RMDIR:   {"rmdir", []pathArgument{{-1, 0, false}}, 0},
	unix.SYS_UNLINK:  {"unlink", []pathArgument{{-1, 0, false}}, 0},
	unix.SYS_LINK:    {"link", []pathArgument{{-1, 0, false}, {-1, 1, false}}, 0},
	unix.SYS_SYMLINK: {"symlink", []pathArgument{{-1, 1, false}}, 0},
	unix.SYS_RENAME:  {"rename", []pathArgument{{-1, 0, false}, {-1, 1, false}}, 0},
	unix.SYS_CHMOD:   {"chmod", []pathArgument{{-1, 0, true}}, 0},
	unix.SYS_CHOWN:   {"chown", []pathArgument{{-1, 0, true}}, 0},
	unix.SYS_LCHOWN:  {"lchown", []pathArgument{{-1, 0, false}}, 0},
}
