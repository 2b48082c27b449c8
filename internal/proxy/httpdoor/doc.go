// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package httpdoor stands between MCP clients and a server that speaks streamable HTTP,
// and judges every tools/call before the server sees it. It reads requests and answers, and
// package mediate says what becomes of their messages.
//
// One [Proxy] serves both eras on one URL: sessions with Mcp-Session-Id up to 2025-11-25,
// and 2026-07-28, in which each request stands alone. A message that is passed on is passed
// on byte for byte; of an event stream, only the data of what is changed is.
//
// It fails closed. A message that cannot be read is not passed on, in either direction where
// the gate looks at results; a header and a body that disagree, a session that is another
// principal's, a redirect, an encoding or a content type that nobody asked for are refused.
package httpdoor
