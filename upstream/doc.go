// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package upstream talks to MCP servers as their client.
//
//	Config ─ NewSet ─▶ Set ─ Validate, Call "files:read_text_file" ─▶ verdict, outcome
//	Dialer ─ Connect: initialize, or server/discover ─▶ Client ─ Do, Tools
//
// A [Set] holds named servers. It connects to each at its first use and again after a loss. It
// keeps their lists, and has the Gate judge calls before it makes them. A [Client] is one
// connection, and judges nothing.
//
// The package uses no SDK, so schemas and results stay the bytes of the server. A server that
// misbehaves (writes no JSON-RPC, dies, hangs, never ends its list) costs a bounded time and
// an error that describes the fault.
//
// The proxy does not use this package: there, client and server shake hands with each other.
package upstream
