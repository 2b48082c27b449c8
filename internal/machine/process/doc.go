// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package process runs a server command, such as an MCP server on stdio, and makes sure that no process
// of it stays behind. Launchers like npx start the real server as a grandchild, which survives if only
// the launcher is killed.
//
// On Linux, [Start] puts two small processes before the server:
//
//	this process ── guard ── supervisor ── server ── whatever it starts
//	      └──lifeline─┘└─lifeline─┘
//
// A lifeline is a pipe that nobody writes to. Only the upper process can close it, and the kernel does
// so however that process ends. A process with a closed lifeline kills everything below. Guard and
// supervisor adopt orphans (PR_SET_CHILD_SUBREAPER), so that they can find even a process that has left
// its group, session and parent. The guard covers the death of the supervisor: without it, the
// supervisor's orphans would be out of reach.
//
// Both sleep nearly always, so they are a microprogram of some kilobytes: it waits for its lifeline, signals and children. It becomes
// [supervisor.Run], which looks for descendants, when it must end some. Where the kernel runs no files in memory, and on
// processors other than amd64 and arm64, both run that from the start.
//
// The end of each process, and its consequence for the others:
//
//	server exits or is killed     SIGTERM, half a second later SIGKILL
//	this process, even by SIGKILL SIGKILL
//	guard or supervisor           SIGKILL
//	guard and supervisor at once  SIGKILL for the server and its process group;
//	                              processes outside of the group may stay
//
// On other Unix systems there is only the supervisor, and it reaches only the server's process group.
// On Windows a job object does everything: the kernel ends its processes when the last handle closes,
// at the latest when this process ends.
//
// Some processes survive signals: the kernel cannot end them (uninterruptible sleep on a dead file
// system), or this user may not signal them (set-user-ID). Package process gives them up after some
// seconds; nothing here waits for ever.
package process
