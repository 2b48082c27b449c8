// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// CopyContent copies the content of a file into an empty one. Holes stay holes, because a server can
// make sparse files larger than its limit on writes.
func CopyContent(to, from *os.File) error {
	info, err := from.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	for at := int64(0); at < size; {
		data, err := from.Seek(at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) { // a hole up to the end
			break
		}
		end := size
		if err != nil { // a file system without support
			data = at
		} else if hole, err := from.Seek(data, unix.SEEK_HOLE); err == nil {
			end = hole
		}
		if err := copyPart(to, from, data, end); err != nil {
			return err
		}
		at = end
	}
	return to.Truncate(size)
}

func copyPart(to, from *os.File, start, end int64) error {
	if _, err := from.Seek(start, io.SeekStart); err != nil {
		return err
	}
	if _, err := to.Seek(start, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(to, io.LimitReader(from, end-start))
	return err
}
