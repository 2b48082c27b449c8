// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/mcpgate"
)

// TestAsk holds that a policy denies what a server asks of its client, and that the client's answer is
// judged before the server gets it.
func TestAsk(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse("toolvet.yaml", []byte(`version: 1
servers: {a: {}}
rules: [{name: forms, effect: deny, requests: "a:elicitation/create", when: 'args.message == "no"', message: not this one}]
`))
	if err != nil {
		t.Fatal(err)
	}
	options, err := (&access.Enforcer{Server: "a"}).Options(p)
	if err != nil {
		t.Fatal(err)
	}
	server, _ := newServer(nil)
	var failed error
	ask := func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, failed = req.Session.Elicit(ctx, &mcp.ElicitParams{Message: string(req.Params.Arguments[len(`{"m":"`) : len(req.Params.Arguments)-len(`"}`)])})
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
	}
	server.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object","properties":{"m":{"type":"string"}}}`)}, ask)
	gate := newGate(t, append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithServer("a"), toolvet.WithElsewhere("preset"))...)
	if err := mcpgate.Install(server, gate); err != nil {
		t.Fatal(err)
	}
	asked := 0
	session := connect(t, server, "2025-11-25", &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked++
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"a\x00": "x"}}, nil
	}})
	for _, tt := range []struct {
		message, want string
		asked         int
	}{{"no", "not this one", 0}, {"yes", "the client's answer is withheld", 1}} {
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"m": tt.message}}); err != nil {
			t.Fatal(err)
		}
		if failed == nil || !strings.Contains(failed.Error(), tt.want) || asked != tt.asked {
			t.Errorf("%q: the handler gets the error %v and the client is asked %d times, want %q and %d", tt.message, failed, asked, tt.want, tt.asked)
		}
	}
}
