// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// machineOf runs the filter as the kernel does. Its words are big-endian, where the kernel's are the machine's.
func machineOf(t *testing.T, paths bool) *bpf.VM {
	t.Helper()
	var raw []bpf.RawInstruction
	for _, i := range instructions(false, paths) {
		raw = append(raw, bpf.RawInstruction{Op: i.Code, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	program, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("the filter has instructions that are not known")
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

// A made is a system call as a filter sees it.
type made struct {
	arch, nr uint32
	args     []uint64
}

func (m made) answer(t *testing.T, vm *bpf.VM) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[dataNumber:], m.nr)
	binary.BigEndian.PutUint32(data[dataArch:], m.arch)
	for i, a := range m.args { // the low word first
		binary.BigEndian.PutUint32(data[dataArgs+8*i:], uint32(a))
		binary.BigEndian.PutUint32(data[dataArgs+8*i+4:], uint32(a>>32))
	}
	got, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(got)
}

// TestFilter asks the filter about calls, also such as this kernel does not have.
func TestFilter(t *testing.T) {
	t.Parallel()
	const allow, kill, notify = uint32(unix.SECCOMP_RET_ALLOW), uint32(unix.SECCOMP_RET_KILL_PROCESS), uint32(unix.SECCOMP_RET_USER_NOTIF)
	absent := deny(unix.ENOSYS)
	const pointer = 0x7fff_0000_0000
	vm := machineOf(t, false)
	for _, tt := range []struct {
		name string
		made
		want uint32
	}{
		{"the last that is known", made{arch, newest, nil}, allow},
		{"one that is newer", made{arch, newest + 1, nil}, absent},
		{"one of the far future", made{arch, 100_000, nil}, absent},
		{"the largest number", made{arch, math.MaxUint32, nil}, absent},
		{"x32", made{arch, 0x40000000, nil}, absent},
		{"connect of x32", made{arch, 0x40000000 | unix.SYS_CONNECT, nil}, absent},
		{"execve of x32", made{arch, 0x40000000 | 520, nil}, absent},
		{"below the shared numbers", made{arch, 423, nil}, absent},
		{"32 bits", made{unix.AUDIT_ARCH_I386, 1, nil}, kill},
		{"32 bits of arm", made{unix.AUDIT_ARCH_ARM, 1, nil}, kill},
		{"read", made{arch, unix.SYS_READ, nil}, allow},
		{"rseq", made{arch, unix.SYS_RSEQ, nil}, allow},
		{"openat2", made{arch, unix.SYS_OPENAT2, nil}, allow},
		{"connect", made{arch, unix.SYS_CONNECT, nil}, notify},
		{"mount", made{arch, unix.SYS_MOUNT, nil}, deny(unix.EPERM)},
		{"a thread", made{arch, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD}}, allow},
		{"a user namespace", made{arch, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}}, deny(unix.EPERM)},
		{"memory", made{arch, unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_READ, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS}}, allow},
		{"huge pages", made{arch, unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_READ, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_HUGETLB}}, deny(unix.EPERM)},
		{"TCP", made{arch, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, 0}}, allow},
		{"MPTCP", made{arch, unix.SYS_SOCKET, []uint64{unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_MPTCP}}, allow},
		{"SCTP", made{arch, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP}}, deny(unix.EPROTONOSUPPORT)},
		{"UDP-Lite", made{arch, unix.SYS_SOCKET, []uint64{unix.AF_INET6, unix.SOCK_DGRAM, unix.IPPROTO_UDPLITE}}, deny(unix.EPROTONOSUPPORT)},
		{"packets by the back door", made{arch, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_PACKET, 0x300}}, deny(unix.ESOCKTNOSUPPORT)},
		{"DCCP", made{arch, unix.SYS_SOCKET, []uint64{unix.AF_INET, unix.SOCK_DCCP, 0}}, deny(unix.ESOCKTNOSUPPORT)},
		{"addresses by Netlink", made{arch, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW | unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE}}, allow},
		{"devices by Netlink", made{arch, unix.SYS_SOCKET, []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT}}, deny(unix.EPROTONOSUPPORT)},
		{"a Unix socket", made{arch, unix.SYS_SOCKET, []uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET, 0}}, allow},
		{"two", made{arch, unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_STREAM, 0}}, allow},
		{"two of TIPC", made{arch, unix.SYS_SOCKETPAIR, []uint64{unix.AF_TIPC, unix.SOCK_STREAM, 0}}, deny(unix.EAFNOSUPPORT)},
		{"the kernel's cryptography", made{arch, unix.SYS_SOCKET, []uint64{unix.AF_ALG, unix.SOCK_SEQPACKET, 0}}, deny(unix.EAFNOSUPPORT)},
		{"looking at the limit of cores", made{arch, unix.SYS_PRLIMIT64, []uint64{0, unix.RLIMIT_CORE, 0, pointer}}, allow},
		{"setting it", made{arch, unix.SYS_PRLIMIT64, []uint64{0, unix.RLIMIT_CORE, pointer, 0}}, deny(0)},
		{"setting another", made{arch, unix.SYS_PRLIMIT64, []uint64{0, unix.RLIMIT_NOFILE, pointer, 0}}, allow},
		{"setting it the old way", made{arch, unix.SYS_SETRLIMIT, []uint64{unix.RLIMIT_CORE, pointer}}, deny(0)},
		{"a filter of packets", made{arch, unix.SYS_SETSOCKOPT, []uint64{3, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, pointer, 16}}, deny(unix.EPERM)},
		{"a program for packets", made{arch, unix.SYS_SETSOCKOPT, []uint64{3, unix.SOL_SOCKET, unix.SO_ATTACH_BPF, pointer, 4}}, deny(unix.EPERM)},
		{"an option of IPv6 with its number", made{arch, unix.SYS_SETSOCKOPT, []uint64{3, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, pointer, 4}}, allow},
		{"another option", made{arch, unix.SYS_SETSOCKOPT, []uint64{3, unix.SOL_SOCKET, unix.SO_REUSEADDR, pointer, 4}}, allow},
		{"typing", made{arch, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}}, deny(unix.EPERM)},
		{"a device", made{arch, unix.SYS_MKNODAT, []uint64{0, 0, unix.S_IFBLK | 0o600, 0}}, deny(unix.EPERM)},
		{"a pipe", made{arch, unix.SYS_MKNODAT, []uint64{0, 0, unix.S_IFIFO | 0o600, 0}}, allow},
	} {
		if got := tt.answer(t, vm); got != tt.want {
			t.Errorf("%s: got %#x, want %#x", tt.name, got, tt.want)
		}
	}
}

