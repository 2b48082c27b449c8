// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package stdio stands between an MCP client and a server that speaks stdio, and
// judges every tools/call before the server sees it: it moves lines, and package mediate
// says what becomes of them.
//
// It forwards bytes. What it changes is the result of initialize and of
// server/discover (it adds the toolValidation capability), and of the last page of
// tools/list (it adds the validate tool). What it keeps to itself are refused calls,
// calls of the validate tool, and its own requests to the server, whose ids start
// with "toolvet-". Everything else passes as it is, so that the two sides negotiate
// their protocol version with each other, from 2024-11-05 to 2026-07-28.
//
// Every request of the client is answered: by the server, by the proxy, or, when the
// server dies, by an error that says so. When the proxy returns, no process of the
// server is left.
package stdio
