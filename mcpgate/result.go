// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/protocol"
)

// modern reports whether a call speaks 2026-07-28 or later, whose results have a
// resultType.
func modern(r *mcp.CallToolRequest) bool { return r.ProtocolVersion() >= call.Modern }

// unjudged is the answer to a call whose judgement broke.
func unjudged(r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	words := protocol.NewResult(r.Params.Name, toolvet.Verdict{})
	return newResult(words.Refusal(modern(r)))
}

// newResult makes the SDK's form of a CallToolResult. It goes through JSON because that
// is the only way to set resultType: the SDK sets it on what its own handlers return,
// and clients of 2026-07-28 reject a result without it (go-sdk issue 1225). What the
// SDK would decode into maps and floats is kept as it is written.
func newResult(raw json.RawMessage) (*mcp.CallToolResult, error) {
	res := new(mcp.CallToolResult)
	var exact struct {
		Structured json.RawMessage            `json:"structuredContent"`
		Meta       map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(raw, res); err != nil {
		return nil, fmt.Errorf("mcpgate: the SDK does not read toolvet's result: %w", err)
	}
	if err := json.Unmarshal(raw, &exact); err != nil {
		return nil, fmt.Errorf("mcpgate: toolvet's result is malformed: %w", err)
	}
	if exact.Structured != nil {
		res.StructuredContent = exact.Structured
	}
	for key, value := range exact.Meta {
		res.Meta[key] = value
	}
	return res, nil
}

// untyped keeps a nil pointer from becoming an interface that is not nil.
func untyped(res *mcp.CallToolResult, err error) (mcp.Result, error) {
	if err != nil {
		return nil, err
	}
	return res, nil
}
