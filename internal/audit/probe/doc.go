// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package probe finds out what an MCP server lets through, by trying: it brings the facts of the
// dynamic audit (see package audit).
//
// The server runs in a sandbox. It sees a small world that is made for it: a root with files in it,
// files outside, beside and behind links, a home with a key, and a network in which every address,
// name and certificate is ours. What gets through is seen by its effect: a token that
// is nowhere but in a file that must not be read, a new file outside the root, a request that
// arrives where none may, a file that a command made. An answer that repeats what was sent proves
// nothing.
//
//	tool ─ parameters ─ control call ─ probes ─▶ fact
//
// A guard is proven where a control call worked and no probe got through. Where none worked,
// nothing is known, and the fact says so.
package probe
