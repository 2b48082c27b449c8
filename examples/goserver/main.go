// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Command goserver is an MCP server on standard input and output. Toolvet judges its calls: the only two additions to
// an SDK server are toolvet.New and mcpgate.Install.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/mcpgate"
)

type sum struct {
	A int `json:"a" jsonschema:"the first number"`
	B int `json:"b" jsonschema:"the second number"`
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "goserver", Version: "1.0.0"}, nil)
	gate, err := toolvet.New()
	if err != nil {
		log.Fatal(err)
	}
	if err := mcpgate.Install(server, gate); err != nil {
		log.Fatal(err)
	}
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Add two integers"}, add)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

func add(_ context.Context, _ *mcp.CallToolRequest, in sum) (*mcp.CallToolResult, map[string]int, error) {
	return nil, map[string]int{"sum": in.A + in.B}, nil
}
