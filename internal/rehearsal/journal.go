// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A journal tells the next toolvet what a commit has left to do if it is killed. Its first line holds the steps; it
// is written before the first copy is made. The second line follows the last copy: from then on the steps can be
// taken. The process that commits holds a lock on the file, and the kernel gives it back when the process ends.
//
//   - No complete first line: nothing has happened.
//   - No second line: the copies are in the way, and nothing has changed.
//   - Both: the steps may be taken again from the first one on, because each step can tell whether it was taken.
type journal struct {
	file *os.File
}

// journalHead is the first line.
type journalHead struct {
	Version int     `json:"version"`
	Steps   []*step `json:"steps"`
}

const (
	journalVersion = 1
	journalSuffix  = ".journal"
	journalReady   = "ready\n"
	maxJournal     = 256 << 20 // bytes; 20,000 changes with long names and attributes have less
)

// journalDir returns the directory of the user's journals.
func journalDir() (string, error) {
	state := os.Getenv("XDG_STATE_HOME") // XDG Base Directory Specification: relative paths are ignored
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("there is no place for the journal of a commit: %w: set XDG_STATE_HOME or HOME", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "toolvet", "commits"), nil
}

// newJournal writes the first line of a journal, in dir or by default in [journalDir].
func newJournal(dir string, steps []*step) (*journal, error) {
	if dir == "" {
		var err error
		if dir, err = journalDir(); err != nil {
			return nil, err
		}
	}
	head, err := json.Marshal(journalHead{journalVersion, steps})
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the directory of the journal: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, rand.Text()+journalSuffix), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making the journal: %w", err)
	}
	j := &journal{f}
	err = lockFile(f)
	if err == nil {
		_, err = f.Write(append(head, '\n'))
	}
	if err == nil {
		err = errors.Join(f.Sync(), syncDirectory(dir))
	}
	if err != nil {
		j.remove()
		return nil, fmt.Errorf("writing the journal: %w", err)
	}
	return j, nil
}

// ready notes that all copies are there.
func (j *journal) ready() error {
	_, err := j.file.WriteString(journalReady)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

// remove removes the journal, and gives its lock back. If the process is killed first, the next one sees that all steps
// were taken.
func (j *journal) remove() {
	_ = os.Remove(j.file.Name())
	j.file.Close()
}

// A Recovered describes how an interrupted commit ended.
type Recovered struct {
	// Finished means that all changes are made, but for those of Left. Otherwise the commit had not begun to change
	// anything, and its copies are removed.
	Finished bool
	// Left are paths that could not be changed, each with the reason: somebody else has changed them meanwhile, for
	// instance.
	Left []Gap
}

// Recover ends the commits of this user that were cut off, by kill -9 for instance. It leaves those alone that are
// under way. The error is about journals that cannot be read or removed; the others are done.
func Recover(ctx context.Context) ([]Recovered, error) { return recoverIn(ctx, "") }

func recoverIn(ctx context.Context, dir string) ([]Recovered, error) {
	if dir == "" {
		var err error
		if dir, err = journalDir(); err != nil {
			return nil, nil // then nobody could write one
		}
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for commits that were cut off: %w", err)
	}
	var done []Recovered
	var errs []error
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), journalSuffix) {
			continue
		}
		r, err := recoverOne(ctx, filepath.Join(dir, e.Name()))
		if err != nil {
			errs = append(errs, fmt.Errorf("ending a commit that was cut off: %w", err))
		}
		if r != nil {
			done = append(done, *r)
		}
	}
	return done, errors.Join(errs...)
}

// recoverOne ends the commit of one journal. The result is nil if its process lives, or nothing had happened.
func recoverOne(ctx context.Context, name string) (*Recovered, error) {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // its process has just ended
	}
	if err != nil {
		return nil, err
	}
	if user, _, _ := identify(info); !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 || user != os.Geteuid() {
		return nil, fmt.Errorf("%s: it is not a file that this user alone can write: remove it", name)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j := &journal{f}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, nil // its process lives
	}
	if opened, err := f.Stat(); err != nil || names(opened) == 0 || !os.SameFile(info, opened) {
		f.Close()
		return nil, nil // its process has just removed it
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxJournal))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	line, rest, complete := bytes.Cut(raw, []byte("\n"))
	if !complete {
		j.remove()
		return nil, nil
	}
	var head journalHead
	if err := json.Unmarshal(line, &head); err != nil || head.Version != journalVersion || slices.Contains(head.Steps, nil) {
		f.Close()
		return nil, fmt.Errorf("%s: it is not a journal that this toolvet can read: end the commit with the toolvet that began it, or remove the file", name)
	}
	r, err := head.end(ctx, string(rest) == journalReady)
	if err != nil {
		f.Close() // try again next time
		return nil, err
	}
	j.remove()
	return r, nil
}

// end takes the steps that are left, or removes the copies.
func (h *journalHead) end(ctx context.Context, ready bool) (*Recovered, error) {
	r := &Recovered{Finished: ready}
	roots := map[string]*os.Root{}
	defer func() {
		for _, root := range roots {
			root.Close()
		}
	}()
	gone := map[string]error{}
	for _, s := range h.Steps {
		dir := string(s.Dir)
		if roots[dir] != nil || gone[dir] != nil {
			continue
		}
		root, err := openDirectory(dir)
		if err != nil {
			gone[dir] = err
			continue
		}
		roots[dir] = root
	}
	unlock, err := lock(ctx, roots)
	defer unlock()
	if err != nil {
		return nil, err
	}
	for _, s := range h.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		root := roots[string(s.Dir)]
		if root == nil {
			r.leave(s, gone[string(s.Dir)])
			continue
		}
		if ready {
			if err := s.takeAgain(root); err != nil {
				r.leave(s, err)
			}
		}
		if s.Do == actPlace { // it is not there if it has moved to its place
			_ = root.Remove(string(s.Copy))
		}
	}
	return r, nil
}

func (r *Recovered) leave(s *step, err error) {
	r.Left = append(r.Left, Gap{Path: path.Join(string(s.Dir), string(s.Name)), Why: bare(err).Error()})
}

var errChanged = errors.New("it has changed since the commit was cut off: rehearse again")

// takeAgain takes a step unless it was taken before. It leaves alone what somebody else has changed since.
func (s *step) takeAgain(root *os.Root) error {
	name := string(s.Name)
	if !straight(root, path.Dir(name)) {
		return errChanged
	}
	info, err := root.Lstat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there := err == nil
	switch s.Do {
	case actMkdir:
		if there && info.IsDir() {
			return nil
		}
	case actRemove:
		if !there {
			return nil
		}
		if !s.sameEntry(info) {
			return errChanged
		}
	case actDress:
		if !there || s.Inode != 0 && !s.sameInode(info) || s.Inode == 0 && !info.IsDir() {
			return errChanged
		}
	case actPlace:
		if _, err := root.Lstat(string(s.Copy)); errors.Is(err, fs.ErrNotExist) {
			return nil // it is in its place
		}
		if s.replaces() && (!there || !s.sameEntry(info)) {
			return errChanged
		}
	default:
		return fmt.Errorf("the journal has an unknown step %q", s.Do)
	}
	return s.take(root)
}

func (s *step) sameInode(info fs.FileInfo) bool {
	now := stampOf(info)
	return now.device == s.Device && now.inode == s.Inode
}

// sameEntry reports whether an entry is the one that the report has. A directory changes with its entries.
func (s *step) sameEntry(info fs.FileInfo) bool {
	now := stampOf(info)
	return s.sameInode(info) && (info.IsDir() || now.size == s.Size && now.changed == s.Since)
}
