// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"math"

	"golang.org/x/sys/unix"
)

const noFollow = unix.AT_SYMLINK_NOFOLLOW

// magicLinks is false: darwin has no /proc.
func magicLinks(string) bool { return false }

func available(st *unix.Statfs_t) int64 {
	unit := uint64(max(st.Bsize, 1))
	if st.Bavail > math.MaxInt64/unit {
		return math.MaxInt64
	}
	return int64(st.Bavail * unit)
}
