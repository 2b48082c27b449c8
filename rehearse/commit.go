// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// A StaleError says that a file is not as it was when the report was written. Nothing of the
// change has been made.
type StaleError struct{ Path string }

func (e *StaleError) Error() string {
	return fmt.Sprintf("%s has changed since the rehearsal: rehearse again", e.Path)
}

// Commit makes on the machine what the calls changed, after [Session.Finish]; what the server
// did as it started, it does whenever it starts. First it compares everything that would be touched with what the
// report says was there: if anything differs, the error is a [StaleError]. Then it copies each file, with its attributes,
// to a name beside (.toolvet-…); then each takes its place at once, and what is deleted goes last.
//
// Nothing is changed if the report is incomplete, if there are sockets or devices, which cannot be made so, if another
// Commit in the same part of the file system does not end within 10 s, or if there is no room for the copies. It returns how many changes
// were made, also with an error. A process that is killed in between has made some, and leaves copies behind.
func (s *Session) Commit(ctx context.Context) (int, error) {
	if s.report.Incomplete {
		return 0, errors.New("there may be changes that the report does not tell, so that none are made: see what could not be rehearsed")
	}
	changes := s.ofCalls()
	unlock, err := lock(ctx, changes)
	defer unlock()
	if err != nil {
		return 0, err
	}
	for _, c := range changes {
		if err := c.check(); err != nil {
			return 0, err
		}
	}
	defer unstage(changes)
	if err := stage(ctx, changes); err != nil {
		return 0, err
	}
	made := 0
	for _, step := range steps(changes) {
		if err := ctx.Err(); err != nil {
			return made, err
		}
		if step.again {
			if err := step.change.check(); err != nil {
				return made, err
			}
		}
		if err := step.do(); err != nil {
			return made, fmt.Errorf("%s: %w", step.change.Path, bare(err))
		}
		made++
	}
	return made, nil
}

// ofCalls are the changes that calls made, and the directories in which they made them.
func (s *Session) ofCalls() []*change {
	needed := map[string]bool{}
	for i := range s.changes {
		if c := &s.changes[i]; !c.AtStart {
			for dir := path.Dir(c.Path); dir != "/"; dir = path.Dir(dir) {
				needed[dir] = true
			}
		}
	}
	var list []*change
	for i := range s.changes {
		c := &s.changes[i]
		if !c.AtStart || c.Kind == Created && c.After.Type == "directory" && needed[c.Path] {
			list = append(list, c)
		}
	}
	return list
}

func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("cannot %s: %w", strings.TrimSuffix(p.Op, "at"), p.Err)
	}
	return err
}

// check compares what is there with what the report says.
func (c *change) check() error {
	if c.After != nil && (c.After.Type == "socket" || c.After.Type == "other") {
		return fmt.Errorf("%s: a %s cannot be carried over", c.Path, c.After.Type)
	}
	before := c.Before
	if c.from != nil {
		if err := c.from.check(); err != nil {
			return err
		}
		before = nil
	}
	if !straight(c.layer.lower, path.Dir(c.name)) {
		return &StaleError{c.Path}
	}
	now, err := look(c.layer.lower, c.name, nil)
	switch {
	case err != nil:
		return fmt.Errorf("%s cannot be compared: %w", c.Path, bare(err))
	case before == nil && now == nil:
		return nil
	case before == nil && c.replaces:
		return nil // another change deletes it first
	case before == nil || now == nil:
		return &StaleError{c.Path}
	case before.Type == "directory" && now.Type == "directory" && before.sameAttributes(now):
		return nil // what is in it has changes of its own
	case before.stamp == now.stamp || before.sameContent(now) && before.sameAttributes(now):
		return nil
	}
	return &StaleError{c.Path}
}

// A step is one change, at its time.
type step struct {
	order  int
	change *change
	do     func() error
	again  bool // compare once more, right before
}

// steps are the changes in an order in which each can be made: what stands in the way is
// deleted, directories are made, then files; the rest is deleted; and last come attributes.
// What is deleted or may be closed to us goes the deepest first.
func steps(changes []*change) []step {
	blocked := map[string]bool{}
	for _, c := range changes {
		if c.replaces {
			blocked[c.Path] = true
		}
	}
	var steps []step
	for _, c := range changes {
		add := func(order int, do func() error) { steps = append(steps, step{order, c, do, true}) }
		switch {
		case c.Kind == Deleted && within(blocked, c.Path):
			add(0, c.remove)
		case c.Kind == Deleted:
			add(3, c.remove)
		case c.Kind == Attributes && c.After.Type != "link":
			add(4, c.attributes)
		case c.After.Type == "directory":
			add(1, c.mkdir)
			steps = append(steps, step{4, c, c.attributes, false})
		default:
			add(2, c.replace)
		}
		if c.from != nil {
			steps = append(steps, step{3, c.from, c.from.remove, true})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int {
		order := cmp.Compare(a.change.Path, b.change.Path)
		if a.order == 0 || a.order >= 3 {
			order = -order
		}
		return cmp.Or(a.order-b.order, order)
	})
	return steps
}

func within(dirs map[string]bool, p string) bool {
	for ; p != "/"; p = path.Dir(p) {
		if dirs[p] {
			return true
		}
	}
	return false
}

func (c *change) remove() error { return c.layer.lower.Remove(c.name) }

func (c *change) mkdir() error { return c.layer.lower.Mkdir(c.name, 0o700) }

// attributes gives what is there the attributes of the layer's.
func (c *change) attributes() error { return c.dress(c.name) }

func (c *change) dress(name string) error {
	root := c.layer.lower
	if c.After.Type == "link" {
		return nil
	}
	if c.After.Type == "file" || c.After.Type == "directory" {
		if err := copyAttributes(c.layer.upper, c.name, root, name); err != nil {
			return err
		}
	}
	if err := sameOwner(root, name, c.After); err != nil {
		return err
	}
	if c.After.Type == "file" {
		if err := root.Chtimes(name, c.After.Modified, c.After.Modified); err != nil {
			return err
		}
	}
	return root.Chmod(name, fs.FileMode(c.After.Mode))
}

// sameOwner gives a file to its owner, if that is another.
func sameOwner(root *os.Root, name string, want *State) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if user, group, _ := identify(info); user == want.User && group == want.Group {
		return nil
	}
	return root.Lchown(name, want.User, want.Group)
}

// replace puts the copy of a file, a link or a pipe in its place at once.
func (c *change) replace() error {
	err := place(c.layer.lower, c.staged, c.name, c.Kind == Modified)
	if errors.Is(err, fs.ErrExist) {
		return &StaleError{c.Path}
	}
	if err == nil {
		c.staged = ""
	}
	return err
}

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
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
