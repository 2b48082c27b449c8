// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolvet/toolvet/check/checktest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"owncheck": main, "tracker": tracker})
}

type closing struct {
	Ticket string `json:"ticket" jsonschema:"the ticket to close"`
}

// tracker is an MCP server that knows nothing of toolvet.
func tracker() {
	server := mcp.NewServer(&mcp.Implementation{Name: "tracker", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "close", Description: "Close a ticket"}, func(_ context.Context, _ *mcp.CallToolRequest, in closing) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "closed " + in.Ticket}}}, nil, nil
	})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	checktest.Run(t, ticket, "testdata")
}

func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true})
}

// TestProxy calls through the proxy: a refusal is in the words of the check, and the server runs the other call.
func TestProxy(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "toolvet.yaml")
	policy := "version: 1\nservers: {tracker: {tools: {close: {arguments: {ticket: {ticket: {projects: [OPS]}}}}}}}\n"
	if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("owncheck", "proxy", "--policy", file, "--", "tracker")
	command.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := session.Close(); err != nil {
			t.Errorf("closing the session: %v", err)
		}
	}()
	for ticket, want := range map[string]string{
		"OPS-7": "closed OPS-7",
		"HR-7":  "error: /ticket: must be a ticket of one of these projects: OPS",
	} {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "close", Arguments: map[string]any{"ticket": ticket}})
		if err != nil {
			t.Fatal(err)
		}
		text, ok := res.Content[0].(*mcp.TextContent)
		if !ok || res.IsError != (ticket != "OPS-7") || !strings.Contains(text.Text, want) {
			t.Errorf("%s: got %+v, want %q", ticket, text, want)
		}
	}
}
