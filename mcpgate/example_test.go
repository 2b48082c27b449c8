// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/mcpgate"
)

type order struct {
	Item  string `json:"item"`
	Count int    `json:"count"`
}

func ExampleInstall() {
	gate, err := toolvet.New()
	if err != nil {
		log.Fatal(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1.0.0"}, nil)
	if err := mcpgate.Install(server, gate); err != nil { // first, before other middleware
		log.Fatal(err)
	}
	mcp.AddTool(server, &mcp.Tool{Name: "order"}, func(_ context.Context, _ *mcp.CallToolRequest, in order) (*mcp.CallToolResult, any, error) {
		fmt.Println("ordering", in.Count, in.Item)
		return nil, nil, nil
	})

	// What a client sees of it:
	ctx := context.Background()
	clientSide, serverSide := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, serverSide, nil); err != nil {
		log.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1.0.0"}, nil).Connect(ctx, clientSide, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for _, count := range []any{3, "three"} {
		arguments := map[string]any{"item": "pens", "count": count}
		dry, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "validate",
			Arguments: map[string]any{"tool": "order", "arguments": arguments}})
		if err != nil {
			log.Fatal(err)
		}
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "order", Arguments: arguments})
		if err != nil {
			log.Fatal(err)
		}
		verdict := dry.StructuredContent.(map[string]any)
		fmt.Println("valid:", verdict["valid"], "errors:", verdict["errors"], "refused:", res.IsError)
	}
	// Output:
	// ordering 3 pens
	// valid: true errors: [] refused: false
	// valid: false errors: [/count: expected integer] refused: true
}
