// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/internal/protocol"
)

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

const modernRevision = "2026-07-28"

// TestRevisions connects a plain client through the proxy to a server that speaks one
// revision of MCP and no other.
func TestRevisions(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			p := behind(t, configure(newGate(t), as("as-sdk-server", revision)))
			c := &plainClient{peer: p, revision: revision}
			c.shakeHands()
			c.checkCalls()
			if revision == "2025-03-26" {
				checkBatch(t, p)
			}
		})
	}
}

// A plainClient speaks one revision of MCP.
type plainClient struct {
	*peer
	revision string
	ids      int
}

// request sends a request, and returns the answer.
func (c *plainClient) request(method string, params map[string]any) message {
	c.t.Helper()
	c.ids++
	if c.revision >= modernRevision {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    c.revision,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "plain", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.ids, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	return c.ask(fmt.Sprint(c.ids), string(line))
}

func (c *plainClient) shakeHands() {
	c.t.Helper()
	var result struct {
		ProtocolVersion   string
		SupportedVersions []string
		Capabilities      struct {
			Experimental, Extensions map[string]protocol.Capability
		}
	}
	method, params := "initialize", map[string]any{
		"protocolVersion": c.revision, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "plain", "version": "1"},
	}
	if c.revision >= modernRevision {
		method, params = "server/discover", map[string]any{}
	}
	answer := c.request(method, params)
	if err := json.Unmarshal(answer.Result, &result); err != nil {
		c.t.Fatalf("%s: %v, %v", method, err, answer.Error)
	}
	if result.ProtocolVersion != c.revision && !slices.Contains(result.SupportedVersions, c.revision) {
		c.t.Errorf("%s: the server speaks %q, %q, want %s", method, result.ProtocolVersion, result.SupportedVersions, c.revision)
	}
	for where, got := range map[string]protocol.Capability{
		"experimental": result.Capabilities.Experimental["toolValidation"],
		"extensions":   result.Capabilities.Extensions["io.github.toolvet/tool-validation"],
	} {
		if !got.Supported || got.Method != "validate" {
			c.t.Errorf("%s of %s: %+v", where, method, got)
		}
	}
	if method == "initialize" {
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
}

func (c *plainClient) callTool(name string, arguments map[string]any) callResult {
	c.t.Helper()
	return c.request("tools/call", map[string]any{"name": name, "arguments": arguments}).callResult(c.t)
}

func (c *plainClient) checkCalls() {
	c.t.Helper()
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(c.request("tools/list", map[string]any{}).Result, &list); err != nil {
		c.t.Fatal(err)
	}
	if n := len(list.Tools); n < 3 || list.Tools[n-2].Name != "validate" || list.Tools[n-1].Name != "validate_batch" {
		c.t.Errorf("tools: %v, want validate and its batch tool last", list.Tools)
	}
	resultType := ""
	if c.revision >= modernRevision {
		resultType = "complete"
	}
	for _, call := range []struct {
		name, text string
		arguments  map[string]any
		isError    bool
	}{
		{"echo", "Echo: hi", map[string]any{"message": "hi"}, false},
		{"echo", "/message", map[string]any{"mesage": "hi"}, true},
		{"validate", `"valid":true`, map[string]any{"tool": "get-sum", "arguments": map[string]any{"a": 1, "b": 2}}, false},
		{"validate", `"valid":false`, map[string]any{"tool": "get-sum", "arguments": map[string]any{"a": 1}}, false},
	} {
		got := c.callTool(call.name, call.arguments)
		if got.IsError != call.isError || !strings.Contains(got.text(), call.text) || got.ResultType != resultType {
			c.t.Errorf("%s(%v): got %+v, want isError %v, %q in the text, resultType %q",
				call.name, call.arguments, got, call.isError, call.text, resultType)
		}
	}
}

// checkBatch sends a batch, which only 2025-03-26 has. Each of its requests is answered.
func checkBatch(t *testing.T, p *peer) {
	t.Helper()
	p.send(`[{"jsonrpc":"2.0","id":"b1","method":"tools/call","params":{"name":"echo","arguments":{"message":"in a batch"}}},` +
		`{"jsonrpc":"2.0","method":"notifications/x"},` +
		`{"jsonrpc":"2.0","id":"b2","method":"tools/call","params":{"name":"echo","arguments":{}}},` +
		`{"jsonrpc":"2.0","id":"b3","method":"ping"}]`)
	answers := map[string]message{}
	for len(answers) < 3 {
		line, err := p.next()
		if err != nil {
			t.Fatalf("%v; got %v", err, answers)
		}
		m := decode(t, line)
		answers[string(m.ID)] = m
	}
	if got := answers[`"b1"`].callResult(t); got.IsError || got.text() != "Echo: in a batch" {
		t.Errorf("good call in a batch: %+v", got)
	}
	if got := answers[`"b2"`].callResult(t); !got.IsError {
		t.Errorf("bad call in a batch: %+v", got)
	}
	if answers[`"b3"`].Result == nil {
		t.Errorf("ping in a batch: %+v", answers[`"b3"`])
	}
}

// TestGoClient connects the Go SDK's client, by each revision, through the proxy.
func TestGoClient(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			command := as("as-proxy", as("as-sdk-server")...)
			client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, nil)
			session, err := client.Connect(ctx,
				&mcp.CommandTransport{Command: exec.Command(command[0], command[1:]...), TerminateDuration: patience},
				&mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := session.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
			}()
			if got := session.InitializeResult().ProtocolVersion; got != revision {
				t.Errorf("negotiated %s, want %s", got, revision)
			}
			good, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "get-sum", Arguments: map[string]any{"a": 1, "b": 2}})
			if err != nil || good.IsError {
				t.Errorf("good call: %+v, %v", good, err)
			}
			bad, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "get-sum", Arguments: map[string]any{"a": "1"}})
			if err != nil || !bad.IsError {
				t.Errorf("bad call: %+v, %v", bad, err)
			}
		})
	}
}
