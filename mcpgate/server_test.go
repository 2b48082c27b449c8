// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/mcpgate"
)

// runs records what the handlers of a server received, as "tool arguments".
type runs struct {
	mu  sync.Mutex
	all []string
}

func (r *runs) add(tool string, arguments json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, tool+" "+string(arguments))
}

// take returns the runs since the last take.
func (r *runs) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// raw is a handler without any validation, which answers with what it got.
func (r *runs) raw(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r.add(req.Params.Name, req.Params.Arguments)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}, nil
}

const readSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string"},
		"encoding": {"enum": ["utf-8", "latin1"]},
		"limit": {"type": "integer", "maximum": 12345678901234567890}
	},
	"required": ["path"]
}`

type greeting struct {
	Name  string `json:"name" jsonschema:"whom to greet"`
	Times int    `json:"times,omitempty"`
}

var secret = "s3cret-value"

// newServer makes a server with tools that behave in every way a tool can.
func newServer(options *mcp.ServerOptions) (*mcp.Server, *runs) {
	server := mcp.NewServer(&mcp.Implementation{Name: "fixture", Version: "1"}, options)
	return server, addTools(server)
}

func addTools(server *mcp.Server) *runs {
	r := new(runs)
	server.AddTool(&mcp.Tool{Name: "read", InputSchema: json.RawMessage(readSchema)}, r.raw)
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, func(_ context.Context, req *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
		r.add("greet", req.Params.Arguments)
		return nil, map[string]any{"greeting": "hello " + in.Name}, nil
	})
	anything := json.RawMessage(`{"type": "object"}`)
	server.AddTool(&mcp.Tool{Name: "panic", InputSchema: anything}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		panic("value: " + secret)
	})
	mcp.AddTool(server, &mcp.Tool{Name: "panic-typed"}, func(context.Context, *mcp.CallToolRequest, greeting) (*mcp.CallToolResult, any, error) {
		var none []string
		return nil, none[len(secret)], nil
	})
	server.AddTool(&mcp.Tool{Name: "nothing", InputSchema: anything}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, nil
	})
	server.AddTool(&mcp.Tool{Name: "fail", InputSchema: anything}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("the disk is full")
	})
	server.AddTool(&mcp.Tool{Name: "fail-coded", InputSchema: anything}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: 4711, Message: "out of luck", Data: json.RawMessage(`{"try":"later"}`)}
	})
	return r
}

func newGate(t testing.TB, opts ...toolvet.Option) *toolvet.Gate {
	t.Helper()
	gate, err := toolvet.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// install installs a default gate, with a logger that is silent unless opts say
// otherwise.
func install(t testing.TB, server *mcp.Server, opts ...mcpgate.Option) {
	t.Helper()
	opts = slices.Concat([]mcpgate.Option{mcpgate.WithLogger(slog.New(slog.DiscardHandler))}, opts)
	if err := mcpgate.Install(server, newGate(t), opts...); err != nil {
		t.Fatal(err)
	}
}

// guarded is a server with the fixture's tools and a default gate.
func guarded(t testing.TB, options *mcp.ServerOptions, opts ...mcpgate.Option) (*mcp.Server, *runs) {
	t.Helper()
	server, r := newServer(options)
	install(t, server, opts...)
	return server, r
}
