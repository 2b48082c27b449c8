// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package filestate detects changes of files without reading them.
package filestate

// A State describes the file at a path from its metadata. Compare States with ==. The zero State means
// that there is no file.
//
// The State of a directory covers its identity and permissions, which decide where paths through it
// lead, but not its entries: they come and go, and each relevant one has a State of its own.
type State struct {
	failed       bool // the look failed
	self, target facts
}

// facts is the metadata of a file, and of the target if the path is a link.
type facts struct {
	there             bool
	device, inode     uint64
	mode, user, group uint32
	size              int64
	modified, changed int64 // nanoseconds
}

// Known reports whether the look succeeded, even if there is no file.
func (s State) Known() bool { return !s.failed }

// Of returns the State of a path. It waits for the file system without a bound.
func Of(path string) State {
	self, link, err := look(path, false)
	s := State{self: self, failed: err != nil}
	if link && err == nil {
		s.target, _, err = look(path, true)
		s.failed = err != nil
	}
	return s
}
