// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package call holds what toolvet judges: one MCP tools/call, decoded strictly
// into one canonical value, and the definition of the tool that it names.
//
//	line ─ DecodeEnvelope ─▶ Envelope ─ DecodeParams ─▶ Call ─▶ Gate.Judge
//	tools/list result ─ DecodeTools ─▶ Catalog ─┘
//
// Decoding refuses every text that two JSON readers could read differently
// (see [Error]), so the bytes that are forwarded mean to the server what was
// judged. Nothing here knows a transport or an SDK.
package call
