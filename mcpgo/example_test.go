// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/mcpgo"
)

func ExampleInstall() {
	s := server.NewMCPServer("shop", "1.0.0")
	s.AddTool(mcp.NewTool("order", mcp.WithString("item", mcp.Required()), mcp.WithInteger("count", mcp.Min(1))),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			fmt.Println("ordering", r.GetInt("count", 1), r.GetString("item", ""))
			return mcp.NewToolResultText("ordered"), nil
		})
	gate, err := toolvet.New()
	if err != nil {
		log.Fatal(err)
	}
	if err := mcpgo.Install(s, gate); err != nil { // last, before serving
		log.Fatal(err)
	}

	// What a client sees of it:
	ctx := context.Background()
	c, err := client.NewInProcessClient(s)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		log.Fatal(err)
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		log.Fatal(err)
	}
	call := func(tool string, arguments any) *mcp.CallToolResult {
		res, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: arguments}})
		if err != nil {
			log.Fatal(err)
		}
		return res
	}
	for _, count := range []any{3, "three"} {
		arguments := map[string]any{"item": "pens", "count": count}
		dry := call("validate", map[string]any{"tool": "order", "arguments": arguments})
		res := call("order", arguments)
		verdict := dry.StructuredContent.(map[string]any)
		fmt.Println("valid:", verdict["valid"], "errors:", verdict["errors"], "refused:", res.IsError)
	}
	// Output:
	// ordering 3 pens
	// valid: true errors: [] refused: false
	// valid: false errors: [/count: expected integer of at least 1] refused: true
}
