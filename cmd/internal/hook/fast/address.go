// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"errors"
	"os"
)

// DirVariable is the environment's variable that moves Dir, which must be absolute.
const DirVariable = "TOOLVET_HOOK_DIR"

// maxAddress is the longest name of a Unix socket on every system.
const maxAddress = 100

// Address returns the name of the socket of the judge that a program starts. A program that was built anew has another judge. The socket's
// directory is made if it is missing, and must be the user's own and closed to others.
func Address(program string) (string, error) {
	info, err := os.Stat(program)
	if err != nil {
		return "", err
	}
	dir, err := Dir()
	if err != nil {
		return "", err
	}
	sum := hash(offset, []byte(program))
	sum = hash(sum, appendSize(nil, int(info.Size())))
	sum = hash(sum, appendSize(nil, int(info.ModTime().UnixNano())))
	name := make([]byte, 0, 16)
	for shift := 60; shift >= 0; shift -= 4 {
		name = append(name, "0123456789abcdef"[sum>>shift&15])
	}
	address := dir + string(os.PathSeparator) + string(name) + ".sock"
	if len(address) > maxAddress {
		return "", errors.New("the name of the socket is too long: set " + DirVariable + " to a directory with a shorter name")
	}
	return address, nil
}

// hash continues FNV-1a.
func hash(sum uint64, text []byte) uint64 {
	for _, c := range text {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	return sum
}

const offset = 14695981039346656037

// Mark stands for the name of a variable, or for NAME=VALUE.
func Mark(text string) uint64 { return hash(offset, []byte(text)) }

// Marks has the marks of the variables of an environment and of their names, in 8 bytes each. A judge compares them with those of its own
// variables, which a policy refers to: no value leaves the hook for that.
func Marks(environ []string) string {
	var b []byte
	for _, v := range environ {
		b = appendSize(appendSize(b, int(Mark(v[:equals(v)]))), int(Mark(v)))
	}
	return string(b)
}

func equals(v string) int {
	for i := range len(v) {
		if v[i] == '=' {
			return i
		}
	}
	return 0
}

// Dir returns the directory of sockets and of what the judge keeps.
func Dir() (string, error) {
	dir := os.Getenv(DirVariable)
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = cache + string(os.PathSeparator) + "toolvet" + string(os.PathSeparator) + "hook"
	} else if !os.IsPathSeparator(dir[0]) && !(len(dir) > 2 && dir[1] == ':') {
		return "", errors.New(DirVariable + " must name an absolute directory")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return dir, private(dir)
}
