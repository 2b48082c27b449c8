// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"strings"
)

// A Progress is the params of notifications/progress (MCP, basic/patterns/progress).
type Progress struct {
	Token    any    `json:"progressToken"`
	Progress int    `json:"progress"`
	Total    int    `json:"total"`
	Message  string `json:"message"`
}

// ProgressToken returns the token of a request with this _meta, a string or an integer, or
// nil if it has none that can be used.
func ProgressToken(meta map[string]any) any {
	switch token := meta["progressToken"].(type) {
	case string:
		return token
	case json.Number:
		if !strings.ContainsAny(string(token), ".eE") {
			return token
		}
	}
	return nil
}
