// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package gateway puts many MCP servers behind one endpoint. A session serves one client:
// it reads and writes messages, one a line. Over HTTP [Gateway.Handler] turns requests into
// sessions, with the authentication of the program around it; over stdio there is one session.
//
//	client ── line ──▶ session ─ whose tool, prompt, resource? ─▶ upstream.Set of the server
//	   ▲                  │ refusal                                  judge, call, review
//	   └──────────────────┴────────────── the server's bytes ◀───────────┘
//
// Tools and prompts are called SERVER__NAME. Resources keep their URIs. If two servers list
// the same URI, it belongs to the first; toolvet://SERVER/URI names the resource of either.
// Lists are merged in the order of the servers. For a server that is down or slow, the last
// known list stands in. A call waits for its own server and for no other.
//
// Sessions of one principal share a connection to each server if their clients have the same
// capabilities. A server can ask a client for something only while it works for that client
// alone. The data passes through no SDK: results are the server's bytes, except for names,
// URIs and the changes of the output layer.
package gateway
