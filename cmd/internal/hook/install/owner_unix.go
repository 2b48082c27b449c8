// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package install

import (
	"fmt"
	"os"
	"syscall"
)

// keepOwner gives a new file the owner and the group of the file that it replaces.
func keepOwner(f *os.File, old os.FileInfo) error {
	was, ok := old.Sys().(*syscall.Stat_t)
	info, err := f.Stat()
	if err != nil || !ok {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok || is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
		return fmt.Errorf("the file is another user's or group's: %w", err)
	}
	return f.Chmod(old.Mode().Perm()) // a change of the owner may drop bits
}
