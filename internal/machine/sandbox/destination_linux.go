// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Sizes of the kernel's structures (sendmmsg(2)).
const (
	maxMessages = 1024 // of one call: UIO_MAXIOV
	messageSize = 64   // struct mmsghdr: struct msghdr, and the number of sent bytes
	headerSize  = 12   // the part of struct msghdr with the address and its length
)

// destinations returns the addresses that a system call connects or sends to.
func destinations(n *notification, memory *os.File) []string {
	switch n.nr {
	case unix.SYS_CONNECT:
		return []string{address(n.pid, memory, n.args[1], n.args[2], false)}
	case unix.SYS_SENDTO:
		return []string{address(n.pid, memory, n.args[4], n.args[5], true)}
	case unix.SYS_SENDMSG:
		return []string{addressee(n.pid, memory, n.args[1])}
	case unix.SYS_SENDMMSG:
		var list []string
		for i := range min(uint64(uint32(n.args[2])), maxMessages) {
			list = append(list, addressee(n.pid, memory, n.args[1]+i*messageSize))
		}
		return list
	}
	return nil
}

// addressee reads the address in a message's header, "" if it has none.
func addressee(pid uint32, memory *os.File, at uint64) string {
	header := make([]byte, headerSize)
	if _, err := memory.ReadAt(header, int64(at)); err != nil {
		return ""
	}
	return address(pid, memory, word(header), uint64(binary.NativeEndian.Uint32(header[8:])), true)
}

// address reads the address of a socket. Netlink and unknown families have none. If it is sent to, the
// kernel takes an address without a family for one of IPv4.
func address(pid uint32, memory *os.File, at, size uint64, sent bool) string {
	if at == 0 {
		return ""
	}
	raw := make([]byte, min(size, 128))
	if _, err := memory.ReadAt(raw, int64(at)); err != nil || len(raw) < 3 {
		return ""
	}
	switch family := binary.NativeEndian.Uint16(raw); {
	case (family == unix.AF_INET || sent && family == unix.AF_UNSPEC) && len(raw) >= 8:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(raw[4:8])), binary.BigEndian.Uint16(raw[2:])).String()
	case family == unix.AF_INET6 && len(raw) >= 24:
		return netip.AddrPortFrom(netip.AddrFrom16([16]byte(raw[8:24])), binary.BigEndian.Uint16(raw[2:])).String()
	case family == unix.AF_UNIX:
		name := raw[2:]
		if name[0] == 0 {
			return "unix:@" + string(bytes.TrimRight(name[1:], "\x00"))
		}
		name, _, _ = bytes.Cut(name, []byte{0})
		return socketAt(pid, string(name))
	}
	return ""
}

// socketAt returns the address of the socket behind a path, as the thread sees it: by whatever name, it
// has one place. It is "" if nothing is there.
func socketAt(pid uint32, path string) string {
	place, err := resolve(pid, path)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return ""
	case err != nil:
		return "unix:" + path
	}
	return "unix:" + place
}

// maxLinks bounds the symbolic links of a path, like the kernel.
const maxLinks = 40

// resolve follows a path like the kernel does for a thread. Init cannot simply open it: for init,
// /proc/self is another directory, and any link may lead through it.
func resolve(pid uint32, path string) (string, error) {
	w, err := walk(pid, openedBy(pid, atCwd), path, true)
	if err != nil {
		return "", err
	}
	return w.at, nil
}

// walk follows a path from a directory, as far as it leads. An error says why it leads no further. A link at its end
// is followed if follows.
func walk(pid uint32, from, path string, follows bool) (w walked, err error) {
	process, err := leader(pid)
	if err != nil {
		return w, unix.ESRCH
	}
	own := "/proc/" + strconv.Itoa(int(pid))
	at, err := begin(own, from, path)
	if err != nil {
		return w, err
	}
	defer func() { unix.Close(at) }()
	stopped := func(rest []string, err error) (walked, error) {
		w.at, w.rest = pathOf(at), rest
		return w, err
	}
	rest := strings.Split(path, "/")
	for len(rest) > 0 {
		name, left := rest[0], rest
		rest = rest[1:]
		if name == "" || name == "." {
			continue
		}
		var fs unix.Statfs_t
		if err := unix.Fstatfs(at, &fs); err != nil {
			return stopped(left, err)
		}
		kernels := fs.Type == unix.PROC_SUPER_MAGIC
		if kernels && (name == "self" || name == "thread-self") && pathOf(at) == "/proc" {
			if name == "thread-self" {
				rest = append([]string{"task", strconv.Itoa(int(pid))}, rest...)
			}
			name = strconv.Itoa(process)
		}
		next, err := unix.Openat(at, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return stopped(left, err)
		}
		var info unix.Stat_t
		if err := unix.Fstat(next, &info); err != nil {
			unix.Close(next)
			return stopped(left, err)
		}
		if info.Mode&unix.S_IFMT != unix.S_IFLNK || len(rest) == 0 && !follows {
			unix.Close(at)
			at = next
			continue
		}
		target := make([]byte, unix.PathMax)
		size, err := unix.Readlinkat(next, "", target)
		unix.Close(next)
		if w.links++; err != nil || w.links > maxLinks {
			return stopped(left, unix.ELOOP)
		}
		if kernels { // the link leads to an open file, and its text does not matter
			next, err = unix.Openat(at, name, unix.O_PATH|unix.O_CLOEXEC, 0)
		} else {
			to := string(target[:size])
			rest = append(strings.Split(to, "/"), rest...)
			if !filepath.IsAbs(to) {
				continue
			}
			next, err = begin(own, from, to)
		}
		if err != nil {
			return stopped(rest, err)
		}
		unix.Close(at)
		at = next
	}
	return stopped(nil, nil)
}

// begin opens the directory in which a path begins.
func begin(own, dir, path string) (int, error) {
	if filepath.IsAbs(path) {
		dir = own + "/root"
	}
	return unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

// pathOf returns the path of an open file.
func pathOf(fd int) string {
	path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return ""
	}
	return path
}
