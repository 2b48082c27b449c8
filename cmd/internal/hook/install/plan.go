// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/internal/regular"
)

// An Installer changes configurations.
type Installer struct {
	Machine Machine
	State   string // the directory of what is needed to undo
	Version string // of toolvet
}

// A Change is what becomes of a file.
type Change struct {
	Host    *hook.Host
	Scope   Scope
	File    string // as hosts name it
	Target  string // File, with links followed
	Existed bool
	Before  []byte
	After   []byte
	Delete  bool // instead of After
	Mode    fs.FileMode

	record *record // what to remember; nil: what was remembered is forgotten
	sum    string  // of Before
	piece  piece
}

// Same reports whether nothing changes.
func (c *Change) Same() bool {
	if c.Delete {
		return !c.Existed
	}
	return c.Existed && bytes.Equal(c.Before, c.After)
}

// Installs reports whether the file runs toolvet after the change.
func (c *Change) Installs() bool { return c.record != nil && c.record.Host != "" }

// A record is what is needed to undo a change.
type record struct {
	Host     string   `json:"host"`
	Scope    Scope    `json:"scope"`
	File     string   `json:"file"`
	Existed  bool     `json:"existed"`
	Before   []byte   `json:"before,omitempty"`
	After    string   `json:"after_sha256"`
	Programs []string `json:"programs"`
	Dirs     []string `json:"dirs,omitempty"` // made for the file, the outer ones first
	Toolvet  string   `json:"toolvet"`        // the version that wrote it
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// Install plans what makes a host run toolvet. Nothing is written before Apply.
func (in *Installer) Install(h *hook.Host, scope Scope, c Command) (_ []*Change, notes []string, err error) {
	place, err := in.Machine.place(h, scope, c)
	if err != nil {
		return nil, nil, in.wrap(h, scope, err)
	}
	var out []*Change
	for _, p := range place.pieces {
		ch, r, err := in.read(h, scope, p)
		if err != nil {
			return nil, nil, in.wrap(h, scope, err)
		}
		programs := []string{c.Program}
		base, existed := ch.Before, ch.Existed
		if r != nil {
			programs = append(programs, r.Programs...)
			if r.After == ch.sum { // as toolvet left it
				base, existed = r.Before, r.Existed
			}
		}
		if ch.After, err = p.install(ch.Before, ch.Existed, programs); err != nil {
			return nil, nil, in.wrap(h, scope, fmt.Errorf("%s: %w", p.path(), err))
		}
		if r == nil || r.After != ch.sum {
			// Somebody has changed the file since, or the notes of an earlier install are lost: what came before toolvet is
			// the file without it.
			if rest, empty, err := p.uninstall(ch.Before, programs, nil); err == nil && ch.Existed && hasOwn(p, ch.Before, programs) {
				base, existed = rest, !empty
			}
		}
		ch.record = &record{
			Host: h.Name, Scope: scope, File: ch.Target, Existed: existed, Before: base, After: sum(ch.After),
			Programs: slices.Compact(slices.Sorted(slices.Values(programs))), Toolvet: in.Version,
		}
		if !existed {
			ch.record.Before = nil
		}
		if r != nil {
			ch.record.Dirs = r.Dirs
		}
		out = append(out, ch)
	}
	if text := in.Machine.Condition(h).Text; text != "" {
		notes = append(notes, text)
	}
	return out, append(notes, place.Notes...), nil
}

func hasOwn(p piece, text []byte, programs []string) bool {
	list, err := p.hooks(text, programs)
	return err == nil && slices.ContainsFunc(list, func(h Handler) bool { return h.own }) || ours(text)
}

// Uninstall plans what undoes Install: the same bytes as before if nobody has changed the file since, else the file without
// toolvet's entries.
func (in *Installer) Uninstall(h *hook.Host, scope Scope) ([]*Change, error) {
	place, err := in.Machine.place(h, scope, Command{})
	if errors.Is(err, errNowhere) || errors.As(err, new(*UnsupportedError)) {
		return nil, nil
	}
	if err != nil {
		return nil, in.wrap(h, scope, err)
	}
	var out []*Change
	for _, p := range place.pieces {
		ch, r, err := in.read(h, scope, p)
		if err != nil {
			return nil, in.wrap(h, scope, err)
		}
		var programs []string
		var was []byte
		if r != nil {
			programs = r.Programs
			if r.Existed {
				was = r.Before
			}
			ch.record = &record{Dirs: r.Dirs}
		}
		switch {
		case !ch.Existed:
			continue
		case r != nil && r.After == ch.sum:
			ch.After, ch.Delete = r.Before, !r.Existed
		case !hasOwn(p, ch.Before, programs):
			continue
		default:
			var empty bool
			if ch.After, empty, err = p.uninstall(ch.Before, programs, was); err != nil {
				return nil, in.wrap(h, scope, fmt.Errorf("%s: %w", p.path(), err))
			}
			_, whole := p.(*textPiece)
			ch.Delete = empty && (whole || r != nil && !r.Existed)
		}
		out = append(out, ch)
	}
	slices.Reverse(out) // directories were made for the first file
	return out, nil
}

func (in *Installer) wrap(h *hook.Host, scope Scope, err error) error {
	if errors.Is(err, errNowhere) {
		return &UnsupportedError{fmt.Sprintf("%s has no configuration for the scope %s that toolvet knows", h.Title, scope)}
	}
	return fmt.Errorf("%s: %w", h.Title, err)
}

// An UnsupportedError says that toolvet cannot be installed for a host in a scope, whatever is there.
type UnsupportedError struct{ text string }

func (e *UnsupportedError) Error() string { return e.text }

func unsupported(format string, args ...any) error {
	return &UnsupportedError{fmt.Sprintf(format, args...)}
}

// read reads a file and what is remembered about it.
func (in *Installer) read(h *hook.Host, scope Scope, p piece) (*Change, *record, error) {
	ch := &Change{Host: h, Scope: scope, File: p.path(), Mode: fs.FileMode(p.mode()), piece: p}
	var err error
	if ch.Target, err = follow(ch.File); err != nil {
		return nil, nil, err
	}
	ch.Before, err = readFile(ch.Target)
	switch {
	case err == nil:
		ch.Existed, ch.sum = true, sum(ch.Before)
		info, err := os.Stat(ch.Target)
		if err != nil {
			return nil, nil, err
		}
		ch.Mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	}
	r, err := in.remembered(ch.Target)
	return ch, r, err
}

// follow returns the file behind links. The file need not be there.
func follow(name string) (string, error) {
	for range 40 {
		to, err := os.Readlink(name)
		if err != nil {
			// A link among the directories may stay: the file is replaced in its own directory.
			return name, nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", fmt.Errorf("%s: too many links", name)
}

func readFile(name string) ([]byte, error) {
	data, err := regular.Read(name, maxBytes)
	if errors.Is(err, regular.ErrIrregular) || errors.Is(err, regular.ErrLarge) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return data, err
}

func (in *Installer) note(target string) string {
	return filepath.Join(in.State, sum([]byte(target))[:32]+".json")
}

func (in *Installer) remembered(target string) (*record, error) {
	data, err := os.ReadFile(in.note(target))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil || r.File != target {
		return nil, nil // then the file itself has to tell
	}
	return &r, nil
}

// Apply writes a change, unless the file is not any more what it was when it was read.
func (in *Installer) Apply(c *Change) error {
	if err := in.apply(c); err != nil {
		return fmt.Errorf("writing %s: %w", c.File, err)
	}
	return nil
}

func (in *Installer) apply(c *Change) error {
	install := c.record != nil && c.record.File != ""
	if c.Same() && !install {
		return in.forget(c)
	}
	if err := c.unchanged(); err != nil {
		return err
	}
	if install {
		made, err := makeDirs(filepath.Dir(c.Target))
		if err != nil {
			return err
		}
		if len(made) > 0 {
			c.record.Dirs = made
		}
		if err := in.remember(c.record); err != nil {
			return fmt.Errorf("remembering how to undo it: %w", err)
		}
	}
	switch {
	case c.Same():
		return nil
	case c.Delete:
		if err := os.Remove(c.Target); err != nil {
			return err
		}
	default:
		if err := c.replace(); err != nil {
			return err
		}
	}
	if install {
		return nil
	}
	return in.forget(c)
}

// forget drops the notes of a change that is undone, and the directories that were made for it.
func (in *Installer) forget(c *Change) error {
	if c.Delete && c.record != nil {
		for _, d := range slices.Backward(c.record.Dirs) {
			_ = os.Remove(d) // stays if somebody has put something into it
		}
	}
	if err := os.Remove(in.note(c.Target)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// makeDirs makes a directory and those above it, and returns the new ones.
func makeDirs(dir string) (made []string, err error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil {
			break
		}
		made = append(made, d)
		if filepath.Dir(d) == d {
			break
		}
	}
	slices.Reverse(made)
	return made, os.MkdirAll(dir, 0o755)
}

func (in *Installer) remember(r *record) error {
	if err := os.MkdirAll(in.State, 0o700); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return WriteFile(in.note(r.File), data, 0o600, nil)
}

// ErrChanged says that a file was changed between reading and writing.
var ErrChanged = errors.New("somebody has changed the file meanwhile: try again")

func (c *Change) unchanged() error {
	now, err := readFile(c.Target)
	if errors.Is(err, fs.ErrNotExist) && !c.Existed {
		return nil
	}
	if err != nil {
		return err
	}
	if !c.Existed || !bytes.Equal(now, c.Before) {
		return ErrChanged
	}
	return nil
}

func (c *Change) replace() error { return WriteFile(c.Target, c.After, c.Mode, c.unchanged) }

// WriteFile replaces a file as a whole, and keeps its owner. The last look before is check's, which may be nil.
func WriteFile(file string, data []byte, mode fs.FileMode, check func() error) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".toolvet-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode))
	if info, statErr := os.Stat(file); statErr == nil && err == nil {
		err = keepOwner(f, info)
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && check != nil {
		err = check()
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
