// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"strings"
)

// A platform is a kind of paths.
type platform int

const (
	auto platform = iota // not known: the paths of either kind are taken
	posix
	windows
)

func platformOf(name string) (p platform, known bool) {
	switch name {
	case "", "auto":
		return auto, true
	case "posix":
		return posix, true
	case "windows":
		return windows, true
	}
	return auto, false
}

// absolute reports whether dir is an absolute directory of the platform.
func (p platform) absolute(dir string) bool {
	if p == windows {
		drive := len(dir) >= 3 && driveAt(dir) && separates(dir[2])
		share := len(dir) >= 3 && separates(dir[0]) && separates(dir[1]) && !separates(dir[2])
		return drive || share
	}
	return strings.HasPrefix(dir, "/")
}

// maxLength is how many bytes a path may have: Linux' PATH_MAX, and the limit of
// Windows' long paths.
func (p platform) maxLength() int {
	if p == windows {
		return 32767
	}
	return 4096
}

// separates is not inlined: its copies weigh more than they save.
//
//go:noinline
func separates(c byte) bool { return c == '/' || c == '\\' }

// driveAt reports whether a text begins with a drive letter and its colon.
func driveAt(text string) bool {
	return len(text) >= 2 && text[1] == ':' && letter(text[0])
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// lower is c in lower case if it is an ASCII letter. Windows compares other letters
// without case as well; here they must be equal, which refuses more.
func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
