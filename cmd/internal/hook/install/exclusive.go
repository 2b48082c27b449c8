// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/toolvet/toolvet/cmd/internal/hook"
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
	if now, err := os.Stat(file); err != nil || !sameFile(lock, now) {
		_ = lock.Close() // the one before has just removed it
		return nil, ErrBusy
	}
	return func() { in.leave(file, lock) }, nil
}

// sameFile reports whether a lock is one of the file that is there now.
func sameFile(lock *flock.Flock, now fs.FileInfo) bool {
	locked, err := lock.Stat()
	return err == nil && os.SameFile(locked, now)
}

// leave ends the lock, and leaves nothing behind where toolvet remembers nothing.
func (in *Installer) leave(file string, lock *flock.Flock) {
	dir := filepath.Dir(file)
	_ = os.Remove(in.State) // stays unless it is empty
	others, err := os.ReadDir(dir)
	others = slices.DeleteFunc(others, func(e fs.DirEntry) bool { return e.Name() != filepath.Base(in.State) && e.Name() != "setup" })
	if err == nil && len(others) == 0 {
		_ = os.Remove(file) // on Windows, only once it is closed
	}
	_ = lock.Close()
	_ = os.Remove(dir) // stays unless it is empty
}

// Used reports whether a host asks toolvet by a configuration of this machine, or by one that toolvet has changed elsewhere.
func (in *Installer) Used() bool {
	if notes, err := os.ReadDir(in.State); err != nil && !errors.Is(err, fs.ErrNotExist) || len(notes) > 0 {
		return true
	}
	return slices.ContainsFunc(hook.Hosts(), func(h *hook.Host) bool { return len(in.Status(h).Own) > 0 })
}
