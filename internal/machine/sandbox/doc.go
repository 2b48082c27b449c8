// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sandbox runs a server where it can do no harm: in user, mount, PID, IPC, UTS and network
// namespaces of its own, with an overlay over every place that it could write to. Its writes go to
// layers in memory, which [Sandbox.Layers] returns; the machine's own files stay unchanged. The package
// needs Linux 6.6 or later with user namespaces, but neither root nor a helper program. Elsewhere
// [Start] returns an error with the reason.
//
//	this process ──control socket── init (PID 1 inside) ── server ── whatever it starts
//
// Init is this program, started again by [Config.Init] (see [Run]). It builds the new root, reports its
// layers, and starts the server with fewer privileges than its own. It ends when its side of the socket
// closes, at the latest when this process ends. Then the kernel kills everything inside.
//
// # The new root
//
// Every top-level directory is an overlay of its own, because an overlay of the whole root would fail
// over mounts. A directory with mounts below it is built anew, and its entries are overlaid one by one
// ([plan]). An ordinary user's overlay cannot copy up a directory of another user, so writable places
// below such directories get overlays of their own. Only single large files of the machine are bound
// into the new root, read-only. Through an overlay, a program cannot reach sockets and named pipes of
// the machine.
//
// With a [View], the new root has only the view's places, and changes below some of them reach the
// machine: the walls around a live server.
package sandbox
