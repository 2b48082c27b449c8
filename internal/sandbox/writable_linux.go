// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// maxScanned bounds the directories that are looked at for places where we may write.
const maxScanned = 20_000

// writable are the directories that need a layer of their own, shortest first. The
// superuser needs none but those that the configuration names, which are below others.
func writable(c Config) []string {
	if os.Geteuid() == 0 {
		return nil
	}
	dirs := scan("/")
	for _, dir := range append(slices.Clone(c.Writable), c.Dir, os.TempDir(), "/var/tmp") {
		if real, err := filepath.EvalSymlinks(dir); err == nil && mayWrite(real) {
			dirs = append(dirs, real)
		}
	}
	slices.Sort(dirs)
	var out []string
	for _, dir := range slices.Compact(dirs) {
		below := func(other string) bool { return other != dir && strings.HasPrefix(dir, other+"/") }
		if !slices.ContainsFunc(ours, func(o string) bool { return dir == o || below(o) }) && !slices.ContainsFunc(out, below) {
			out = append(out, dir)
		}
	}
	return out
}

// scan finds the topmost directories below dir where we may write.
func scan(dir string) []string {
	var found []string
	queue := []string{dir}
	for n := 0; len(queue) > 0 && n < maxScanned; n++ {
		dir := queue[0]
		queue = queue[1:]
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case !e.IsDir() || slices.Contains(ours, path):
			case mayWrite(path):
				found = append(found, path)
			default:
				queue = append(queue, path)
			}
		}
	}
	return found
}

func mayWrite(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }
