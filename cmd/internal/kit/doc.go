// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package kit is the conformance kit of the validation protocol (docs/protocol.md). It tells whether a server, a proxy or a
// client speaks the protocol.
//
// Its scenarios are data: the files in scenarios/. A scenario has requests, expectations, the sentence of the protocol that
// it tests, and the reason for the sentence. Expectations are in CEL, which other languages can evaluate as well.
//
// A [Run] plays the scenarios for servers against one server, once for each revision of MCP that the server speaks. A server
// that has the two tools of the fixture can be tested in full. For a proxy, the kit is the server behind it, too. For a client,
// the kit is the server, and the client reads its tasks from its standard input ([Task]).
package kit
