// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkCall makes a good call of a server with some tools, bare and guarded; the
// difference is what the gate costs, the look at the server's tools included.
func BenchmarkCall(b *testing.B) {
	for _, tools := range []int{1, 100, 1000} {
		for _, kind := range []string{"bare", "guarded"} {
			b.Run(fmt.Sprintf("tools=%d/%s", tools, kind), func(b *testing.B) {
				server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
				for i := range tools {
					server.AddTool(&mcp.Tool{Name: fmt.Sprintf("t%04d", i), InputSchema: json.RawMessage(readSchema)},
						func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
							return &mcp.CallToolResult{}, nil
						})
				}
				if kind == "guarded" {
					install(b, server)
				}
				w := open(b, server, "2025-11-25")
				b.ReportAllocs()
				for b.Loop() {
					if r := w.call("t0000", `{"path":"a"}`).tool(b); r.IsError {
						b.Fatal(r)
					}
				}
			})
		}
	}
}
