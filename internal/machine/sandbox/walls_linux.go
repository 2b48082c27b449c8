// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import "slices"

// The walls. Most attacks would have to pass more than one.
const (
	filterWall      wall = "filter"       // of system calls
	capabilityWall  wall = "capabilities" // that are dropped
	landlockWall    wall = "landlock"
	privilegeWall   wall = "no_new_privs"
	setuidWall      wall = "nosuid"
	procWall        wall = "proc"    // is read-only
	sysWall         wall = "sys"     // is read-only
	devicesWall     wall = "devices" // are read-only
	maskWall        wall = "mask"    // over parts of /proc and /sys
	countsWall      wall = "counts"  // of a user namespace
	overlayWall     wall = "overlay"
	networkWall     wall = "network" // a namespace
	descriptorsWall wall = "descriptors"
	limitsWall      wall = "limits" // of each process (setrlimit(2))
	wardenWall      wall = "warden" // who counts
	groupWall       wall = "group"  // a control group
)

// leftOut lists walls that tests of this package remove, to show that an attack works without its
// walls. Nothing else sets it.
var leftOut []wall

func stands(w wall) bool { return !slices.Contains(leftOut, w) }
