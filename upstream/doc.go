// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package upstream talks to MCP servers as their client.
//
//	Config ─ NewSet ─▶ Set ─ Validate, Call "files:read_text_file" ─▶ verdict, outcome
//	Dialer ─ Connect: initialize, or server/discover ─▶ Client ─ Do, Tools
//
// A [Set] holds named servers: it connects to each when it is needed and again when it was
// lost, keeps their lists, and judges calls by the Gate before it makes them. A [Client] is one
// connection, and judges nothing.
//
// It uses no SDK, so that schemas and results stay the bytes that the server wrote.
// A server that misbehaves (writes what is no JSON-RPC, dies, hangs, never ends its
// list) costs a bounded time and an error that says what it did.
//
// The proxy does not use it: there, client and server shake hands with each other.
package upstream
