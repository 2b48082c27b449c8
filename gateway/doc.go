// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package gateway puts many MCP servers behind one endpoint. A session is one client's
// side: messages in, a line each, and messages out. Over HTTP a streamable front makes
// sessions of requests; over stdio there is one.
//
//	client ── line ──▶ session ─ whose tool, prompt, resource? ─▶ upstream.Set of the server
//	   ▲                  │ refusal                                  judge, call, review
//	   └──────────────────┴────────────── the server's bytes ◀───────────┘
//
// Tools and prompts are called SERVER__NAME. Resources keep their URIs; one that two servers
// list is the first one's, and toolvet://SERVER/URI names any. Lists are merged in the order
// of the servers, from what is known if a server is down or slow: a call waits for its own
// server and for no other.
//
// Sessions of one principal, whose clients can do the same, share a connection to each server.
// A server can ask a client for something only while it works for that client alone. There
// is no SDK in the way of the data: results are the server's bytes, but for names, URIs and
// what the output layer changes.
package gateway
