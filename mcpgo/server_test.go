// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/mcpgo"
)

const readSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string"},
		"limit": {"type": "integer", "maximum": 12345678901234567890}
	},
	"required": ["path"],
	"additionalProperties": false
}`

var secret = "s3cret-value"

// token is a made-up token, put together here so that nobody takes this file for a leak.
var token = "ghp_" + "x7Kq2mV9sR4tW1zB8nC5dF3gH6jL0pQaYu3E"

// runs records what the handlers of a server received, as "tool arguments".
type runs struct {
	mu  sync.Mutex
	all []string
}

func (r *runs) add(q mcp.CallToolRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, q.Params.Name+" "+string(q.Params.RawArguments))
}

// take returns the runs since the last take.
func (r *runs) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// newServer makes a server with tools that behave in every way a tool can.
func newServer(opts ...server.ServerOption) (*server.MCPServer, *runs) {
	s, r := server.NewMCPServer("fixture", "1", opts...), new(runs)
	tool := func(name string, handler server.ToolHandlerFunc) {
		s.AddTool(mcp.NewToolWithRawSchema(name, "", json.RawMessage(`{"type":"object"}`)), handler)
	}
	s.AddTool(mcp.NewToolWithRawSchema("read", "", json.RawMessage(readSchema)), func(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r.add(q)
		return mcp.NewToolResultText(fmt.Sprint(q.GetArguments()["path"])), nil
	})
	tool("panic", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("value: " + secret) })
	tool("nothing", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
	tool("fail", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("the disk is full")
	})
	tool("leak", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("use " + token), nil
	})
	tool("leak-error", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("login with " + token + " failed")
	})
	return s, r
}

func newGate(t testing.TB, opts ...toolvet.Option) *toolvet.Gate {
	t.Helper()
	gate, err := toolvet.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// install installs a gate with a silent logger, unless opts say otherwise.
func install(t testing.TB, s *server.MCPServer, gate *toolvet.Gate, opts ...mcpgo.Option) {
	t.Helper()
	opts = slices.Concat([]mcpgo.Option{mcpgo.WithLogger(slog.New(slog.DiscardHandler))}, opts)
	if err := mcpgo.Install(s, gate, opts...); err != nil {
		t.Fatal(err)
	}
}

// guarded is a server with the fixture's tools and a default gate.
func guarded(t testing.TB, opts ...server.ServerOption) (*server.MCPServer, *runs) {
	t.Helper()
	s, r := newServer(opts...)
	install(t, s, newGate(t))
	return s, r
}

const modern = "2026-07-28"

// A session is a client of a server in the process.
type session struct {
	t       testing.TB
	server  *server.MCPServer
	ctx     context.Context
	version string
	id      int
}

func eachVersion(t *testing.T, run func(t *testing.T, version string)) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			run(t, version)
		})
	}
}

func open(t testing.TB, s *server.MCPServer, version string) *session {
	return &session{t: t, server: s, ctx: t.Context(), version: version}
}

// An answer is a server's answer, as it would be sent.
type answer struct {
	line   string
	Result struct {
		IsError    bool
		Content    []struct{ Text string }
		Structured *verdict       `json:"structuredContent"`
		Meta       map[string]any `json:"_meta"`
		Type       string         `json:"resultType"`
		Tools      []struct{ Name string }
		Cursor     string `json:"nextCursor"`
		Caps       struct {
			Experimental, Extensions map[string]any
			Tools                    any
		} `json:"capabilities"`
	}
	Error *struct {
		Code    int
		Message string
	}
}

type verdict struct {
	Valid                         bool
	Errors, Warnings, Suggestions []string
	Results                       []verdict
}

// names returns the names of listed tools.
func (a *answer) names() []string {
	var names []string
	for _, t := range a.Result.Tools {
		names = append(names, t.Name)
	}
	return names
}

// refusal returns the verdict in _meta of a tool execution error. It fails the test for any other answer.
func (a *answer) refusal(t testing.TB) verdict {
	t.Helper()
	raw, err := json.Marshal(a.Result.Meta[protocol.VerdictKey])
	if err != nil {
		t.Fatal(err)
	}
	var v verdict
	if a.Error != nil || !a.Result.IsError || a.Result.Structured != nil || json.Unmarshal(raw, &v) != nil || len(v.Errors) == 0 || v.Valid {
		t.Fatalf("this is no refusal: %s", a.line)
	}
	return v
}

// ask sends a request. Params is JSON.
func (s *session) ask(method, params string) *answer {
	s.t.Helper()
	s.id++
	members := map[string]json.RawMessage{}
	if params != "" {
		if err := json.Unmarshal([]byte(params), &members); err != nil {
			s.t.Fatal(err)
		}
	}
	if s.version >= modern {
		members["_meta"] = json.RawMessage(`{"io.modelcontextprotocol/protocolVersion":"` + s.version + `","io.modelcontextprotocol/clientCapabilities":{}}`)
	}
	text := make([]string, 0, len(members))
	for key, value := range members { // RawMessages keep their bytes
		text = append(text, fmt.Sprintf("%q:%s", key, value))
	}
	return s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, s.id, method, strings.Join(text, ",")))
}

// send sends a message, which is not always JSON.
func (s *session) send(message string) *answer {
	s.t.Helper()
	line, err := json.Marshal(s.server.HandleMessage(s.ctx, json.RawMessage(message)))
	if err != nil {
		s.t.Fatal(err)
	}
	a := &answer{line: string(line)}
	if err := json.Unmarshal(line, a); err != nil {
		s.t.Fatalf("%v: %s", err, line)
	}
	return a
}

func (s *session) handshake() *answer {
	s.t.Helper()
	if s.version >= modern {
		return s.ask("server/discover", "")
	}
	return s.ask("initialize", `{"protocolVersion":"`+s.version+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
}

// call calls a tool. Arguments is JSON, or "" for none.
func (s *session) call(tool, arguments string) *answer {
	s.t.Helper()
	if arguments == "" {
		return s.ask("tools/call", fmt.Sprintf(`{"name":%q}`, tool))
	}
	return s.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

func (s *session) validate(tool, arguments string) *answer {
	s.t.Helper()
	return s.call("validate", fmt.Sprintf(`{"tool":%q,"arguments":%s}`, tool, arguments))
}
