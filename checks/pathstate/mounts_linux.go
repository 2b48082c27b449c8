// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/subpath"
)

// localTypes are the file systems whose questions this machine's memory and disks answer. Any other, as of a network
// or of a program, may never answer.
var localTypes = strings.Fields("bcachefs binfmt_misc bpf btrfs cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs erofs exfat ext2 ext3 ext4 " +
	"f2fs hugetlbfs iso9660 mqueue ntfs3 proc pstore ramfs rootfs securityfs squashfs sysfs tmpfs tracefs udf vfat xfs zfs")

// A mountTable knows where file systems are mounted that may never answer. It reads the kernel's table again when that
// has changed. The zero mountTable is ready for use.
type mountTable struct {
	mu      sync.Mutex
	opened  bool
	fd      int // -1: there is no table
	known   bool
	foreign []string // mount points
}

var mounted mountTable

// local implements system.
func (host) local(path string) bool { return mounted.local(path) }

func (t *mountTable) local(path string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.current() && !slices.ContainsFunc(t.foreign, func(dir string) bool { return subpath.In(path, dir) })
}

// current brings the table up to date, and reports whether it is known.
func (t *mountTable) current() bool {
	if !t.opened {
		t.opened, t.fd = true, -1
		if fd, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
			t.fd = fd
		}
	}
	if t.fd < 0 {
		return false
	}
	changed := []unix.PollFd{{Fd: int32(t.fd), Events: unix.POLLPRI}}
	if n, err := unix.Poll(changed, 0); err != nil || n > 0 || !t.known {
		text, err := readAll(t.fd)
		t.foreign, t.known = foreignMounts(text), err == nil
	}
	return t.known
}

// readAll reads a file from its begin.
func readAll(fd int) ([]byte, error) {
	text := make([]byte, 0, 16<<10)
	for {
		text = slices.Grow(text, 4<<10)
		n, err := unix.Pread(fd, text[len(text):cap(text)], int64(len(text)))
		if n <= 0 || err != nil {
			return text, err
		}
		text = text[:len(text)+n]
	}
}

// foreignMounts returns the mount points in a mountinfo (proc_pid_mountinfo(5)) that are not of a local type. Of a line
// that it does not understand, everything is foreign.
func foreignMounts(mountinfo []byte) []string {
	var foreign []string
	for line := range bytes.Lines(mountinfo) {
		// 36 35 98:0 /root /mount/point options … - type source options
		before, after, _ := strings.Cut(string(line), " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		switch {
		case len(fields) < 5 || len(kind) == 0:
			foreign = append(foreign, "/")
		case !slices.Contains(localTypes, kind[0]):
			foreign = append(foreign, unescape(fields[4]))
		}
	}
	return foreign
}

// unescape returns a mount point whose blanks and backslashes are octal numbers in the table.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) {
			if c, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
