// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/toolvet/toolvet/internal/limit"
)

// counts keep the counts of limits in a file. The resident judge and the judges of single requests take turns.
type counts struct {
	file string
	lock *flock.Flock
}

// newCounts returns the counts in a file; nil for "".
func newCounts(file string) limit.Keeper {
	if file == "" {
		return nil
	}
	return &counts{file, flock.New(file + ".lock")}
}

// turnTime is how often a judge looks whether it has its turn.
const turnTime = 5 * time.Millisecond

// Lock implements [limit.Keeper].
func (c *counts) Lock(ctx context.Context) ([]byte, func(), error) {
	if _, err := c.lock.TryLockContext(ctx, turnTime); err != nil {
		return nil, nil, err
	}
	unlock := func() { _ = c.lock.Unlock() } // the end of the process does it, too
	raw, err := os.ReadFile(c.file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		unlock()
		return nil, nil, err
	}
	return raw, unlock, nil
}

// Keep implements [limit.Keeper]. A judge that is killed in the middle leaves the counts as they were.
func (c *counts) Keep(raw []byte) error {
	next := c.file + ".next"
	if err := os.WriteFile(next, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(next, c.file)
}
