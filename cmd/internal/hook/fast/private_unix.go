// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package fast

import (
	"errors"
	"os"
	"syscall"
)

// private reports an error unless a directory is the user's own and closed to others.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(owner.Uid) != os.Getuid() || info.Mode().Perm()&0o077 != 0 {
		return errors.New("the directory " + dir + " must be yours, and closed to others (chmod 700)")
	}
	return nil
}
