// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
)

// modern is the revision of a message of the era in which each request stands alone, if its headers
// or its body name one: servers may believe either. Else it is "".
func modern(h http.Header, body string) string {
	if v := max(h.Get(mcpheader.Version), body); v >= call.Modern {
		return v
	}
	return ""
}

// agree says how the headers of a message disagree with its body; nil if they agree. Toolvet judges
// the body, but programs in front of it or behind it may go by the headers.
func agree(h http.Header, m call.Envelope, limits call.Limits) error {
	version := mcpheader.BodyVersion(m.Params, limits)
	if modern(h, version) == "" || !m.IsRequest() {
		return mcpheader.CheckOlder(h, m, limits)
	}
	if version == "" {
		// The gate or the server refuses the body for that, with better words: the other headers
		// must agree all the same.
		h = h.Clone()
		h.Set(mcpheader.Version, "")
	}
	return mcpheader.Check(h, m, nil, limits)
}

// paramsAgree says why the headers Mcp-Param-… of a tools/call do not agree with the
// arguments, or "". Only the headers count that the tool's schema knows.
func paramsAgree(h http.Header, tool *call.Tool, arguments json.RawMessage, limits call.Limits) string {
	if tool == nil {
		return "" // no schema that could name headers
	}
	mirrors, err := mcpheader.Mirrors(tool.InputSchema, limits)
	if err != nil {
		return "the tool cannot be called with headers of its arguments: " + err.Error()
	}
	if err := mcpheader.CheckSent(h, arguments, mirrors, limits); err != nil {
		return err.Error()
	}
	return ""
}

func hasParams(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, mcpheader.Param) {
			return true
		}
	}
	return false
}
