// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Echoserver is an MCP server built on the official SDK. Its only tool returns its argument. It runs on stdio, or
// over HTTP with -listen. The benchmark puts proxies in front of it.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type arguments struct {
	Message string `json:"message" jsonschema:"what to give back"`
}

func main() {
	listen := flag.String("listen", "", "serve HTTP at `ADDRESS`, not stdio")
	json := flag.Bool("json", false, "answer over HTTP with JSON, not with event streams")
	flag.Parse()
	server := mcp.NewServer(&mcp.Implementation{Name: "echoserver", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Gives back what it is sent"},
		func(_ context.Context, _ *mcp.CallToolRequest, in arguments) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Echo: " + in.Message}}}, nil, nil
		})
	if *listen == "" {
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Fatal(err)
		}
		return
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{JSONResponse: *json})
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	log.Fatal(http.ListenAndServe(*listen, mux))
}
