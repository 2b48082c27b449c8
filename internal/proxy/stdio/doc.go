// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package stdio is a proxy between an MCP client and a server over stdio. It judges
// every tools/call before the server sees it. It moves lines; package relay decides
// their fate.
//
// It forwards bytes. It changes the results of initialize and server/discover, to add
// the toolValidation capability, and the last page of tools/list, to add the validate
// tool. It does not forward refused calls or calls of the validate tool, and it hides
// its own requests to the server, whose ids start with "toolvet-", from the client.
// Everything else passes unchanged, so the two sides negotiate their protocol version
// with each other, from 2024-11-05 to 2026-07-28.
//
// Every request of the client gets an answer: from the server, from the proxy, or, when
// the server dies, an error to that effect. When the proxy returns, no process of the
// server is left.
package stdio
