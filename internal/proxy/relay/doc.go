// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package relay is what toolvet does with the messages between an MCP client and a
// server, whatever carries them. It judges every tools/call before the server sees it, and
// looks at what the server sends before the client does.
//
//	client ── message ──▶ decode ─▶ judge ── the same bytes ──▶ server
//	   ▲                               │ no-go
//	   ├────── refusal ◀───────────────┘
//	   └────── message, three results changed ◀──────────────── server
//
// A transport (packages proxy and httpproxy) reads messages and hands them to an
// [Exchange], which answers them and passes them on through the transport's [Link]. Three
// levels keep what is known: a [Server] the tools that one principal sees, a [Client] the
// requests of one client that are not answered yet, an Exchange the way that messages take.
// Over stdio there is one of each; over HTTP each request of a client is an exchange.
package relay
