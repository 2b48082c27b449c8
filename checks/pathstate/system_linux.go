// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"math"

	"golang.org/x/sys/unix"
)

const noFollow = unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT

// magicLinks reports whether links in a directory lead where their text does not
// say: in /proc they are doors to what a process has open, another for each process.
// If that cannot be found out, they may.
func magicLinks(dir string) bool {
	var st unix.Statfs_t
	err := again(func() error { return unix.Statfs(dir, &st) })
	return err != nil || st.Type == unix.PROC_SUPER_MAGIC
}

// available is what a file system has left for users other than root. One without
// room for another file has nothing left.
func available(st *unix.Statfs_t) int64 {
	if st.Files > 0 && st.Ffree == 0 {
		return 0
	}
	unit := uint64(max(st.Frsize, 0))
	if unit == 0 {
		unit = uint64(max(st.Bsize, 1))
	}
	if st.Bavail > math.MaxInt64/unit {
		return math.MaxInt64
	}
	return int64(st.Bavail * unit)
}
