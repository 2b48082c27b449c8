// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package process runs a server command, such as an MCP server on stdio, and
// sees to it that nothing of it stays behind. Launchers like npx start the real
// server as a grandchild, and killing the launcher alone leaves that running.
//
// On Linux, [Start] puts two small processes, running [Supervise], before the
// server:
//
//	this process ── guard ── supervisor ── server ── whatever it starts
//	      └──lifeline─┘└─lifeline─┘
//
// A lifeline is a pipe on which nothing is ever written. Only its upper end can
// close it, and the kernel does so however that process ends. Whoever sees its
// lifeline close kills everything below. Guard and supervisor adopt orphans
// (PR_SET_CHILD_SUBREAPER), so that a process which left its group, session and
// parent is still found. The guard is there for the death of the supervisor:
// without it, the supervisor's orphans would be out of reach.
//
// What ends, and what then happens to the rest:
//
//	server exits or is killed     SIGTERM, half a second later SIGKILL
//	this process, even by SIGKILL SIGKILL
//	guard or supervisor           SIGKILL
//	guard and supervisor at once  SIGKILL for the server and its process group;
//	                              what left the group may stay
//
// On other Unix systems there is only the supervisor, and it reaches only the
// server's process group. On Windows a job object does it all: the
// kernel ends its processes when the last handle goes, that is with us.
//
// A process that the kernel cannot end (uninterruptible sleep on a dead file
// system) or that this user may not signal (set-user-ID) is sent what can be
// sent, and given up after some seconds; nothing here waits for ever.
package process
