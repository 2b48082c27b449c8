// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package cgroup makes control groups of version 2 (the kernel's
// Documentation/admin-guide/cgroup-v2.rst), which bound the resources of a set of programs. It needs
// Linux and a group delegated to this user; it does not talk to systemd.
//
// A group lies beside that of this process, which holds a lock on it (flock(2)). [New] removes groups
// without a lock. So a killed process leaves only an empty group behind, until somebody makes the next.
package cgroup

// An UnavailableError explains why this machine cannot make groups.
type UnavailableError struct {
	What string // the missing part
	Fix  string // how to enable it; "" if unknown
}

func (e *UnavailableError) Error() string { return "no control groups: " + e.What }
