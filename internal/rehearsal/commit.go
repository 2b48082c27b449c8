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
// [StaleError]. Then it writes a journal, copies each file, with its attributes, to a name beside its place
// (.toolvet-…), and marks the journal as ready. Then it moves each copy to its place in one step, in the order in which the server wrote
// the files last. It deletes last.
//
// Commit changes nothing if there is no report, or it is incomplete, if there are sockets or devices, which it cannot make, if a
// directory is closed to us, if another Commit in the same place takes longer than 10 s, or if there is no room for
// the copies or the journal. If it fails after some changes, the error is a [PartialError]. Commit returns the number of
// steps that it took, even with an error.
//
// A process that is killed in the middle has told Config.Committed about the changes so far. The next [Recover], or
// the next Commit of the same user, finishes its work if the journal was ready, and otherwise removes the copies.
func (s *Session) Commit(ctx context.Context) (int, error) {
	switch {
	case s.closed:
		return 0, errClosed
	case !s.finished:
		return 0, errors.New("there is no report yet, so no changes are made: call Finish first")
	case s.report.Incomplete:
		return 0, errors.New("the report may lack changes, so none are made: see its list of gaps")
	}
	if _, err := recoverIn(ctx, s.cfg.journals); err != nil { // else its changes would look like those of a stranger
		return 0, err
	}
	changes := s.ofCalls()
	unlock, err := lock(ctx, directories(changes))
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
	steps, err := steps(changes)
	if err != nil {
		return 0, err
	}
	j, err := newJournal(s.cfg.journals, steps)
	if err != nil {
		return 0, err
	}
	defer j.remove()
	defer unstage(steps)
	if err := s.stage(ctx, steps); err != nil {
		return 0, err
	}
	if err := j.ready(); err != nil {
		return 0, err
	}
	s.reach("staged")
	return s.carryOut(ctx, steps)
}

// carryOut takes the steps in their order.
func (s *Session) carryOut(ctx context.Context, steps []*step) (int, error) {
	for i, step := range steps {
		err := ctx.Err()
		if err == nil && step.again {
			err = step.change.check()
		}
		if err == nil {
			if err = step.take(step.change.layer.lower); err != nil {
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
func partial(steps []*step, taken int, err error) error {
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

// permitted returns an error if a directory is closed to us, or attributes are another user's. It looks at directories that lose
// an entry or get a new directory. For files, the copies have shown it.
func (c *change) permitted() error {
	if c.from != nil {
		return c.from.permitted()
	}
	if user := os.Geteuid(); c.Kind == Attributes && user != 0 && c.Before.User != user {
		return fmt.Errorf("%s: only its owner can change its attributes", c.Path)
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
