// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package pathstate

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// onlyDirectories has a file that is no directory, such as a FIFO, refused when it is opened.
const onlyDirectories = unix.O_DIRECTORY | unix.O_NONBLOCK | unix.O_NOFOLLOW

// host is this machine. It opens nothing but directories, to read the names in them.
type host struct{}

func (host) describe(path string) (entry, error) {
	var st unix.Stat_t
	err := again(func() error { return unix.Fstatat(unix.AT_FDCWD, path, &st, noFollow) })
	if err != nil {
		return entry{}, err
	}
	e := entry{kind: kindOf(uint32(st.Mode)), size: st.Size}
	if e.kind == link {
		e.target, err = readlink(path)
		e.magic = magicLinks(filepath.Dir(path))
	}
	return e, err
}

func kindOf(mode uint32) kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return regular
	case unix.S_IFDIR:
		return directory
	case unix.S_IFLNK:
		return link
	case unix.S_IFIFO:
		return fifo
	case unix.S_IFSOCK:
		return socket
	case unix.S_IFCHR, unix.S_IFBLK:
		return device
	}
	return unknown
}

// readlink returns a link's target, which no system lets be longer than a path.
func readlink(path string) (string, error) {
	buf := make([]byte, unix.PathMax+1)
	n := 0
	err := again(func() (err error) {
		n, err = unix.Readlinkat(unix.AT_FDCWD, path, buf)
		return err
	})
	if err != nil {
		return "", err
	}
	if n == len(buf) {
		return "", unix.ENAMETOOLONG
	}
	return string(buf[:n]), nil
}

func (h host) may(a access, path string) error {
	mode := uint32(unix.R_OK)
	if a == write {
		mode = unix.W_OK
	}
	e, err := h.describe(path)
	if err != nil {
		return err
	}
	if e.kind == directory {
		mode |= unix.X_OK
	}
	err = again(func() error { return unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS) })
	if err == nil && os.Geteuid() == 0 {
		err = overridden(path, mode)
	}
	return err
}

// overridden returns errRoot if the permissions of a file refuse root what its rights over all files allow.
func overridden(path string, mode uint32) error {
	var st unix.Stat_t
	if err := again(func() error { return unix.Stat(path, &st) }); err != nil {
		return err
	}
	granted := uint32(st.Mode)
	groups, err := os.Getgroups()
	switch {
	case err != nil:
		return err
	case st.Uid == 0:
		granted >>= 6
	case int(st.Gid) == os.Getegid() || slices.Contains(groups, int(st.Gid)):
		granted >>= 3
	}
	if mode&^granted != 0 {
		return errRoot
	}
	return nil
}

func (host) free(path string) (int64, error) {
	var st unix.Statfs_t
	if err := again(func() error { return unix.Statfs(path, &st) }); err != nil {
		return 0, err
	}
	return available(&st), nil
}

// again repeats a system call that a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
