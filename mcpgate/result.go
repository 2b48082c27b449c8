// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// modern reports whether a call speaks 2026-07-28 or later. Its result then needs a resultType.
func modern(r *mcp.CallToolRequest) bool { return r.ProtocolVersion() >= jsonrpc.Modern }

// unjudged answers a call after its judgement broke.
func unjudged(r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	words := protocol.NewResult(r.Params.Name, toolvet.Verdict{})
	return newResult(words.Refusal(modern(r)))
}

// newResult makes the SDK's form of a CallToolResult. Clients of 2026-07-28 reject a result
// without resultType, but the SDK sets it only on the results of its own handlers (go-sdk issue
// 1225), and decoding JSON is the only other way to set it. Values that the SDK would decode
// into maps and floats keep their original text.
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
