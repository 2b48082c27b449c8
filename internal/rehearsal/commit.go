// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// A StaleError reports that a file has changed since the report was written. No part of the change was made.
type StaleError struct{ Path string }

func (e *StaleError) Error() string {
	return fmt.Sprintf("%s has changed since the rehearsal: rehearse again", e.Path)
}

// A PartialError reports that a commit stopped in the middle. Each file is whole, either old or new. New directories
// may lack their mode and owner.
type PartialError struct {
	Made  []string // paths of complete changes
	Begun []string // of partial changes: renamed files with both names, new directories
	Left  []string // of changes that were not made
	Err   error    // why it stopped
}

func (e *PartialError) Error() string {
	return fmt.Sprintf("the commit stopped in the middle: %v; %d changes are made, %d in part, %d not", e.Err, len(e.Made), len(e.Begun), len(e.Left))
}

func (e *PartialError) Unwrap() error { return e.Err }

// Commit makes the changes of the calls on the machine, after [Session.Finish]. It leaves out the changes that the
// server made as it started, because the server makes them whenever it starts.
//
// Commit first compares everything that it would touch with the report; if anything differs, the error is a
// [StaleError]. Then it copies each file, with its attributes, to a name beside its place (.toolvet-…). Then it moves
// each copy to its place in one step. It deletes last.
//
// Commit changes nothing if there is no report, or it is incomplete, if there are sockets or devices, which it cannot make, if a
// directory is closed to us, if another Commit in the same place takes longer than 10 s, or if there is no room for
// the copies. If it fails after some changes, the error is a [PartialError]. Commit returns the number of steps that
// it took, even with an error.
//
// A process that is killed in the middle has told Config.Committed about the changes so far, and leaves copies
// behind. The next commit that changes files in the same directory removes them.
func (s *Session) Commit(ctx context.Context) (int, error) {
	switch {
	case s.closed:
		return 0, errClosed
	case !s.finished:
		return 0, errors.New("there is no report yet, so no changes are made: call Finish first")
	case s.report.Incomplete:
		return 0, errors.New("the report may lack changes, so none are made: see its list of gaps")
	}
	changes := s.ofCalls()
	unlock, err := lock(ctx, changes)
	defer unlock()
	if err != nil {
		return 0, err
	}
	for _, c := range changes {
		if err := cmp.Or(c.check(), c.permitted()); err != nil {
			return 0, err
		}
	}
	s.reach("compared")
	defer unstage(changes)
	release, err := s.stage(ctx, changes)
	defer release()
	if err != nil {
		return 0, err
	}
	s.reach("staged")
	return s.carryOut(ctx, steps(changes))
}

// carryOut takes the steps in their order.
func (s *Session) carryOut(ctx context.Context, steps []step) (int, error) {
	for i, step := range steps {
		err := ctx.Err()
		if err == nil && step.again {
			err = step.change.check()
		}
		if err == nil {
			if err = step.do(); err != nil {
				err = fmt.Errorf("%s: %w", step.of.Path, bare(err))
			}
		}
		if err != nil && i > 0 {
			err = partial(steps, i, err)
		}
		if err != nil {
			return i, err
		}
		if s.cfg.Committed != nil && !slices.ContainsFunc(steps[i+1:], step.sameChange) {
			s.cfg.Committed(step.of.Change)
		}
		s.reach("made")
	}
	return len(steps), nil
}

// partial describes the state of the changes after the first steps.
func partial(steps []step, taken int, err error) error {
	e := &PartialError{Err: err}
	for i, step := range steps {
		if slices.ContainsFunc(steps[:i], step.sameChange) {
			continue
		}
		path := step.of.Path
		switch {
		case i >= taken:
			e.Left = append(e.Left, path)
		case slices.ContainsFunc(steps[taken:], step.sameChange):
			e.Begun = append(e.Begun, path)
		default:
			e.Made = append(e.Made, path)
		}
	}
	return e
}

// reach tells tests about the progress of a commit.
func (s *Session) reach(what string) {
	if s.reached != nil {
		s.reached(what)
	}
}

// ofCalls returns the changes that calls made, with the directories of these changes.
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

// check compares the machine with the report.
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
		return nil // its entries have changes of their own
	case before.stamp == now.stamp || before.sameContent(now) && before.sameAttributes(now):
		return nil
	}
	return &StaleError{c.Path}
}

// permitted returns an error if a directory is closed to us. It looks at directories that lose an entry or get a new
// directory. For files, the copies have shown it.
func (c *change) permitted() error {
	if c.from != nil {
		return c.from.permitted()
	}
	if c.Kind != Deleted && (c.Kind != Created || c.After.Type != "directory") {
		return nil
	}
	dir := path.Dir(c.name)
	if info, err := c.layer.lower.Lstat(dir); err != nil || !info.IsDir() {
		return nil // another change makes it
	}
	if err := mayChange(c.layer.lower, dir); err != nil {
		return fmt.Errorf("%s: the directory cannot be changed: %w", path.Dir(c.Path), bare(err))
	}
	return nil
}

// A step is a change, or a part of one.
type step struct {
	order  int
	of     *change // this is a part of it
	change *change
	do     func() error
	again  bool // compare once more just before
}

func (s step) sameChange(o step) bool { return s.of == o.of }

// steps returns the changes in an order that works: delete what is in the way, make directories, make files, delete
// the rest, set attributes. It deletes deep entries first, and sets attributes that may close a directory to us in
// the same order.
func steps(changes []*change) []step {
	blocked := map[string]bool{}
	for _, c := range changes {
		if c.replaces {
			blocked[c.Path] = true
		}
	}
	var steps []step
	for _, c := range changes {
		add := func(order int, do func() error) { steps = append(steps, step{order, c, c, do, true}) }
		switch {
		case c.Kind == Deleted && within(blocked, c.Path):
			add(0, c.remove)
		case c.Kind == Deleted:
			add(3, c.remove)
		case c.Kind == Attributes && c.After.Type != "link":
			add(4, c.attributes)
		case c.After.Type == "directory":
			add(1, c.mkdir)
			steps = append(steps, step{4, c, c, c.attributes, false})
		default:
			add(2, c.replace)
		}
		if c.from != nil {
			steps = append(steps, step{3, c, c.from, c.from.remove, true})
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

// attributes copies the attributes of the layer's entry to the machine's.
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
	if c.After.Type == "file" || c.After.dated {
		if err := root.Chtimes(name, c.After.Modified, c.After.Modified); err != nil {
			return err
		}
	}
	return root.Chmod(name, fs.FileMode(c.After.Mode))
}

// sameOwner sets the owner of a file if it differs.
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

// replace moves the copy of a file, a link or a pipe to its place in one step.
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
	return errors.Join(copyContent(out, in), out.Sync(), out.Close())
}
