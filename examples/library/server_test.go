// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package library

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/mcpgate"
	"github.com/toolvet/toolvet/policyfile"
)

// A server with everything: a policy file, a demand in code, a check of its own. Metrics and traces come by
// policyfile.Options.Observer, from github.com/toolvet/toolvet/export, a module of its own.
func Example_server() {
	dir := must(os.MkdirTemp("", "toolvet-example-"))
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "toolvet.yaml")
	must(0, os.WriteFile(name, []byte(`version: 1
servers: {shop: {roots: [`+dir+`], base: `+dir+`}}
rules: [{name: small, effect: allow, tools: "shop:order", when: args.count < 100, message: only small orders}]
limits: [{name: calls, tools: "shop:*", rate: 1000/s}]
log: {file: log.jsonl}
output: {secrets: {action: redact}}
`), 0o600))
	file := must(policyfile.Open(name, policyfile.Options{
		Server: "shop",
		Gate: []toolvet.Option{
			toolvet.WithMoreChecks(&check.Check{Name: "no-friday", Doc: "# no-friday\n\nNo orders named friday.\n", Stage: check.Semantic, Level: check.SemanticLevel,
				Run: func(_ context.Context, p *check.Pass) error {
					if s, _ := p.Call.Arguments["path"].(string); strings.Contains(s, "friday") {
						p.Reportf("/path", "not on friday")
					}
					return nil
				}}),
			toolvet.WithTool("order", toolvet.Argument("path", toolvet.Require(path.Demand, func(o *path.Options) { o.Extensions = []string{".md"} }))),
		},
	}))
	defer file.Close(context.Background())
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	must(0, mcpgate.Install(server, file, mcpgate.WithLogger(slog.New(slog.DiscardHandler))))
	type order struct {
		Path  string `json:"path"`
		Count int    `json:"count"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, order) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok ghp_a8Fk2Lq9Zx3Vb7Nm1Qw5Er6Ty4Ui0OpAsDfG"}}}, nil, nil
	})
	ctx := context.Background()
	here, there := mcp.NewInMemoryTransports()
	must(server.Connect(ctx, there, nil))
	client := must(mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(ctx, here, nil))
	defer client.Close()
	for _, o := range []order{{"a.md", 3}, {"a.txt", 3}, {"a.md", 300}, {"friday.md", 1}, {"../../x.md", 1}} {
		result := must(client.CallTool(ctx, &mcp.CallToolParams{Name: "order", Arguments: o}))
		fmt.Println(o, result.IsError, strings.Contains(result.Content[0].(*mcp.TextContent).Text, "ghp_"))
	}
	// Output:
	// {a.md 3} false false
	// {a.txt 3} true false
	// {a.md 300} true false
	// {friday.md 1} true false
	// {../../x.md 1} true false
}
