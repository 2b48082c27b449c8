// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (seccomp(2)).
const (
	dataNumber = 0
	dataArch   = 4
	dataArgs   = 16
)

// forbidden lists system calls that reach out of the sandbox, change the machine, or use parts of the
// kernel that servers do not need. They fail with EPERM.
var forbidden = []uint32{
	unix.SYS_ACCT, unix.SYS_ADD_KEY, unix.SYS_ADJTIMEX, unix.SYS_BPF, unix.SYS_CHROOT, unix.SYS_CLOCK_ADJTIME, unix.SYS_CLOCK_SETTIME,
	unix.SYS_DELETE_MODULE, unix.SYS_FANOTIFY_INIT, unix.SYS_FINIT_MODULE, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSOPEN, unix.SYS_FSPICK,
	unix.SYS_INIT_MODULE, unix.SYS_KCMP, unix.SYS_KEXEC_LOAD, unix.SYS_KEYCTL, unix.SYS_MBIND, unix.SYS_MIGRATE_PAGES,
	unix.SYS_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT, unix.SYS_MOVE_PAGES, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_OPEN_TREE, unix.SYS_PERF_EVENT_OPEN, unix.SYS_PERSONALITY, unix.SYS_PIVOT_ROOT, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_PTRACE, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_REBOOT, unix.SYS_REQUEST_KEY, unix.SYS_SET_MEMPOLICY, unix.SYS_SETDOMAINNAME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETNS, unix.SYS_SETTIMEOFDAY, unix.SYS_SWAPOFF, unix.SYS_SWAPON, unix.SYS_SYSLOG, unix.SYS_UMOUNT2, unix.SYS_UNSHARE,
	unix.SYS_USERFAULTFD, unix.SYS_VHANGUP, unix.SYS_OPEN_TREE_ATTR, unix.SYS_PIDFD_GETFD, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_LSM_SET_SELF_ATTR,
}

// unknown lists system calls with fallbacks in programs: they fail with ENOSYS. A filter cannot see the
// flags of clone3, which are in memory, nor the operations of io_uring. Files in memory (memfd) are on
// no file system with a size limit, and semaphores and queues of System V are in the memory of no
// process. Requests of asynchronous I/O count for the whole machine.
var unknown = []uint32{
	unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_SHMGET, unix.SYS_SEMGET, unix.SYS_MSGGET,
	unix.SYS_IO_SETUP,
}

// newest is the last system call that has been reviewed. Later ones, and unused numbers of an
// architecture (gaps), return ENOSYS as in a kernel without them.
const newest = unix.SYS_FILE_SETATTR

// watched lists system calls that are reported to init before they run.
var watched = []uint32{
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_CONNECT, unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG,
	unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_TIMERFD_SETTIME, unix.SYS_TIMER_CREATE,
}

// families lists the allowed socket families. Others reach parts of the machine without a namespace
// (AF_VSOCK), or large parts of the kernel.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// types lists the allowed types of these sockets (SOCK_PACKET is another family in disguise), and
// protocols their protocols: for others, the kernel would load modules of the machine. Of Netlink, only
// the protocol for addresses is allowed.
var (
	types     = []uint32{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET}
	protocols = map[uint32][]uint32{
		unix.AF_INET:    {0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_MPTCP},
		unix.AF_INET6:   {0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMPV6, unix.IPPROTO_MPTCP},
		unix.AF_NETLINK: {unix.NETLINK_ROUTE, unix.NETLINK_SOCK_DIAG},
	}
)

// newNamespaces are the flags of clone that make namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// Requests of ioctl that inject input for the shell of a terminal.
var typing = []uint32{unix.TIOCSTI, unix.TIOCLINUX}

// Commands of fcntl that hold up programs of the machine (leases), or use what the kernel counts for all
// programs of a user (notices of directories, and large pipes).
var sharing = []uint32{unix.F_SETLEASE, unix.F_NOTIFY, unix.F_SETPIPE_SZ}

// Options of sockets by which a program takes what the kernel does with packets: a peer that answers nothing has a
// connection end later, when no thread waits with a deadline.
var filtering = []uint32{unix.SO_ATTACH_FILTER, unix.SO_ATTACH_BPF}

