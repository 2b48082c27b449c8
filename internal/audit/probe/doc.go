// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package probe tries what an MCP server lets through. It collects the facts of the dynamic audit
// (see package audit).
//
// The server runs in a sandbox. It sees a small world of our making: a root with files in it, files
// outside, beside and behind links, a home with a key, and a network with our addresses, names and
// certificates only. An attack that gets through shows in its effect: a token from a forbidden
// file, a new file outside the root, a request at a forbidden address, a file made by a command. An
// answer that repeats its input proves nothing.
//
//	tool ─ parameters ─ control call ─ probes ─▶ fact
//
// A guard is proven if a control call worked and no probe got through. If no control call worked,
// nothing is known, and the fact says so.
package probe
