// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package call holds what toolvet judges: one MCP tools/call, decoded strictly
// into one canonical value, and the definition of the tool that it names.
//
//	tool, err := call.DecodeTool(definition, call.Limits{}) // an entry of tools/list
//	c, err := call.NewCall(tool, map[string]any{"path": "notes.txt"})
//	verdict := gate.Judge(ctx, c, toolvet.PointLibrary)
//
// A program with the params of a request as JSON uses [DecodeParams] in place of NewCall, and lets [Call.Resolve]
// find the tool in a [Catalog].
//
// Decoding refuses every text that two JSON readers could read differently, so the bytes that are forwarded
// mean to the server what was judged. Texts of errors name places and rules, never a value, and may go to the
// sender.
//
// A Call belongs to one goroutine until it is judged, and is read-only from then on. Tools and Catalogs are
// read-only, and safe for concurrent use.
package call
