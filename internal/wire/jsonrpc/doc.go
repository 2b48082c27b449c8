// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package jsonrpc reads JSON-RPC messages as MCP has them, strictly: it refuses every text that two readers could
// read differently (see [Error]). Package call reads the params of a request.
package jsonrpc
