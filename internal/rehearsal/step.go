// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"
)

// A step is a part of a commit. It holds all that another process needs to take it, because the layers of a killed
// process are gone. Names are bytes: JSON would change those that are not UTF-8.
type step struct {
	Do     action `json:"do"`
	Dir    []byte `json:"dir"`            // the layer's directory on the machine
	Name   []byte `json:"name"`           // below Dir
	Copy   []byte `json:"copy,omitempty"` // of actPlace: the name of the copy below Dir
	Dress  *dress `json:"dress,omitempty"`
	Device uint64 `json:"device,omitempty"` // of the machine's entry that the step replaces, removes or dresses
	Inode  uint64 `json:"inode,omitempty"`  // 0: there is none
	Size   int64  `json:"size,omitempty"`
	Since  int64  `json:"since,omitempty"` // its last change, in nanoseconds

	of, change *change // it is a part of the change of; its own is change
	again      bool    // compare once more just before
	staged     bool    // the copy exists
}

// An action is what a step does.
type action string

const (
	actMkdir  action = "mkdir"
	actPlace  action = "place" // moves a copy to its place
	actRemove action = "remove"
	actDress  action = "dress" // sets attributes
)

// A dress is the attributes of an entry: permissions, owner, times of files and of dated directories, extended attributes.
type dress struct {
	Mode       fs.FileMode       `json:"mode"`
	User       int               `json:"user"`
	Group      int               `json:"group"`
	Modified   time.Time         `json:"modified,omitzero"`
	Attributes map[string][]byte `json:"attributes,omitempty"`
	Extended   bool              `json:"extended"` // Attributes are known
}

func (s *step) sameChange(o *step) bool { return s.of == o.of }

func (s *step) replaces() bool { return s.Do == actPlace && s.Inode != 0 }

// was notes the machine's entry before the step.
func (s *step) was(state *State) {
	s.Device, s.Inode, s.Size, s.Since = state.stamp.device, state.stamp.inode, state.stamp.size, state.stamp.changed
}

// steps returns the changes in an order that works: delete what is in the way, make directories, make files, delete
// the rest, set attributes. Files come in the order in which the server wrote them last, so that a process that is killed in
// the middle leaves a state much like one that the server left: the objects of a git repository, for
// instance, come before the references to them. Of files with the same time, which is as exact as the kernel's, new
// ones come first, because old ones may refer to them. It deletes deep entries first, and sets attributes that may close a
// directory to us in the same order.
func steps(changes []*change) ([]*step, error) {
	blocked := map[string]bool{}
	for _, c := range changes {
		if c.replaces {
			blocked[c.Path] = true
		}
	}
	var phases [5][]*step // in the way, directories, files, the rest, attributes
	add := func(phase int, do action, of, c *change) *step {
		s := &step{Do: do, Dir: []byte(c.layer.Path), Name: []byte(c.name), of: of, change: c, again: true}
		phases[phase] = append(phases[phase], s)
		return s
	}
	for _, c := range changes {
		switch {
		case c.Kind == Deleted && within(blocked, c.Path):
			add(0, actRemove, c, c).was(c.Before)
		case c.Kind == Deleted:
			add(3, actRemove, c, c).was(c.Before)
		case c.Kind == Attributes && c.After.Type != "link":
			s := add(4, actDress, c, c)
			s.was(c.Before)
			if err := s.dressed(); err != nil {
				return nil, err
			}
		case c.After.Type == "directory":
			add(1, actMkdir, c, c)
			s := add(4, actDress, c, c)
			s.again = false
			if err := s.dressed(); err != nil {
				return nil, err
			}
		default:
			s := add(2, actPlace, c, c)
			s.Copy = []byte(path.Join(c.stagingDir(), staging+rand.Text()[:12]))
			if c.Kind == Modified {
				s.was(c.Before)
			}
			if err := s.dressed(); err != nil {
				return nil, err
			}
		}
		if c.from != nil {
			add(3, actRemove, c, c.from).was(c.from.Before)
		}
	}
	for phase, list := range phases {
		slices.SortStableFunc(list, func(a, b *step) int {
			byPath := cmp.Compare(a.change.Path, b.change.Path)
			switch phase {
			case 0, 3, 4:
				return -byPath
			case 1:
				return byPath
			}
			return cmp.Or(cmp.Compare(a.change.After.stamp.changed, b.change.After.stamp.changed), newFirst(a, b),
				cmp.Compare(a.change.After.stamp.inode, b.change.After.stamp.inode), byPath)
		})
	}
	return slices.Concat(phases[:]...), nil
}

