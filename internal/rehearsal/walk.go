// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/machine/sandbox"
)

// Bounds of the work for a report: a server may make large sparse files and directories of any depth, and delete more
// than anybody has time to read.
const (
	maxChanges = 20_000
	maxDepth   = 256
	maxRead    = 2 << 30 // bytes
)

// A walker reads the layers of a sandbox and compares them with the machine.
type walker struct {
	own    bool      // we are the superuser: owners inside are the owners outside
	live   bool      // the server still runs
	born   time.Time // of the session
	ctx    context.Context
	budget int64 // bytes that may still be read
	// copies are the entries of whole layers, and the layers' own directories, at the start of the server, by path. Another
	// program may change those of the machine meanwhile, and some cannot be copied with their owners.
	copies map[string]*State
	// held are the directories in whole layers, and the places of other layers there, at the start of the server.
	held map[string]stamp
	// checked are the stamps of entries that were like the machine's before the first call, and of empty layers; see
	// [walker.checkOff].
	checked map[string]stamp
	began   int64 // see [fileClock]
	changes []change
	more    bool // there are more changes
	gaps    []Gap
	doubts  []Gap // calls may do more live here; see [Report.Uncertain]
}

// A change is a [Change] with the place of its content.
type change struct {
	Change
	layer *layer
	name  string  // in the layer's directories
	from  *change // the deleted entry of a rename
	// replaces means that an entry of another type was deleted at the path.
	replaces bool
}

// A layer is an open [sandbox.Layer].
type layer struct {
	sandbox.Layer
	upper, lower *os.Root
	left         func(Mode) Mode // restores the upper directory's mode
	stamp        stamp           // of the upper directory, from before its entries were read
}

// checkOff notes that an entry before the first call needs no second look while it has this stamp. The stamp must be older than the
// walk by the clock for the times of files, which goes in steps: in the same step, the entry may change again without another time.
func (w *walker) checkOff(path string, s stamp) {
	if w.live && s.changed < w.began {
		w.checked[path] = s
	}
}

// untouched reports whether a layer has been empty since before the first call: its directory changes with the first entry or
// attribute that the server gives it.
func (w *walker) untouched(l sandbox.Layer) bool {
	was, ok := w.checked[l.Path]
	if !ok || w.live {
		return false
	}
	info, err := os.Lstat(l.Dir)
	return err == nil && was == stampOf(info)
}

// openLayer opens a layer. It returns nil if nobody here can look below it, or if it is gone.
func (w *walker) openLayer(l sandbox.Layer) (*layer, error) {
	info, err := os.Lstat(l.Dir)
	if err != nil {
		return nil, fmt.Errorf("reading what was changed in %s: %w", l.Path, err)
	}
	left := w.unlock(info, func(mode fs.FileMode) { _ = os.Chmod(l.Dir, mode) }) // on failure the directory cannot be opened
	upper, err := os.OpenRoot(l.Dir)
	if err != nil {
		return nil, fmt.Errorf("reading what was changed in %s: %w", l.Path, err)
	}
	lower, err := openDirectory(l.Path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		defer upper.Close()
		return nil, w.blind(l, upper, left, "this user may not read it to compare")
	case errors.Is(err, fs.ErrNotExist):
		defer upper.Close()
		return nil, w.blind(l, upper, left, "it is gone from the machine since, or another is in its place")
	case err != nil:
		upper.Close()
		return nil, fmt.Errorf("comparing what was changed in %s: %w", l.Path, err)
	}
	return &layer{Layer: l, upper: upper, lower: lower, left: left}, nil
}

// openDirectory opens a directory of the machine. It is gone if a link or a file is in its place.
func openDirectory(path string) (*os.Root, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		root.Close()
		return nil, fs.ErrNotExist
	}
	return root, nil
}

// blind notes a change in a directory that nobody can read, and the reason.
func (w *walker) blind(l sandbox.Layer, upper *os.Root, left func(Mode) Mode, why string) error {
	entries, _, err := w.list(upper, ".")
	if err != nil {
		return err
	}
	now, err := look(upper, ".", nil)
	if err != nil || now == nil {
		return err
	}
	now.Mode = left(now.Mode)
	if was := w.copies[l.Path]; len(entries) > 0 || was != nil && !was.sameAttributes(now) {
		w.gap(l.Path, "something was changed in it, and "+why)
	}
	return nil
}

func (l *layer) close() {
	l.upper.Close()
	l.lower.Close()
}

func (l *layer) path(name string) string { return filepath.Join(l.Path, name) }

