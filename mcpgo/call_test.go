// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/mcpgo"
)

// TestGoodCallIsUntouched holds that a handler gets the client's bytes, and the client what a server without a gate sends.
func TestGoodCallIsUntouched(t *testing.T) {
	t.Parallel()
	calls := []struct{ tool, arguments, received string }{
		{"read", `{ "path" : "a\u002fb" }`, `read { "path" : "a\u002fb" }`},
		{"read", `{"limit":12345678901234567890,"path":"<&> ü 😀"}`, `read {"limit":12345678901234567890,"path":"<&> ü 😀"}`},
		{"fail", `{}`, ""},
		{"fail", "", ""},
	}
	eachVersion(t, func(t *testing.T, version string) {
		bare, _ := newServer()
		with, ran := guarded(t)
		direct, judged := open(t, bare, version), open(t, with, version)
		for _, c := range calls {
			want, got := direct.call(c.tool, c.arguments), judged.call(c.tool, c.arguments)
			if diff := cmp.Diff(want.line, got.line); diff != "" {
				t.Errorf("%s %s: answers differ (-bare +guarded):\n%s", c.tool, c.arguments, diff)
			}
			var received []string
			if c.received != "" {
				received = []string{c.received}
			}
			if diff := cmp.Diff(received, ran.take(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the handler received something else (-want +got):\n%s", diff)
			}
		}
	})
}

// TestBadCallIsRefused holds that a bad call is a tool execution error with its reasons, and that a dry run says the same.
func TestBadCallIsRefused(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		s, ran := guarded(t)
		w := open(t, s, version)
		for _, c := range [][2]string{{"read", `{"pth":"Zebra"}`}, {"read", `{"path":17}`}, {"read", `{}`}, {"raed", `{"path":"a"}`}} {
			live, dry := w.call(c[0], c[1]), w.validate(c[0], c[1])
			refused := live.refusal(t)
			if dry.Result.Structured == nil || dry.Result.IsError || dry.Result.Structured.Valid {
				t.Fatalf("got %s, want a verdict", dry.line)
			}
			if diff := cmp.Diff(refused.Errors, dry.Result.Structured.Errors); diff != "" {
				t.Errorf("%v: the verdicts differ (-live +dry):\n%s", c, diff)
			}
			if strings.Contains(live.line, "Zebra") || (live.Result.Type == "complete") != (version >= modern) {
				t.Errorf("got %s", live.line)
			}
		}
		if got := w.call("raed", `{}`).refusal(t); !strings.Contains(strings.Join(got.Suggestions, ""), "tool read") {
			t.Errorf("got %v, want the tool that was meant", got)
		}
		if got := w.call("read", "").refusal(t); len(got.Errors) != 1 { // none is an empty object
			t.Errorf("got %v", got)
		}
		if got := ran.take(); got != nil {
			t.Errorf("%q ran", got)
		}
	})
}

// TestBatch holds that the batch tool judges each call, and runs none.
func TestBatch(t *testing.T) {
	t.Parallel()
	s, ran := guarded(t)
	got := open(t, s, "2025-11-25").call("validate_batch", `{"calls":[{"tool":"read","arguments":{"path":"a"}},{"tool":"read","arguments":{}}]}`)
	if v := got.Result.Structured; v == nil || v.Valid || len(v.Results) != 2 || !v.Results[0].Valid || v.Results[1].Valid || ran.take() != nil {
		t.Errorf("got %s", got.line)
	}
}

