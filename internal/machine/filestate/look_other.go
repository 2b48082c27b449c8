// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package filestate

import (
	"errors"
	"io/fs"
	"os"
)

// look uses only metadata of every system: it detects a replaced file by its size and time.
func look(path string, follow bool) (f facts, link bool, err error) {
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	info, err := stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return facts{}, false, nil
	case err != nil:
		return facts{}, false, err
	}
	f = facts{there: true, mode: uint32(info.Mode())}
	if !info.IsDir() {
		f.size, f.modified = info.Size(), info.ModTime().UnixNano()
	}
	return f, info.Mode()&fs.ModeSymlink != 0, nil
}
