// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package contain runs a live server in walls: the namespaces, the filter of system calls and the guarded
// network of a rehearsal, around a server whose work is real. A policy says what it may change, read and
// reach.
//
//	this process ── messages ── sandbox (init ── server)
//	      └──────── guard ◀──── every connection of the server
//
// # Files
//
// The root of the server is new, and has only the places of [Config.Walls]. Its writable places are the machine's own, so
// writes reach them at once. Programs of the system are read-only, under a layer. Other
// directories do not exist inside, and known places of secrets are empty wherever they are.
//
// # Network
//
// The server has a network of its own, without a way out. Every name leads to an address of that
// network. A connection to it arrives in this process. The guard resolves the name, judges every
// address, and connects to a judged one (see package egress). So a redirect that the server follows, a name
// that changes its address, or an address in another spelling make no difference.
package contain
