// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package disk

import (
	"math"

	"golang.org/x/sys/unix"
)

// free is how many bytes a file system has left for users that are not root.
func free(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	blocks, size := uint64(s.Bavail), uint64(s.Bsize)
	if size > 0 && blocks > math.MaxInt64/size {
		return math.MaxInt64, nil
	}
	return int64(blocks * size), nil
}
