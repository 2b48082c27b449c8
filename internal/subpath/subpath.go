// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package subpath tells whether a path lies in a directory.
package subpath

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// In reports whether an absolute path of this system is a directory or below it, by their texts alone: whoever wants to know where links lead resolves
// both first. Capitals do not matter on Windows. Nothing lies in "".
func In(path, dir string) bool {
	if path == "" || dir == "" {
		return false
	}
	path, dir = filepath.Clean(path), filepath.Clean(dir)
	if runtime.GOOS == "windows" {
		path, dir = strings.ToLower(path), strings.ToLower(dir)
	}
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}
