// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package filestate tells whether what lies at a path has changed, without reading it.
package filestate

// A State is what lies at a path, as far as one look at it tells. States are compared with
// ==. The zero State is that of a path at which nothing lies.
//
// Of a directory it tells what decides where paths through it lead and who may go there, and
// not which names it holds: those come and go, and each that matters has a State of its own.
type State struct {
	failed       bool // nothing could be found out
	self, target facts
}

// facts are what a system tells of a file; of the target only if the path is a link.
type facts struct {
	there             bool
	device, inode     uint64
	mode, user, group uint32
	size              int64
	modified, changed int64 // nanoseconds
}

// Known reports whether the look has told anything, also that nothing lies there.
func (s State) Known() bool { return !s.failed }

// Of looks at a path. It waits as long as the file system does.
func Of(path string) State {
	self, link, err := look(path, false)
	s := State{self: self, failed: err != nil}
	if link && err == nil {
		s.target, _, err = look(path, true)
		s.failed = err != nil
	}
	return s
}
