// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package filestate

import (
	"errors"

	"golang.org/x/sys/unix"
)

func look(path string, follow bool) (f facts, link bool, err error) {
	stat := unix.Lstat
	if follow {
		stat = unix.Stat
	}
	var st unix.Stat_t
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = stat(path, &st)
	}
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return facts{}, false, nil
	case err != nil:
		return facts{}, false, err
	}
	f = facts{there: true, device: uint64(st.Dev), inode: st.Ino, mode: uint32(st.Mode), user: st.Uid, group: st.Gid}
	kind := f.mode & unix.S_IFMT
	if kind != unix.S_IFDIR {
		f.size, f.modified, f.changed = st.Size, unix.TimespecToNsec(st.Mtim), unix.TimespecToNsec(st.Ctim)
	}
	return f, kind == unix.S_IFLNK, nil
}
