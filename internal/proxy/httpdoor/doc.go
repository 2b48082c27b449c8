// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package httpdoor is a proxy between MCP clients and a server over streamable HTTP. It
// judges every tools/call before the server sees it. It reads requests and answers; package
// relay decides the fate of their messages.
//
// One [Proxy] serves both eras on one URL: sessions with Mcp-Session-Id up to 2025-11-25,
// and independent requests since 2026-07-28. It forwards messages byte for byte, and changes
// only the data of an event in a stream.
//
// It fails closed. It never forwards an unreadable message from a client, nor one from the
// server if the gate looks at results. It refuses a header that disagrees with the body, the
// session of another principal, a redirect, and an unrequested encoding or content type.
package httpdoor
