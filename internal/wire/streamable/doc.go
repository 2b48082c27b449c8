// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package streamable joins MCP's Streamable HTTP to sessions of one line per message, as over stdio. A
// [Client] makes a server behind a URL look like a process; a [Front] makes a session look like a
// server behind a URL.
//
// Both keep the bytes of messages, with two exceptions: line ends between the tokens of a JSON text
// become spaces, and a Front replaces the ids of requests that share a session. They speak the
// revisions 2025-03-26 to 2025-11-25 (with sessions) and 2026-07-28 (without), as the peer does.
package streamable
