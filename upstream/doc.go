// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package upstream talks to an MCP server as its client: it starts the server's
// command, shakes hands, lists its tools and calls them, over stdio.
//
//	Start ─ initialize, or server/discover ─▶ Client ─ Tools ─▶ call.Catalog
//
// It uses no SDK, so that schemas and results stay the bytes that the server wrote.
// A server that misbehaves (writes what is no JSON-RPC, dies, hangs, never ends its
// list) costs a bounded time and an error that says what it did.
//
// The proxy does not use it: there, client and server shake hands with each other.
package upstream
