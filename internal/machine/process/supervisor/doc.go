// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package supervisor is the guard and the supervisor of a server, as package process describes them.
//
// Both are the program that links this package, started once more. A large program would take its time and its memory twice
// again, so an init function calls [Run] before most of the program is initialized. Go initializes packages in the order of
// their paths, each after its imports. For that reason this package imports only what os needs anyway: fmt, strings, os/exec
// and golang.org/x/sys would put it behind hundreds of packages.
package supervisor

// The first argument of [Run] is a role.
const (
	Guard  = "guard"
	Server = "server"
)
