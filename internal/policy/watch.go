// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet/internal/notice"
)

// How a [Watcher] keeps its promises: a file is seen within lookEvery of its last change, and counts
// when it has rested.
const (
	// Rest is the time for which the content of a policy's file must not change before it counts: a
	// program that writes the file in several steps pauses for a shorter time.
	Rest = 500 * time.Millisecond
	// InForceWithin bounds the time from the last change of a policy's file until the policy is in force,
	// apart from the time to load it.
	InForceWithin = Rest + 2*lookEvery

	lookEvery  = 100 * time.Millisecond
	retryEvery = time.Second // between two tries to load a policy that failed
)

// A Watcher loads the policy in a file again whenever the file changes. It looks at the file's path ten
// times a second, from the root on. So it follows each way to replace a file: writing, renaming, a
// link at any place of the path, a directory that is removed and made again. Other files in the
// directory do not delay it.
//
// A new text counts when it has not changed for [Rest]. While the text in force ends with the line "...",
// which ends a YAML document, a text without that line is unfinished and does not count. A text that is
// refused leaves in force what was, and is tried again every second, because something else may have
// been missing, such as the lock of tools.
//
// Set File and Load before the first use.
type Watcher struct {
	File string // the policy's
	// Load puts a text in force. It returns the other files that the policy is made of, such as the lock of
	// tools; a change of one of them counts as a change of the policy. If it returns an error, what was in
	// force must stay; beside may be valid even then. Calls of Load do not overlap.
	Load func(text []byte) (beside []string, err error)
	// Log is told which policy is in force, and why one is not. Nil discards.
	Log *slog.Logger

	loading sync.Mutex // held while a text is put in force
	now     watched    // guarded by loading
	text    []byte     // in force; nil: none yet. Guarded by loading

	mu      sync.Mutex
	inForce InForce
}

// InForce tells which policy is in force.
type InForce struct {
	Digest  string    // SHA-256 of the policy's text, in hexadecimal digits; "" before the first
	Since   time.Time // when this text came into force
	Looked  time.Time // when the file was last looked at
	Problem string    // why the present content of the file is not in force; "" if it is
}

// InForce returns which policy is in force. It is safe for concurrent use. The InForce of a nil Watcher
// is zero.
func (w *Watcher) InForce() InForce {
	if w == nil {
		return InForce{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inForce
}

// Holds notes that a text is in force already, with the files that belong to it. Call it before [Watcher.Run];
// without it, Run loads the first text that it finds.
func (w *Watcher) Holds(text []byte, beside ...string) {
	w.loading.Lock()
	defer w.loading.Unlock()
	w.holds(text, beside)
}

// Reload loads the present content of the file at once, without the time to rest. The last to read the file is the
// last to load it: an older text never replaces a newer one.
func (w *Watcher) Reload() error {
	w.loading.Lock()
	defer w.loading.Unlock()
	text, err := readRegular(w.File, readAll)
	if err != nil {
		err = fmt.Errorf("reading the policy: %w", err)
		w.problem(err)
		return err
	}
	beside, err := w.Load(text)
	if err != nil {
		w.now.follow(beside, false)
		w.problem(err)
		return err
	}
	w.holds(text, beside)
	return nil
}

// holds notes that a text was put in force by another way than [Watcher.Run].
func (w *Watcher) holds(text []byte, beside []string) {
	w.now = watched{}
	if !w.now.follow(beside, true) {
		w.now.loaded = digestOf([]*sighting{{sum: sha256.Sum256(text)}})
	}
	w.took(text, time.Now())
}

// Run follows the file until ctx is done.
func (w *Watcher) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.step(time.Now())
		}
	}
}

// A watched is what a Watcher knows of its files.
type watched struct {
	beside []string
	files  map[string]*sighting
	digest [sha256.Size]byte // of what the files hold
	since  time.Time         // when this digest was first seen
	loaded [sha256.Size]byte // the digest that was last put in force
	marked bool              // the text in force has an end marker
	tried  time.Time         // when a text was last refused; zero: no text was since the last change
}

// step looks at the files, and loads the policy if that is due.
func (w *Watcher) step(now time.Time) {
	w.loading.Lock()
	defer w.loading.Unlock()
	n := &w.now
	if digest := n.look(w.File, now); digest != n.digest || n.since.IsZero() {
		n.digest, n.since, n.tried = digest, now, time.Time{}
	}
	w.mu.Lock()
	w.inForce.Looked = now
	w.mu.Unlock()
	switch {
	case now.Sub(n.since) < Rest:
	case n.digest == n.loaded:
		w.problem(nil)
	case n.tried.IsZero() || now.Sub(n.tried) >= retryEvery:
		w.load(now)
	}
}

