// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package cgroup makes control groups of version 2 (the kernel's
// Documentation/admin-guide/cgroup-v2.rst), which bound what programs take together. It
// needs Linux, and a group that was delegated to this user; nothing is asked of systemd.
//
// A group lies beside that of this process, and is locked (flock(2)) as long as whoever made
// it lives. [New] removes those that nobody has locked, so that nothing is left of a
// process that was killed but an empty group, until the next one is made.
package cgroup

// An UnavailableError says why no groups can be made here.
type UnavailableError struct {
	What string // what is missing
	Fix  string // how to enable it, "" if that is not known
}

func (e *UnavailableError) Error() string { return "no control groups: " + e.What }
