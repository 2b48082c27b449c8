// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// BenchmarkCall measures a call of a tool among others, with a gate and without.
func BenchmarkCall(b *testing.B) {
	for _, tools := range []int{10, 100} {
		for _, gated := range []bool{false, true} {
			b.Run(fmt.Sprintf("tools=%d/gate=%v", tools, gated), func(b *testing.B) {
				s := server.NewMCPServer("bench", "1")
				for i := range tools {
					s.AddTool(mcp.NewTool(fmt.Sprintf("tool%d", i), mcp.WithString("path", mcp.Required()), mcp.WithString("mode")),
						func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
							return mcp.NewToolResultText("done"), nil
						})
				}
				if gated {
					install(b, s, newGate(b))
				}
				message := json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool1","arguments":{"path":"notes/a.txt"}}}`)
				b.ReportAllocs()
				for b.Loop() {
					s.HandleMessage(b.Context(), message)
				}
			})
		}
	}
}
