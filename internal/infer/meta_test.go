// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package infer_test

import (
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/infer"
)

func TestMetaTool(t *testing.T) {
	t.Parallel()
	for definition, want := range map[string]infer.Meta{
		`{"name":"call_tool","inputSchema":{"properties":{"name":{"type":"string"},"arguments":{"type":"object"}}}}`:             {Tool: "name", Arguments: "arguments"},
		`{"name":"execute_tool","inputSchema":{"properties":{"tool_name":{"type":"string"},"args":{}}}}`:                         {Tool: "tool_name", Arguments: "args"},
		`{"name":"invokeTool","inputSchema":{"properties":{"tool":{"type":"string"},"input":{"type":["object","null"]}}}}`:       {Tool: "tool", Arguments: "input"},
		`{"name":"run-tool","inputSchema":{"properties":{"toolName":{"type":"string"},"params":{"type":"string"}}}}`:             {Tool: "toolName", Arguments: "params"},
		`{"name":"use_mcp_tool","inputSchema":{"properties":{"server":{},"tool_name":{},"arguments":{}}}}`:                       {Tool: "tool_name", Arguments: "arguments"},
		`{"name":"dispatch","inputSchema":{"properties":{"tool":{"type":"string"},"arguments":{"type":"object"}}}}`:              {Tool: "tool", Arguments: "arguments"},
		`{"name":"find_tool","inputSchema":{"properties":{"query":{"type":"string"}}}}`:                                          {},
		`{"name":"describe_tool","inputSchema":{"properties":{"tool_name":{"type":"string"}}}}`:                                  {Tool: "tool_name"},
		`{"name":"create_user","inputSchema":{"properties":{"name":{"type":"string"},"params":{"type":"object"}}}}`:              {Arguments: "params"},
		`{"name":"call_tool","inputSchema":{"properties":{"name":{"type":"integer"},"arguments":{"type":"array"}}}}`:             {},
		`{"name":"call_tool","inputSchema":{"properties":{"request":{"properties":{"name":{"type":"string"},"arguments":{}}}}}}`: {},
		`{"name":"call_tool","inputSchema":7}`: {},
	} {
		tool, err := call.DecodeTool([]byte(definition), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, ok := infer.MetaTool(tool)
		if got != want || ok != (want.Tool != "" && want.Arguments != "") {
			t.Errorf("%s: got %+v, %v, want %+v", definition, got, ok, want)
		}
	}
}