// layer reads a layer. Its own directory is compared with that at the start of the server: not every one can have the
// attributes of the directory below it.
func (w *walker) layer(l *layer) {
	before, _ := look(l.lower, ".", nil)
	after, err := look(l.upper, ".", nil)
	if err != nil || before == nil || after == nil {
		w.gap(l.Path, "it could not be read after the rehearsal")
		return
	}
	after.Mode, l.stamp = l.left(after.Mode), after.stamp
	if was := w.copies[l.Path]; was != nil {
		after.rebase(was, before)
	}
	changes := len(w.changes)
	if w.compare(l, ".", before, after); len(w.changes) > changes {
		l.stamp = stamp{} // so that the end looks again
	}
	w.directory(l, ".", true)
	for _, path := range l.Made {
		name, err := filepath.Rel(l.Path, path)
		if err != nil {
			continue
		}
		if _, err := l.upper.Lstat(name); err != nil {
			w.gone(l, name)
		}
	}
	if l.Whole {
		w.moved(l)
	}
}

// moved notes places of other layers that are not where they were: a directory can be moved with those in it, and another made
// where it was.
func (w *walker) moved(l *layer) {
	last := ""
	for _, path := range slices.Sorted(maps.Keys(w.held)) {
		if last != "" && strings.HasPrefix(path, last+"/") {
			continue
		}
		name, err := filepath.Rel(l.Path, path)
		if err != nil {
			continue
		}
		was := w.held[path]
		if info, err := l.upper.Lstat(name); err != nil || stampOf(info).inode != was.inode {
			last = path
			w.gap(path, "it was moved with the file systems below it: changes in its place, and in it, may be missing or have its old name")
		}
	}
}

// over notes once if files were not read.
func (w *walker) over() {
	if w.budget < 0 {
		w.gap("", fmt.Sprintf("there are more than %d MiB to compare: further files are told without their content", maxRead>>20))
	}
}

// gap notes something that could not be seen.
func (w *walker) gap(path, why string) { w.gaps = append(w.gaps, Gap{Path: path, Why: why}) }

func (w *walker) add(l *layer, name string, kind Kind, before, after *State) {
	if !w.full() {
		w.changes = append(w.changes, change{Change: Change{Path: l.path(name), Kind: kind, Before: before, After: after}, layer: l, name: name})
	}
}

// full reports whether the report has no room for more changes, and notes that.
func (w *walker) full() bool {
	if len(w.changes) < maxChanges {
		return false
	}
	if !w.more {
		w.more = true
		w.gap("…", fmt.Sprintf("there are more than %d changes, and the report lists only the first", maxChanges))
	}
	return true
}

// directory reads a directory of a layer. There tells whether the machine has the directory, too.
func (w *walker) directory(l *layer, name string, there bool) {
	if !w.goesOn(l, name) {
		return
	}
	entries, hidden, err := w.list(l.upper, name)
	if err != nil {
		w.gap(l.path(name), "it could not be read after the rehearsal")
		return
	}
	if len(entries) == 0 && name == "." && !l.Whole && !hidden {
		w.checkOff(l.Path, l.stamp)
	}
	seen := map[string]bool{}
	for _, e := range entries {
		seen[e.Name()] = true
		if child := path.Join(name, e.Name()); !l.Except[l.path(child)] {
			w.entry(l, child, e, there)
		}
	}
	if !hidden || !there || l.Whole {
		return
	}
	below, _, err := w.list(l.lower, name)
	if err != nil {
		return
	}
	for _, e := range below {
		if !seen[e.Name()] {
			w.gone(l, path.Join(name, e.Name()))
		}
	}
}

// note notes a layer's own directory, and the entries of a whole layer. Every difference counts as the server's if that fails.
func (w *walker) note(l sandbox.Layer) {
	info, err := os.Lstat(l.Dir)
	if err != nil {
		return
	}
	lock := func() {}
	left := w.unlock(info, func(mode fs.FileMode) {
		if os.Chmod(l.Dir, mode) == nil { // on failure the directory cannot be opened
			lock = func() { _ = os.Chmod(l.Dir, info.Mode()) }
		}
	})
	defer func() { lock() }()
	upper, err := os.OpenRoot(l.Dir)
	if err != nil {
		return
	}
	defer upper.Close()
	if state, err := look(upper, ".", nil); err == nil && state != nil {
		state.Mode = left(state.Mode)
		w.copies[l.Path] = state
	}
	if l.Whole {
		w.noteEntries(&layer{Layer: l, upper: upper}, ".")
	}
}

func (w *walker) noteEntries(l *layer, name string) {
	entries, _, err := w.list(l.upper, name)
	if err != nil {
		return // every difference counts as the server's then
	}
	for _, e := range entries {
		child := path.Join(name, e.Name())
		if l.Except[l.path(child)] || e.IsDir() {
			w.held[l.path(child)] = stampOf(e)
		}
		if l.Except[l.path(child)] {
			continue
		}
		if state, err := look(l.upper, child, nil); err == nil && state != nil {
			w.copies[l.path(child)] = state
			if state.Type == "directory" {
				w.noteEntries(l, child)
			}
		}
	}
}

// goesOn reports whether to read a directory, and notes if not.
func (w *walker) goesOn(l *layer, name string) bool {
	switch {
	case w.ctx.Err() != nil:
		w.gap(l.path(name), "there was no time left to read it")
	case strings.Count(name, "/") >= maxDepth:
		w.gap(l.path(name), fmt.Sprintf("it lies deeper than %d directories", maxDepth))
	default:
		return true
	}
	return false
}

