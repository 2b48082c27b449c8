// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// A mount is a line of /proc/self/mountinfo (proc_pid_mountinfo(5)).
type mount struct {
	path   string
	fstype string
}

func readMounts() ([]mount, error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseMounts(f)
}

func parseMounts(r io.Reader) ([]mount, error) {
	var mounts []mount
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // overlays of containers have long lines
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		for i := 6; i+1 < len(fields); i++ { // optional fields end with a hyphen
			if fields[i] == "-" {
				mounts = append(mounts, mount{path: unescape(fields[4]), fstype: fields[i+1]})
				break
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the list of mounts: %w", err)
	}
	return mounts, nil
}

// unescape undoes the octal escapes of white space and backslashes.
func unescape(s string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// mountOf returns the index of the mount of a path, or -1.
func mountOf(mounts []mount, path string) int {
	found := -1
	for i, m := range mounts {
		in := m.path == "/" || m.path == path || strings.HasPrefix(path, m.path+"/")
		if in && (found < 0 || len(m.path) >= len(mounts[found].path)) { // the last is on top
			found = i
		}
	}
	return found
}
