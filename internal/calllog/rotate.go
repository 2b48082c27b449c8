// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ready prepares the file for a batch, and rotates it if it is time. After a failure, the next batch tries again.
func (w *writer) ready() error {
	if w.broken != nil {
		return w.broken
	}
	if w.due() {
		if err := w.rotate(); err != nil {
			return fmt.Errorf("calllog: rotating the log: %w", err)
		}
		w.deleteOld()
	}
	if w.file == nil {
		return w.reopen()
	}
	return nil
}

// due reports whether the file is too large or too old.
func (w *writer) due() bool {
	if w.size == 0 {
		return false
	}
	return w.options.MaxBytes > 0 && w.size >= w.options.MaxBytes ||
		w.options.MaxAge > 0 && !w.since.IsZero() && time.Since(w.since) >= w.options.MaxAge
}

// rotate closes and renames the file, because Windows cannot rename an open file. A crash before the next file exists
// does no harm: Open continues after the last rotated file.
func (w *writer) rotate() error {
	rotated := rotatedName(w.name, w.last.seq)
	if _, err := os.Lstat(rotated); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s exists", rotated), err)
	}
	if w.file != nil {
		w.fail(w.stillOurs())
		if err := w.settle(); err != nil {
			return err
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	if err := os.Rename(w.name, rotated); err != nil {
		return err
	}
	w.size, w.since = 0, time.Time{}
	return nil
}

// reopen opens the file after a rotation, or after one that failed halfway.
func (w *writer) reopen() error {
	f, err := w.open(w.name)
	if err != nil {
		return fmt.Errorf("calllog: opening the log: %w", err)
	}
	w.file = f
	if err := syncDir(w.name); err != nil {
		w.options.Logger.Warn("the directory of the log is not synced", "err", err)
	}
	w.fail(w.stillOurs())
	return w.broken
}

// deleteOld deletes rotated files in excess of Keep. After a failure, the next rotation tries again.
func (w *writer) deleteOld() {
	if w.options.Keep == 0 {
		return
	}
	list, err := rotatedFiles(w.name)
	if err != nil {
		w.options.Logger.Warn("old files of the log are not deleted", "err", err)
		return
	}
	for _, name := range list[:max(0, len(list)-w.options.Keep)] {
		if err := os.Remove(name); err != nil {
			w.options.Logger.Warn("an old file of the log is not deleted", "err", err)
		}
	}
}

// stillOurs returns an error if somebody moved, deleted or changed the file. New lines would be lost, or come after a
// gap.
func (w *writer) stillOurs() error {
	named, err := os.Lstat(w.name)
	if err != nil {
		return fmt.Errorf("calllog: the log is gone: %w: toolvet rotates it itself; start again", err)
	}
	open, err := w.file.Stat()
	if err == nil && !os.SameFile(named, open) {
		return fmt.Errorf("calllog: %s was moved, and another file stands in its place: toolvet rotates it itself; start again", w.name)
	}
	return w.unchanged()
}

// unchanged returns an error if somebody else wrote to the file, or cut it off.
func (w *writer) unchanged() error {
	info, err := w.file.Stat()
	if err != nil {
		return fmt.Errorf("calllog: looking at the log: %w", err)
	}
	if info.Size() != w.size {
		return fmt.Errorf("calllog: %s has %d bytes, not the %d that were written: somebody else wrote to it; look with 'toolvet log verify', then start again", w.name, info.Size(), w.size)
	}
	return nil
}
