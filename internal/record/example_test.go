// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package record_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/internal/calllog"
	"github.com/toolvet/toolvet/mcpgate"
	"github.com/toolvet/toolvet/policyfile"
)

// A server on the official SDK. It judges and records calls as a policy demands.
func Example() {
	dir, err := os.MkdirTemp("", "toolvet-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "toolvet.yaml")
	if err := os.WriteFile(name, []byte(`version: 1
rules: [{name: small, effect: allow, tools: double, when: args.n < 100, message: only small numbers}]
log: {file: log.jsonl}
`), 0o600); err != nil {
		log.Fatal(err)
	}
	file, err := policyfile.Open(name, policyfile.Options{})
	if err != nil {
		log.Fatal(err)
	}

	server := mcp.NewServer(&mcp.Implementation{Name: "doubler", Version: "1"}, nil)
	if err := mcpgate.Install(server, file); err != nil {
		log.Fatal(err)
	}
	type number struct {
		N int `json:"n"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "double"}, func(_ context.Context, _ *mcp.CallToolRequest, in number) (*mcp.CallToolResult, number, error) {
		return nil, number{2 * in.N}, nil
	})
	callWith(server, 21, 2100)

	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	file.Close(ctx)
	for r, err := range calllog.Records(filepath.Join(dir, "log.jsonl")) {
		if err != nil {
			log.Fatal(err)
		}
		if r.Tool != "" {
			fmt.Println(r.Kind, r.Tool, r.Verdict)
		}
	}
	// Output:
	// call double go
	// result double go
	// call double no-go
}

// callWith calls the tool with each number.
func callWith(server *mcp.Server, numbers ...int) {
	ctx := context.Background()
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, there, nil); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for _, n := range numbers {
		if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "double", Arguments: map[string]any{"n": n}}); err != nil {
			log.Fatal(err)
		}
	}
}