// list reads a directory by name, and tells whether it hides the one below. The server may have made the directory
// unreadable.
func (w *walker) list(root *os.Root, name string) (entries []fs.FileInfo, hides bool, err error) {
	dir, err := open(root, name)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, false, err
	}
	slices.Sort(names)
	for _, n := range names {
		info, err := root.Lstat(path.Join(name, n))
		if err != nil {
			return nil, false, err
		}
		entries = append(entries, info)
	}
	return entries, opaque(dir), nil
}

// entry compares an entry of a layer with the machine's entry in its place.
func (w *walker) entry(l *layer, name string, info fs.FileInfo, there bool) {
	if whiteout(info) {
		if there {
			w.gone(l, name)
		}
		return
	}
	if was, ok := w.checked[l.path(name)]; ok && was == stampOf(info) {
		if info.IsDir() {
			w.directory(l, name, true)
		}
		return
	}
	left := w.unlock(info, func(mode fs.FileMode) { _ = l.upper.Chmod(name, mode) }) // on failure it is a gap
	after, err := look(l.upper, name, &w.budget)
	if err != nil || after == nil {
		w.gap(l.path(name), "it could not be read after the rehearsal")
		return
	}
	after.Mode = left(after.Mode)
	after.stamp = stampOf(info) // to make it readable may have changed it
	if c := w.copies[l.path(name)]; l.Whole && c != nil && c.sameContent(after) && c.sameAttributes(after) && !w.dated(c, after) {
		if after.Type != "file" { // a write through shared memory does not move its times
			w.checkOff(l.path(name), after.stamp)
		}
		if after.Type == "directory" {
			w.directory(l, name, true)
		}
		return
	}
	var before *State
	if there {
		if before, err = look(l.lower, name, &w.budget); err != nil {
			w.gap(l.path(name), "it could not be read to be compared")
			return
		}
	}
	after.dated = w.dated(before, after)
	switch {
	case before == nil:
		w.add(l, name, Created, nil, after)
	case before.Type != after.Type:
		w.gone(l, name)
		if w.add(l, name, Created, nil, after); !w.more {
			w.changes[len(w.changes)-1].replaces = true
		}
		before = nil
	default:
		w.compare(l, name, before, after)
	}
	if after.Type == "directory" {
		w.directory(l, name, before != nil)
	}
}

// dated reports whether somebody set the time of a directory: it is from before the session, or from the future. The
// time of a directory also changes with its entries, and those of the machine can get new ones meanwhile.
func (w *walker) dated(before, after *State) bool {
	const coarse = time.Second // the kernel's times lag behind
	from := w.born.Add(-coarse)
	if after.Type != "directory" || !after.Modified.Before(from) && !after.Modified.After(time.Now()) {
		return false
	}
	return before == nil || before.Type == "directory" && before.Modified.Before(from) && !before.Modified.Equal(after.Modified)
}

// unlock makes an entry of a layer readable for us; nobody else sees the layer any more. It returns a function that
// restores the mode.
func (w *walker) unlock(info fs.FileInfo, chmod func(fs.FileMode)) (left func(Mode) Mode) {
	need := fs.FileMode(0o400)
	if info.IsDir() {
		need = 0o700
	}
	if w.live || info.Mode()&need == need || !info.IsDir() && !info.Mode().IsRegular() {
		return func(m Mode) Mode { return m }
	}
	chmod(info.Mode() | need)
	return func(Mode) Mode { return Mode(info.Mode() &^ fs.ModeType) }
}

func (w *walker) compare(l *layer, name string, before, after *State) {
	switch {
	case !before.sameContent(after):
		w.add(l, name, Modified, before, after)
	case before.sameAttributes(after) && !after.dated:
		return
	case l.Whole && !w.own && (before.User != after.User || before.Group != after.Group):
		return // we could not build it better
	default:
		w.add(l, name, Attributes, before, after)
	}
	if before.Type == "file" && before.names > 1 { // overlays do not tell whether it was changed in place
		w.doubts = append(w.doubts, Gap{l.path(name), fmt.Sprintf("the file has %d names on this machine: by the others it may change, too", before.names)})
	}
}

// gone notes the deletion of the machine's entry and of everything below it.
func (w *walker) gone(l *layer, name string) {
	if w.full() { // there may be no end to it
		return
	}
	before, err := look(l.lower, name, &w.budget)
	if err != nil {
		w.gap(l.path(name), "it is deleted, and it could not be read to be compared")
		return
	}
	if before == nil {
		return
	}
	w.add(l, name, Deleted, before, nil)
	if before.Type != "directory" || !w.goesOn(l, name) {
		return
	}
	entries, _, err := w.list(l.lower, name)
	if err != nil {
		w.gap(l.path(name), "it is deleted, and its content could not be read")
	}
	for _, e := range entries {
		w.gone(l, path.Join(name, e.Name()))
	}
}