// load puts the text that was seen in force.
func (w *Watcher) load(now time.Time) {
	n := &w.now
	seen := n.files[w.File]
	err := seen.err
	switch {
	case err != nil:
		err = fmt.Errorf("reading the policy: %w", err)
	case n.marked && !hasEnd(seen.text):
		err = errUnfinished
	default:
		var beside []string
		if beside, err = w.Load(seen.text); err == nil {
			// Load has read files that were not seen before at another time: they count as unread.
			if !n.follow(beside, true) {
				n.loaded = n.digest
			}
			w.took(seen.text, now)
			return
		}
		n.follow(beside, false)
	}
	n.tried = now
	w.problem(err)
}

var errUnfinished = errors.New(`the text does not end with the line "...", as the text in force does: it is unfinished`)

// took notes that a text is in force.
func (w *Watcher) took(text []byte, now time.Time) {
	w.now.marked = hasEnd(text)
	sum := sha256.Sum256(text)
	digest := hex.EncodeToString(sum[:])
	w.mu.Lock()
	other := digest != w.inForce.Digest
	if other {
		w.inForce.Digest, w.inForce.Since = digest, now
	}
	w.mu.Unlock()
	before := w.text
	w.text = bytes.Clone(text)
	switch {
	case other && before == nil:
		w.log().Info("the policy holds", "file", w.File, "digest", digest)
	case other:
		w.log().Log(context.Background(), notice.Level, "the policy has changed, and holds", "file", w.File, "changed", strings.Join(sectionsChanged(before, text), ", "), "digest", digest)
	default:
		w.log().Info("the policy was loaded again, for a file that belongs to it", "file", w.File, "digest", digest)
	}
	w.problem(nil)
}

// sectionsChanged names the top-level keys of a policy below which two texts differ, as far as their lines show them. Comments count, too.
func sectionsChanged(before, after []byte) (names []string) {
	old, now := sections(before), sections(after)
	for name, text := range now {
		if old[name] != text {
			names = append(names, name)
		}
		delete(old, name)
	}
	for name := range old {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// sections cuts the text of a policy at the lines of its top-level keys. Lines before the first key do not count. A line of a quoted text may look
// like a key and hold a secret, so the parser tells the keys.
func sections(text []byte) map[string]string {
	d, root, errs := open("", "policy", text)
	if errs != nil || root == nil {
		return nil
	}
	found, lines := map[string]string{}, bytes.SplitAfter(text, []byte("\n"))
	keys, _ := d.entries(root, "")
	for i, key := range keys {
		from, to := min(key.at.line, len(lines))-1, len(lines)
		if i+1 < len(keys) {
			to = min(max(keys[i+1].at.line-1, from+1), to) // keys may share a line
		}
		found[key.key] = string(bytes.Join(lines[from:to], nil))
	}
	return found
}

// problem notes why the present content is not in force, and logs a reason once.
func (w *Watcher) problem(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	w.mu.Lock()
	before := w.inForce.Problem
	w.inForce.Problem = text
	w.mu.Unlock()
	switch {
	case text == before:
	case text == "":
		w.log().Warn("the policy's file is in force again, after an error", "file", w.File)
	default:
		w.log().Error("the policy was not loaded: the one before it stays in force", "file", w.File, "err", err)
	}
}

func (w *Watcher) log() *slog.Logger {
	return cmp.Or(w.Log, slog.New(slog.DiscardHandler))
}

// follow sets the files beside the policy, and reports whether they are others than before. Unless the
// list is complete, it only adds to them.
func (n *watched) follow(beside []string, complete bool) bool {
	next := slices.Clone(beside)
	if !complete {
		next = append(next, n.beside...)
	}
	slices.Sort(next)
	next = slices.DeleteFunc(slices.Compact(next), func(name string) bool { return name == "" })
	if slices.Equal(next, n.beside) {
		return false
	}
	n.beside = next
	return true
}

// hasEnd reports whether a text ends with the marker of YAML for the end of a document.
func hasEnd(text []byte) bool {
	text = bytes.TrimRight(text, " \t\r\n")
	return bytes.Equal(text, []byte("...")) || bytes.HasSuffix(text, []byte("\n..."))
}
