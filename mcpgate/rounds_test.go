// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addConfirm adds a tool that asks its client before it acts (SEP-2322).
func addConfirm(server *mcp.Server, ran *runs) {
	server.AddTool(&mcp.Tool{Name: "confirm", InputSchema: json.RawMessage(readSchema)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			ran.add("confirm "+req.Params.RequestState, req.Params.Arguments)
			if len(req.Params.InputResponses) > 0 {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
			}
			return &mcp.CallToolResult{RequestState: "asked", InputRequests: mcp.InputRequestMap{
				"sure": &mcp.ElicitParams{Message: "Sure?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)},
			}}, nil
		})
}

// Since 2026-07-28 the client sends the second round as a call of its own, and may send
// other arguments with it: it is judged again.
func TestEveryRoundIsJudged(t *testing.T) {
	t.Parallel()
	server, ran := guarded(t, nil)
	addConfirm(server, ran)
	w := open(t, server, modernVersion)
	if r := w.call("confirm", `{"path":"a"}`).tool(t); r.ResultType != "input_required" {
		t.Fatalf("got %+v, want the tool to ask", r)
	}
	const answers = `"requestState":"asked","inputResponses":{"sure":{"action":"accept","content":{}}}`
	bad := w.ask("tools/call", `{"name":"confirm","arguments":{"path":7},`+answers+`}`)
	checkRefusal(t, bad.tool(t), modernVersion)
	good := w.ask("tools/call", `{"name":"confirm","arguments":{"path":"b"},`+answers+`}`).tool(t)
	if good.IsError || len(good.Content) != 1 || good.Content[0].Text != "done" {
		t.Errorf("got %+v, want the second round run", good)
	}
	want := []string{`confirm  {"path":"a"}`, `confirm asked {"path":"b"}`}
	if diff := cmp.Diff(want, ran.take()); diff != "" {
		t.Errorf("runs differ (-want +got):\n%s", diff)
	}
}

// For an older client the SDK asks by itself and repeats the call behind the gate, with
// the arguments that were judged.
func TestRoundsOfOlderClientsKeepTheirArguments(t *testing.T) {
	t.Parallel()
	server, ran := guarded(t, nil)
	addConfirm(server, ran)
	session := connect(t, server, "2025-11-25", &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
		},
	})
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "confirm", Arguments: json.RawMessage(`{"path":"a"}`)})
	if err != nil || res.IsError {
		t.Fatalf("got %+v, %v, want both rounds run", res, err)
	}
	want := []string{`confirm  {"path":"a"}`, `confirm asked {"path":"a"}`}
	if diff := cmp.Diff(want, ran.take()); diff != "" {
		t.Errorf("runs differ (-want +got):\n%s", diff)
	}
}
