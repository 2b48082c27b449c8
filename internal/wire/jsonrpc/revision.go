// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

// Modern is the first revision of MCP without sessions: each request says in _meta which
// revision it speaks and who sends it (2026-07-28, basic/index, _meta), and results have a
// resultType. Revisions are dates and compare as text.
const Modern = "2026-07-28"

// Keys of the _meta of requests since [Modern].
const (
	RevisionKey     = "io.modelcontextprotocol/protocolVersion"
	ClientInfoKey   = "io.modelcontextprotocol/clientInfo"
	CapabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
)

// IsModern reports whether a request with this _meta speaks [Modern] or later.
func IsModern(meta map[string]any) bool {
	revision, _ := meta[RevisionKey].(string)
	return revision >= Modern
}
