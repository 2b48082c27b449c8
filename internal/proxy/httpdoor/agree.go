// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
)

// modern returns the later of the revisions in a message's headers and body, since servers may
// believe either. It returns "" if that is before jsonrpc.Modern, which made requests stand alone.
func modern(h http.Header, body string) string {
	if v := max(h.Get(mcpheader.Version), body); v >= jsonrpc.Modern {
		return v
	}
	return ""
}

// agree returns an error if the headers of a message disagree with its body. Toolvet judges the
// body, but programs in front of it or behind it may go by the headers.
func agree(h http.Header, m jsonrpc.Envelope, limits call.Limits) error {
	version := mcpheader.BodyVersion(m.Params, limits)
	if modern(h, version) == "" || !m.IsRequest() {
		return mcpheader.CheckOlder(h, m, limits)
	}
	if version == "" {
		// The gate or the server refuses such a body with a better message. The other headers
		// must agree nevertheless.
		h = h.Clone()
		h.Set(mcpheader.Version, "")
	}
	return mcpheader.Check(h, m, nil, limits)
}

// paramsAgree returns "" if the Mcp-Param-… headers of a tools/call agree with the arguments,
// and the disagreement otherwise. It ignores headers unknown to the tool's schema.
func paramsAgree(h http.Header, tool *call.Tool, arguments json.RawMessage, limits call.Limits) string {
	if tool == nil {
		return "" // without a schema, no header counts
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