func deny(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func answer(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// unless skips n instructions if the loaded value is not k.
func unless(k uint32, n uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: n, K: k}
}

// instructions returns the filter. If paths is set, it also reports [pathCalls]. Of a live server, only connections are watched.
func instructions(live, paths bool) []unix.SockFilter {
	watched, oldWatched := watched, oldWatched
	if live {
		watched, oldWatched, paths = []uint32{unix.SYS_CONNECT}, nil, false
	}
	p := []unix.SockFilter{load(dataArch), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: arch}, answer(unix.SECCOMP_RET_KILL_PROCESS), load(dataNumber)}
	p = append(p, foreign...)
	p = append(p, between(newest+1, math.MaxUint32)...)
	for _, gap := range gaps {
		p = append(p, between(gap[0], gap[1])...)
	}
	for _, group := range []struct {
		calls  []uint32
		action uint32
	}{{forbidden, deny(unix.EPERM)}, {oldForbidden, deny(unix.EPERM)}, {unknown, deny(unix.ENOSYS)}, {watched, unix.SECCOMP_RET_USER_NOTIF}, {oldWatched, unix.SECCOMP_RET_USER_NOTIF}} {
		for _, nr := range group.calls {
			p = append(p, unless(nr, 1), answer(group.action))
		}
	}
	if paths {
		p = append(p, notifyPaths()...)
	}
	p = append(p, anyOf(unix.SYS_CLONE, dataArgs, newNamespaces)...)
	p = append(p, anyOf(unix.SYS_MMAP, dataArgs+24, unix.MAP_HUGETLB)...)
	p = append(p, noDevices(unix.SYS_MKNODAT, dataArgs+16)...)
	p = append(p, oldMknod...)
	p = append(p, sockets()...)
	p = append(p, oneOf(unix.SYS_SOCKETPAIR, dataArgs, []uint32{unix.AF_UNIX}, unix.SECCOMP_RET_ALLOW, deny(unix.EAFNOSUPPORT))...)
	p = append(p, oneOf(unix.SYS_IOCTL, dataArgs+8, typing, deny(unix.EPERM), unix.SECCOMP_RET_ALLOW)...)
	p = append(p, keepCores()...)
	p = append(p, oneOf(unix.SYS_FCNTL, dataArgs+8, sharing, deny(unix.EPERM), unix.SECCOMP_RET_ALLOW)...)
	if live {
		return append(p, answer(unix.SECCOMP_RET_ALLOW))
	}
	p = append(p, oneOf(unix.SYS_EPOLL_CTL, dataArgs+8, []uint32{unix.EPOLL_CTL_ADD}, unix.SECCOMP_RET_USER_NOTIF, unix.SECCOMP_RET_ALLOW)...)
	p = append(p, oneOf(unix.SYS_SETITIMER, dataArgs, []uint32{itimerReal}, unix.SECCOMP_RET_USER_NOTIF, unix.SECCOMP_RET_ALLOW)...)
	p = append(p, oldSignalling...)
	p = append(p, packetFilters()...)
	return append(p, answer(unix.SECCOMP_RET_ALLOW))
}

// itimerReal is the timer of setitimer that counts the time, and not that of a processor.
const itimerReal = 0

// signalling reports whether a system call sets a timer that sends a signal.
func signalling(nr int32) bool {
	return nr == unix.SYS_TIMER_CREATE || nr == unix.SYS_SETITIMER || slices.Contains(oldAlarm, uint32(nr))
}

// between returns ENOSYS for the numbers from first to last.
func between(first, last uint32) []unix.SockFilter {
	return []unix.SockFilter{
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jf: 2, K: first}, {Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, Jt: 1, K: last}, answer(deny(unix.ENOSYS)),
	}
}

// anyOf refuses a system call if an argument has one of some bits.
func anyOf(nr, argument, bits uint32) []unix.SockFilter {
	return []unix.SockFilter{
		unless(nr, 4), load(argument), {Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: bits}, answer(deny(unix.EPERM)), answer(unix.SECCOMP_RET_ALLOW),
	}
}

