// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package relay handles the messages between an MCP client and a server, over any
// transport. It judges every tools/call before the server sees it, and reviews the
// server's messages before the client sees them.
//
//	client ── message ──▶ decode ─▶ judge ── the same bytes ──▶ server
//	   ▲                               │ no-go
//	   ├────── refusal ◀───────────────┘
//	   └────── message, three results changed ◀──────────────── server
//
// A transport (packages stdio and httpdoor) reads messages and hands them to an
// [Exchange], which answers them or passes them on through the transport's [Link]. Three
// types hold the state: a [Server] holds the tools visible to one principal, a [Client] the
// open requests of one client, and an Exchange the messages on their way. Stdio has
// one of each; over HTTP each request of a client is an exchange of its own.
package relay
