// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// staging begins the names of copies before they move to their places.
const staging = ".toolvet-"

// stage makes the copies, so that a full disk or a closed directory shows before anything changes.
func (s *Session) stage(ctx context.Context, steps []*step) error {
	for _, step := range steps {
		if step.Do != actPlace {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step.stage(); err != nil {
			return fmt.Errorf("%s: %w", step.of.Path, bare(err))
		}
		s.reach("copied")
	}
	return nil
}

// unstage removes the copies that did not move to their places.
func unstage(steps []*step) {
	for _, s := range steps {
		if s.staged {
			_ = s.change.layer.lower.Remove(string(s.Copy))
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

// lockTimeout bounds the wait for other commits.
const lockTimeout = 10 * time.Second

// directories returns the layers' directories on the machine, by path.
func directories(changes []*change) map[string]*os.Root {
	found := map[string]*os.Root{}
	for _, c := range changes {
		found[c.layer.Path] = c.layer.lower
	}
	return found
}

// lock excludes other commits from directories. All commits lock in the same order. Unlock is never nil.
func lock(ctx context.Context, dirs map[string]*os.Root) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	var paths []string
	for path := range dirs {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, strings.Compare)
	var locks []func()
	unlock = func() {
		for _, f := range locks {
			f()
		}
	}
	for _, path := range paths {
		free, err := lockDirectory(ctx, dirs[path])
		if err != nil {
			return unlock, fmt.Errorf("%s: another commit is under way: %w", path, err)
		}
		locks = append(locks, free)
	}
	return unlock, nil
}