// keepCores accepts a new core limit without setting it: see [entry.limit]. Programs with secrets set it
// to 0, and exit if they cannot.
func keepCores() []unix.SockFilter {
	const limit, set = dataArgs + 8, dataArgs + 16 // of prlimit64; set is a pointer
	taken := deny(0)
	return append(oneOf(unix.SYS_SETRLIMIT, dataArgs, []uint32{unix.RLIMIT_CORE}, taken, unix.SECCOMP_RET_ALLOW),
		unless(unix.SYS_PRLIMIT64, 8), load(limit), unless(unix.RLIMIT_CORE, 5), load(set), unless(0, 2), load(set+4),
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1}, answer(taken), answer(unix.SECCOMP_RET_ALLOW))
}

// sockets answers socket by family, type and protocol.
func sockets() []unix.SockFilter {
	const family, kind, protocol = dataArgs, dataArgs + 8, dataArgs + 16
	body := []unix.SockFilter{load(family)}
	for i, f := range families { // a known one skips the refusal
		body = append(body, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(len(families) - i), K: f})
	}
	body = append(body, answer(deny(unix.EAFNOSUPPORT)), load(kind), unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf})
	for i, k := range types {
		body = append(body, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(len(types) - i), K: k})
	}
	body = append(body, answer(deny(unix.ESOCKTNOSUPPORT)))
	for _, f := range families {
		if of := protocols[f]; of != nil {
			speaks := oneOf(f, protocol, of, unix.SECCOMP_RET_ALLOW, deny(unix.EPROTONOSUPPORT))
			body = append(append(body, load(family)), speaks...)
		}
	}
	body = append(body, answer(unix.SECCOMP_RET_ALLOW))
	return append([]unix.SockFilter{unless(unix.SYS_SOCKET, uint8(len(body)))}, body...)
}

// packetFilters refuses the options of [filtering].
func packetFilters() []unix.SockFilter {
	const level, option = dataArgs + 8, dataArgs + 16
	body := append([]unix.SockFilter{load(level)}, oneOf(unix.SOL_SOCKET, option, filtering, deny(unix.EPERM), unix.SECCOMP_RET_ALLOW)...)
	body = append(body, answer(unix.SECCOMP_RET_ALLOW))
	return append([]unix.SockFilter{unless(unix.SYS_SETSOCKOPT, uint8(len(body)))}, body...)
}

// notifyPaths reports system calls with paths. They are many, so that only programs whose paths matter pay for it.
func notifyPaths() []unix.SockFilter {
	var p []unix.SockFilter
	for _, calls := range []map[uint32]pathCall{pathCalls, oldPathCalls} {
		for _, nr := range slices.Sorted(maps.Keys(calls)) {
			p = append(p, unless(nr, 1), answer(unix.SECCOMP_RET_USER_NOTIF))
		}
	}
	return p
}

// watching is the filter that reports system calls and forbids none.
func watching(paths bool) []unix.SockFilter {
	p := []unix.SockFilter{load(dataNumber)}
	if paths {
		p = append(p, notifyPaths()...)
	}
	for _, nr := range slices.Concat(watched, oldWatched) {
		p = append(p, unless(nr, 1), answer(unix.SECCOMP_RET_USER_NOTIF))
	}
	return append(p, answer(unix.SECCOMP_RET_ALLOW))
}

// noDevices forbids making devices, and allows sockets, pipes and files. Mode is the place of the mode
// argument.
func noDevices(nr, mode uint32) []unix.SockFilter {
	return []unix.SockFilter{
		unless(nr, 7), load(mode), {Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: unix.S_IFMT},
		unless(unix.S_IFCHR, 1), answer(deny(unix.EPERM)), unless(unix.S_IFBLK, 1), answer(deny(unix.EPERM)),
		answer(unix.SECCOMP_RET_ALLOW),
	}
}

// oneOf answers a system call by whether an argument is one of values.
func oneOf(nr, argument uint32, values []uint32, in, out uint32) []unix.SockFilter {
	body := []unix.SockFilter{load(argument)}
	for _, v := range values {
		body = append(body, unless(v, 1), answer(in))
	}
	body = append(body, answer(out))
	return append([]unix.SockFilter{unless(nr, uint8(len(body)))}, body...)
}

// filter installs the filter for this thread and its descendants, and returns the descriptor that
// reports watched calls. See [instructions].
func filter(live, paths bool) (int, error) {
	p := instructions(live, paths)
	if !stands(filterWall) {
		p = watching(paths)
	}
	fprog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return 0, fmt.Errorf("seccomp: %w", errno)
	}
	return int(fd), nil
}
