// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sandbox runs a server where it cannot do harm: in user, mount, PID, IPC, UTS
// and network namespaces of its own, with an overlay over everything that it could
// write. What it writes lands in layers in memory, which [Sandbox.Layers] hands out; the
// machine's own files stay as they are. It needs Linux 6.6 or later with user namespaces,
// and neither root nor a helper program. Elsewhere [Start] says why it cannot.
//
//	this process ──control socket── init (PID 1 inside) ── server ── whatever it starts
//
// Init is this program, started again by [Config.Init] (see [Run]). It builds the new root,
// tells us of its layers, starts the server with less privileges than init has, and ends
// when its side of the socket closes, that is with us at the latest. When it ends, the
// kernel kills everything inside.
//
// # The new root
//
// Every top-level directory is an overlay of its own: an overlay of the whole root fails
// where mounts are below it. Where mounts are below a directory, the directory is built
// anew and its entries are overlaid one by one ([plan]). An ordinary user's overlay cannot
// copy up a directory of another user, so that the places where the user may write below
// such directories get overlays of their own. Nothing of the machine is ever bound into the
// new root but single large files, read-only: over an overlay, sockets and named pipes of
// the machine cannot be reached.
package sandbox
