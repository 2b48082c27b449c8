// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package pathstate

import (
	"errors"
	"io/fs"
	"os"
)

// onlyDirectories is nothing here: opening waits for no other file.
const onlyDirectories = 0

// host is this machine, with what the standard library tells of it without opening
// files: nothing of permissions and of free space.
type host struct{}

func (host) describe(path string) (entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}, bare(err)
	}
	e := entry{kind: kindOf(info.Mode()), size: info.Size()}
	if e.kind == link || e.kind == unknown {
		target, err := os.Readlink(path) // a junction of Windows is of an unknown kind
		switch {
		case err == nil:
			e.kind, e.target = link, target
		case e.kind == link:
			return entry{}, bare(err)
		}
	}
	return e, nil
}

func kindOf(mode fs.FileMode) kind {
	switch mode.Type() {
	case 0:
		return regular
	case fs.ModeDir:
		return directory
	case fs.ModeSymlink:
		return link
	case fs.ModeNamedPipe:
		return fifo
	case fs.ModeSocket:
		return socket
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		return device
	}
	return unknown
}

func (host) may(access, string) error { return errors.ErrUnsupported }

func (host) free(string) (int64, error) { return 0, errors.ErrUnsupported }
