// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a file must rest before it is read: editors write in several steps.
const settle = 50 * time.Millisecond

// Watch calls load at once, and then each time the content of the file changes, until ctx is
// done. Calls of load do not overlap. If load returns an error, Watch logs it and goes on; load
// should then leave in force what was. A nil log discards.
//
// The file may be replaced, as editors do, be a link that is swapped, or be gone for a while:
// Watch watches its directory and, if it is a link, the directory of the target. The error is nil
// when ctx is done; otherwise it says why the file cannot be watched.
func Watch(ctx context.Context, filename string, load func() error, log *slog.Logger) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching the policy: %w", err)
	}
	defer watcher.Close()
	if err := watcher.Add(filepath.Dir(filename)); err != nil {
		return fmt.Errorf("watching the policy's directory: %w", err)
	}
	w := &watch{filename: filename, load: load, log: log, watcher: watcher}
	w.reload()
	return w.run(ctx)
}

type watch struct {
	filename string
	load     func() error
	log      *slog.Logger
	watcher  *fsnotify.Watcher
	target   string   // the directory of the file that filename links to
	seen     [32]byte // the content when it was last loaded
}

func (w *watch) run(ctx context.Context) error {
	rest := time.NewTimer(settle)
	defer rest.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-w.watcher.Events:
			if !ok {
				return errors.New("watching the policy: the system stopped telling of changes")
			}
			rest.Reset(settle)
		case err, ok := <-w.watcher.Errors:
			if !ok {
				return errors.New("watching the policy: the system stopped telling of changes")
			}
			w.log.Warn("watching the policy: changes may have been missed", "file", w.filename, "err", err)
			rest.Reset(settle) // the file itself shows any missed change
		case <-rest.C:
			if w.changed() {
				w.reload()
			}
		}
	}
}

// changed reports whether the file can be read and holds something new. A file that is
// gone is about to be replaced, or its policy stays in force.
func (w *watch) changed() bool {
	w.follow()
	sum, ok := w.sum()
	return ok && sum != w.seen
}

func (w *watch) reload() {
	w.follow()
	w.seen, _ = w.sum() // before it is loaded: what changes meanwhile is loaded again
	if err := w.load(); err != nil {
		w.log.Error("the policy was not loaded: the one before it stays in force", "file", w.filename, "err", err)
	}
}

func (w *watch) sum() (sum [32]byte, ok bool) {
	f, err := os.Open(w.filename)
	if err != nil {
		return sum, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	return sha256.Sum256(data), err == nil
}

// follow also watches the real directory of the file, if that is another one.
func (w *watch) follow() {
	real, err := filepath.EvalSymlinks(w.filename)
	if err != nil {
		return
	}
	dir := filepath.Dir(real)
	if dir == w.target || dir == filepath.Dir(w.filename) {
		return
	}
	if err := w.watcher.Add(dir); err != nil {
		w.log.Warn("watching the policy: changes of the file that it links to are not seen", "file", w.filename, "err", err)
		return
	}
	if w.target != "" {
		_ = w.watcher.Remove(w.target) // it may be gone
	}
	w.target = dir
}