// TestTwoReaders holds that what another reader could read differently reaches no handler.
func TestTwoReaders(t *testing.T) {
	t.Parallel()
	s, ran := guarded(t)
	w := open(t, s, "2025-11-25")
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"a","path":"b"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","name":"read","arguments":{"path":"a"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","Name":"read","arguments":{"path":"a"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"read","arguments":{"path":"a"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":["a"]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
	} {
		if a := w.send(message); a.Error == nil {
			t.Errorf("%s: got %s", message, a.line)
		}
	}
	dry := w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"validate","arguments":{"tool":"read","arguments":{"path":"a","path":"b"}}}}`)
	if v := dry.Result.Structured; v == nil || v.Valid {
		t.Errorf("got %s", dry.line)
	}
	if got := ran.take(); got != nil {
		t.Errorf("%q ran", got)
	}
}

// TestMiddlewareIsHeard holds that the gate judges what a middleware makes of a call, in both of mcp-go's forms.
func TestMiddlewareIsHeard(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*mcp.CallToolParams){
		"arguments": func(p *mcp.CallToolParams) { p.Arguments = map[string]any{"pth": "x"} },
		"raw":       func(p *mcp.CallToolParams) { p.RawArguments = json.RawMessage(`{"path":7}`) },
		"unwritten": func(p *mcp.CallToolParams) { p.Arguments = map[string]any{"path": func() {}} },
		"none":      func(p *mcp.CallToolParams) { p.Arguments, p.RawArguments = nil, nil },
	} {
		s, ran := newServer(server.WithToolHandlerMiddleware(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
			return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				change(&r.Params)
				return next(ctx, r)
			}
		}))
		install(t, s, newGate(t))
		a := open(t, s, "2025-11-25").call("read", `{"path":"a"}`)
		if name == "raw" { // the handler reads one, BindArguments the other: they must agree
			if a.Result.IsError || strings.Contains(strings.Join(ran.take(), ""), "7") {
				t.Errorf("%s: got %s", name, a.line)
			}
			continue
		}
		if a.refusal(t); ran.take() != nil {
			t.Errorf("%s: it ran", name)
		}
	}
}

// TestBrokenTool holds that a panic or a missing result is a tool execution error without the panic's value.
func TestBrokenTool(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		var log bytes.Buffer
		s, _ := newServer()
		install(t, s, newGate(t), mcpgo.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		w := open(t, s, version)
		for _, tool := range []string{"panic", "nothing"} {
			if a := w.call(tool, `{}`); !a.Result.IsError || strings.Contains(a.line, secret) || strings.Contains(a.line, "refused") {
				t.Errorf("%s: got %s", tool, a.line)
			}
		}
		if !strings.Contains(log.String(), secret) || !strings.Contains(log.String(), "server_test.go") {
			t.Errorf("the operator's log has no panic with its stack: %s", &log)
		}
	})
}

// TestBrokenJudgement holds that a call is refused if judging it, or listing the tools, panics.
func TestBrokenJudgement(t *testing.T) {
	t.Parallel()
	broken := &check.Check{
		Name: "broken", Doc: "# broken\n\nReports what cannot be written as JSON.\n", Stage: check.Semantic, Level: check.SemanticLevel,
		Run: func(_ context.Context, pass *check.Pass) error {
			pass.Report(check.Finding{Message: "m", Value: json.RawMessage("{" + secret)})
			return nil
		},
	}
	filtered := false
	for name, s := range map[string]func() (*server.MCPServer, *runs, *toolvet.Gate){
		"check": func() (*server.MCPServer, *runs, *toolvet.Gate) {
			s, ran := newServer()
			return s, ran, newGate(t, toolvet.WithChecks(append(suite.Default(), broken)...))
		},
		"filter": func() (*server.MCPServer, *runs, *toolvet.Gate) {
			s, ran := newServer(server.WithToolFilter(func(_ context.Context, tools []mcp.Tool) []mcp.Tool {
				if filtered && len(tools) > 1 {
					panic(secret)
				}
				return tools
			}))
			return s, ran, newGate(t)
		},
	} {
		s, ran, gate := s()
		install(t, s, gate)
		filtered = true
		a := open(t, s, "2025-11-25").call("read", `{"path":"a"}`)
		if a.refusal(t); strings.Contains(a.line, secret) || ran.take() != nil {
			t.Errorf("%s: got %s", name, a.line)
		}
	}
}

// TestResultsAreReviewed holds that results and errors of handlers pass the output layer.
func TestResultsAreReviewed(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		s, _ := guarded(t)
		w := open(t, s, version)
		for _, tool := range []string{"leak", "leak-error"} {
			if a := w.call(tool, `{}`); strings.Contains(a.line, token) || !strings.Contains(a.line, "[redacted:github-pat]") {
				t.Errorf("%s: got %s", tool, a.line)
			}
		}
	})
}

// TestConcurrentCalls is for the race detector.
func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	s, _ := guarded(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			w := open(t, s, "2025-11-25")
			for range 20 {
				if a := w.call("read", `{"path":"a"}`); a.Result.IsError || a.Error != nil {
					t.Errorf("got %s", a.line)
				}
				w.call("read", `{"path":1}`)
				w.ask("tools/list", "")
				if i == 0 {
					s.AddTool(mcp.NewTool("more"), nil)
					s.DeleteTools("more")
				}
			}
		})
	}
	all.Wait()
}
