// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"context"
	"crypto/rand"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// staging starts the names of copies that wait to take their places.
const staging = ".toolvet-"

// stage copies what is to be put in its place, so that a disk that is full or a directory that is closed to us
// is found before anything changes.
func stage(ctx context.Context, changes []*change) error {
	for _, c := range changes {
		if c.Kind == Deleted || c.Kind == Attributes && c.After.Type != "link" || c.After.Type == "directory" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.stage(); err != nil {
			return fmt.Errorf("%s: %w", c.Path, bare(err))
		}
	}
	return nil
}

// unstage removes the copies that did not take their places.
func unstage(changes []*change) {
	for _, c := range changes {
		if c.staged != "" {
			_ = c.layer.lower.Remove(c.staged)
		}
	}
}

// stage copies a file, a link or a pipe into the nearest directory that there is already.
func (c *change) stage() error {
	root, dir := c.layer.lower, path.Dir(c.name)
	for ; dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && info.IsDir() {
			break
		}
	}
	c.staged = path.Join(dir, staging+rand.Text()[:12])
	if err := c.make(root, c.staged); err != nil {
		return err
	}
	return c.dress(c.staged)
}

// lockTimeout bounds how long a commit waits for others.
const lockTimeout = 10 * time.Second

// lock keeps other commits out of the layers that changes are in, all in the same order. Unlock is never nil.
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
