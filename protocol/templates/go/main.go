// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Command go is an MCP server on stdio with one tool. toolvet adds the tool validate, a dry run, and judges every live call.
// Copy this directory, and put your own tools in place of schedule_backup.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/mcpgate"
)

// A backup is the arguments of schedule_backup. Its JSON Schema is the first thing that a call must fit.
type backup struct {
	Path  string `json:"path" jsonschema:"the directory to back up"`
	Hours int    `json:"hours" jsonschema:"hours from one backup to the next"`
}

func main() {
	gate, err := toolvet.New(
		// The schema cannot say that the directory must exist.
		toolvet.WithTool("schedule_backup", toolvet.Argument("path", toolvet.Require(path.Demand, func(o *path.Options) {
			exists := true
			o.Exists, o.Type = &exists, "directory"
		}))),
	)
	if err != nil {
		log.Fatal(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "my-server", Version: "0.1.0"}, nil)
	if err := mcpgate.Install(server, gate); err != nil {
		log.Fatal(err)
	}
	mcp.AddTool(server, &mcp.Tool{Name: "schedule_backup", Description: "Back up a directory again and again."},
		func(_ context.Context, _ *mcp.CallToolRequest, in backup) (*mcp.CallToolResult, any, error) {
			text := fmt.Sprintf("backup scheduled every %d hours", in.Hours)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
