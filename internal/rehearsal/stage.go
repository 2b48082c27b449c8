// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// staging begins the names of copies before they move to their places.
const staging = ".toolvet-"

// leftover matches these names.
var leftover = lazyregexp.New(`^\.toolvet-[A-Z2-7]{12}$`)

// stage makes the copies, so that a full disk or a closed directory shows before anything changes. Release, never
// nil, unlocks the directories of the copies.
func (s *Session) stage(ctx context.Context, changes []*change) (release func(), err error) {
	claims := map[string]func(){}
	release = func() {
		for _, unlock := range claims {
			unlock()
		}
	}
	for _, c := range changes {
		if c.Kind == Deleted || c.Kind == Attributes && c.After.Type != "link" || c.After.Type == "directory" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return release, err
		}
		dir := c.stagingDir()
		if at := c.layer.path(dir); claims[at] == nil {
			unlock, err := claim(ctx, c.layer, dir)
			if err != nil {
				return release, fmt.Errorf("%s: another commit is under way: %w", at, err)
			}
			claims[at] = unlock
		}
		if err := c.stage(dir); err != nil {
			return release, fmt.Errorf("%s: %w", c.Path, bare(err))
		}
		s.reach("copied")
	}
	return release, nil
}

// claim protects our copies in a directory from other commits, which would remove them as leftovers, and removes the
// leftovers of others. The directory of a layer is already ours.
func claim(ctx context.Context, l *layer, dir string) (unlock func(), err error) {
	clean := func() { sweep(l.lower, dir) }
	if dir == "." {
		clean()
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	return shareDirectory(ctx, l.lower, dir, clean)
}

// sweep removes the copies that a killed commit left in a directory. It ignores errors.
func sweep(root *os.Root, dir string) {
	d, err := root.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if !leftover.MatchString(name) {
			continue
		}
		if info, err := root.Lstat(path.Join(dir, name)); err == nil && !info.IsDir() {
			_ = root.Remove(path.Join(dir, name))
		}
	}
}

// unstage removes the copies that did not move to their places.
func unstage(changes []*change) {
	for _, c := range changes {
		if c.staged != "" {
			_ = c.layer.lower.Remove(c.staged)
		}
	}
}

// stagingDir returns the nearest directory that exists.
func (c *change) stagingDir() string {
	dir := path.Dir(c.name)
	for ; dir != "."; dir = path.Dir(dir) {
		if info, err := c.layer.lower.Lstat(dir); err == nil && info.IsDir() {
			break
		}
	}
	return dir
}

// stage copies a file, a link or a pipe into a directory.
func (c *change) stage(dir string) error {
	c.staged = path.Join(dir, staging+rand.Text()[:12])
	if err := c.make(c.layer.lower, c.staged); err != nil {
		return err
	}
	return c.dress(c.staged)
}

// lockTimeout bounds the wait for other commits.
const lockTimeout = 10 * time.Second

// lock excludes other commits from the layers of the changes. All commits lock in the same order. Unlock is never
// nil.
func lock(ctx context.Context, changes []*change) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	var layers []*layer
	for _, c := range changes {
		if !slices.Contains(layers, c.layer) {
			layers = append(layers, c.layer)
		}
	}
	slices.SortFunc(layers, func(a, b *layer) int { return strings.Compare(a.Path, b.Path) })
	var locks []func()
	unlock = func() {
		for _, f := range locks {
			f()
		}
	}
	for _, l := range layers {
		free, err := lockDirectory(ctx, l.lower)
		if err != nil {
			return unlock, fmt.Errorf("%s: another commit is under way: %w", l.Path, err)
		}
		locks = append(locks, free)
	}
	return unlock, nil
}
