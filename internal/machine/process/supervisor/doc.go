// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package supervisor is the guard and the supervisor of a server, as package process describes them.
//
// Both are the program that links this package, started once more: from the start, or when a sleeping one has work for it. A large program would take its time and its memory twice
// again, so an init function calls [Run] before most of the program is initialized. Go initializes packages in the order of
// their paths, each after its imports. For that reason this package imports only what os needs anyway: fmt, strings, os/exec
// and golang.org/x/sys would put it behind hundreds of packages.
package supervisor

// The first argument of [Run] is a role.
const (
	Guard  = "guard"  // starts another program that runs the supervisor
	Server = "server" // starts the server
	// The others take over in processes that have started the server, or are about to end.
	Terminate = "terminate" // sends SIGTERM to all descendants of the parent
	Leftovers = "leftovers" // ends what a server has left, politely first
	Kill      = "kill"      // kills all descendants
)
