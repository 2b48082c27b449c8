// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package demo is a small MCP file server on the official Go SDK, for "toolvet demo"
// and for tests.
//
// It is as trusting as many real servers: it declares the form of its arguments, and then accepts
// anything. It stays inside its root, though.
package demo

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// definitions is a tools/list result with the server's tools.
//
//go:embed tools.json
var definitions []byte

// Serve serves the directory dir to one client, until that closes in or ctx is done.
func Serve(ctx context.Context, dir string, in io.ReadCloser, out io.WriteCloser) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening the directory to serve: %w", err)
	}
	defer root.Close()
	server, err := newServer(files{root})
	if err != nil {
		return err
	}
	return server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}

func newServer(f files) (*mcp.Server, error) {
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(definitions, &list); err != nil {
		return nil, fmt.Errorf("tools.json: %w", err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "toolvet-demo", Version: "1"}, nil)
	handlers := f.handlers()
	for _, t := range list.Tools {
		handler, ok := handlers[t.Name]
		if !ok {
			return nil, fmt.Errorf("tools.json: the tool %q has no handler", t.Name)
		}
		server.AddTool(&mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema}, adapt(handler))
	}
	return server, nil
}

// adapt makes an SDK handler from a function of loosely read arguments. A tool's error goes to the
// model.
func adapt(handler func(arguments) (string, error)) mcp.ToolHandler {
	return func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := arguments{}
		err := json.Unmarshal(req.Params.Arguments, &args)
		text := ""
		if err == nil {
			text, err = handler(args)
		}
		result := &mcp.CallToolResult{IsError: err != nil}
		if err != nil {
			text = err.Error()
		}
		result.Content = []mcp.Content{&mcp.TextContent{Text: text}}
		return result, nil
	}
}
