// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// ErrBusy is the error of [Installer.Exclusive] while another process changes configurations.
var ErrBusy = errors.New("another toolvet is changing the configurations of this machine")

// Exclusive keeps other processes from changing configurations until done is called or the process ends. Two at once would each
// write what it planned before the other wrote, and remember the other's changes as the user's own.
func (in *Installer) Exclusive() (done func(), err error) {
	file := filepath.Join(filepath.Dir(in.State), "configurations.lock")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("keeping others from changing configurations: %w", err)
	}
	lock := flock.New(file, flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("keeping others from changing configurations: %w", err)
	}
	if !locked {
		_ = lock.Close()
		return nil, ErrBusy
	}
	return func() { _ = lock.Close() }, nil
}