func newFirst(a, b *step) int {
	switch {
	case a.replaces() == b.replaces():
		return 0
	case b.replaces():
		return -1
	}
	return 1
}

func within(dirs map[string]bool, p string) bool {
	for ; p != "/"; p = path.Dir(p) {
		if dirs[p] {
			return true
		}
	}
	return false
}

// dressed notes the attributes of the layer's entry.
func (s *step) dressed() error {
	c := s.change
	if c.After.Type == "link" {
		return nil
	}
	s.Dress = &dress{Mode: fs.FileMode(c.After.Mode), User: c.After.User, Group: c.After.Group}
	if c.After.Type == "file" || c.After.dated {
		s.Dress.Modified = c.After.Modified
	}
	if c.After.Type == "file" || c.After.Type == "directory" {
		f, err := open(c.layer.upper, c.name)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Path, bare(err))
		}
		defer f.Close()
		s.Dress.Attributes, s.Dress.Extended = extended(f), true
	}
	if s.Do == actDress && c.Kind == Attributes && c.name == "." {
		return s.keepAttributes()
	}
	return nil
}

// keepAttributes keeps those of a layer's own directory that the server has not changed: the layer may lack some; see
// [State.rebase].
func (s *step) keepAttributes() error {
	c := s.change
	f, err := open(c.layer.lower, c.name)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Path, bare(err))
	}
	defer f.Close()
	for name, value := range extended(f) {
		if before, had := c.Before.Attributes[name]; had && c.After.Attributes[name] == before {
			s.Dress.Attributes[name] = value
		}
	}
	maps.DeleteFunc(s.Dress.Attributes, func(name string, _ []byte) bool { _, stays := c.After.Attributes[name]; return !stays })
	return nil
}

// stage makes the copy of a file, a link or a pipe.
func (s *step) stage() error {
	root, name := s.change.layer.lower, string(s.Copy)
	s.staged = true
	if err := s.change.make(root, name); err != nil {
		return err
	}
	return s.Dress.put(root, name)
}

// take takes the step.
func (s *step) take(root *os.Root) error {
	name := string(s.Name)
	switch s.Do {
	case actMkdir:
		return root.Mkdir(name, 0o700)
	case actRemove:
		return root.Remove(name)
	case actDress:
		return s.Dress.put(root, name)
	}
	err := place(root, string(s.Copy), name, s.replaces())
	if errors.Is(err, fs.ErrExist) {
		return &StaleError{path.Join(string(s.Dir), name)}
	}
	if err == nil {
		s.staged = false
	}
	return err
}

// put sets attributes. The owner comes before the mode, because it clears bits of it.
func (d *dress) put(root *os.Root, name string) error {
	if d == nil {
		return nil
	}
	if d.Extended {
		if err := setAttributes(root, name, d.Attributes); err != nil {
			return err
		}
	}
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if user, group, _ := identify(info); user != d.User || group != d.Group {
		if err := root.Lchown(name, d.User, d.Group); err != nil {
			return err
		}
	}
	if !d.Modified.IsZero() {
		if err := root.Chtimes(name, d.Modified, d.Modified); err != nil {
			return err
		}
	}
	return root.Chmod(name, d.Mode)
}

// make makes a copy of the layer's entry, without its attributes.
func (c *change) make(root *os.Root, name string) error {
	switch c.After.Type {
	case "link":
		return root.Symlink(c.After.Target, name)
	case "pipe":
		return makePipe(root, name)
	}
	in, err := open(c.layer.upper, c.name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(copyContent(out, in), out.Sync(), out.Close())
}