// TestLists holds that no system call is in two lists, and that each is one that is known.
func TestLists(t *testing.T) {
	t.Parallel()
	seen := map[uint32]bool{}
	for _, nr := range slices.Concat(forbidden, oldForbidden, unknown, watched, oldWatched) {
		if seen[nr] || nr > newest {
			t.Errorf("%d is there twice, or newer than %d", nr, newest)
		}
		seen[nr] = true
	}
}

// TestPathCalls holds that system calls with paths are reported only where somebody asks for them, and that none of
// them thereby passes a wall.
func TestPathCalls(t *testing.T) {
	t.Parallel()
	const allow, notify = uint32(unix.SECCOMP_RET_ALLOW), uint32(unix.SECCOMP_RET_USER_NOTIF)
	plain, marked := machineOf(t, false), machineOf(t, true)
	for _, calls := range []map[uint32]pathCall{pathCalls, oldPathCalls} {
		for nr, c := range calls {
			call := made{arch, nr, nil}
			if got := call.answer(t, marked); got != notify {
				t.Errorf("%s: got %#x", c.name, got)
			}
			if got := call.answer(t, plain); got != allow && !isWatched(int32(nr)) {
				t.Errorf("%s without a mark: got %#x", c.name, got)
			}
		}
	}
	for nr := range uint32(newest + 100) { // no other answer changes
		call := made{arch, nr, []uint64{0, 0, unix.S_IFBLK, 0}}
		if before, after := call.answer(t, plain), call.answer(t, marked); before != after && !isPathCall(int32(nr)) {
			t.Errorf("call %d: got %#x, and %#x with paths", nr, before, after)
		}
	}
}
