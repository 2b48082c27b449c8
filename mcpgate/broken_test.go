// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/mcpgate"
)

func TestBrokenToolIsAToolError(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		var log bytes.Buffer
		server, _ := guarded(t, nil, mcpgate.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		w := open(t, server, version)
		for tool, arguments := range map[string]string{"panic": `{}`, "panic-typed": `{"name":"a"}`, "nothing": `{}`} {
			a := w.call(tool, arguments)
			r := a.tool(t)
			if !r.IsError || len(r.Content) != 1 || (r.ResultType == "complete") != (version >= modernVersion) {
				t.Errorf("%s: got %s, want a tool error", tool, a.line)
			}
			if strings.Contains(a.line, secret) || strings.Contains(a.line, "assignment") {
				t.Errorf("%s: %s repeats the panic", tool, a.line)
			}
			if strings.Contains(a.line, "refused") {
				t.Errorf("%s: %s says that nothing ran", tool, a.line)
			}
		}
		if a := w.call("read", `{"path":"a"}`); a.Error != nil {
			t.Errorf("got %s, want the session to go on", a.line)
		}
		if !strings.Contains(log.String(), secret) || !strings.Contains(log.String(), "server_test.go") ||
			!strings.Contains(log.String(), "tool=panic-typed") {
			t.Errorf("the operator's log holds no panic with its stack: %s", &log)
		}
	})
}

// A check that breaks in a way the gate cannot see must not end the process.
func TestBrokenCheckRefuses(t *testing.T) {
	t.Parallel()
	unprintable := &check.Check{
		Name: "unprintable", Doc: "# unprintable\n\nReports what cannot be written as JSON.\n",
		Stage: check.Semantic, Level: check.SemanticLevel,
		Run: func(_ context.Context, pass *check.Pass) error {
			pass.Report(check.Finding{Message: "m", Value: json.RawMessage("{" + secret)})
			return nil
		},
	}
	server, ran := newServer(nil)
	gate := newGate(t, toolvet.WithChecks(append(suite.Default(), unprintable)...))
	if err := mcpgate.Install(server, gate, mcpgate.WithLogger(slog.New(slog.DiscardHandler))); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"2025-11-25", modernVersion} {
		w := open(t, server, version)
		for _, a := range []answer{w.call("read", `{"path":"a"}`), w.validate("read", `{"path":"a"}`)} {
			checkRefusal(t, a.tool(t), version)
			if strings.Contains(a.line, secret) {
				t.Errorf("%s repeats the panic", a.line)
			}
		}
	}
	if got := ran.take(); got != nil {
		t.Errorf("ran %q, want nothing", got)
	}
}

// A tool whose definition cannot be used refuses its own calls, and no others.
func TestUnusableDefinitionRefusesItsCalls(t *testing.T) {
	t.Parallel()
	server, ran := guarded(t, nil)
	for name, inputSchema := range map[string]json.RawMessage{
		"dialect":  json.RawMessage(`{"type":"object","$schema":"https://example.com/none"}`),
		"remote":   json.RawMessage(`{"type":"object","$ref":"https://example.com/schema.json"}`),
		"twice":    json.RawMessage(`{"type":"object","required":["a"],"required":[]}`),
		"untyped":  json.RawMessage(`{"type":"object","properties":{"a":{"type":"strin"}}}`),
		"compiles": json.RawMessage(`{"type":"object"}`),
	} {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: inputSchema}, ran.raw)
	}
	addCountdown(server, "vanishing", 0, ran.raw)
	for _, version := range []string{"2025-11-25", modernVersion} {
		w := open(t, server, version)
		for _, name := range []string{"dialect", "remote", "twice", "untyped", "vanishing"} {
			if r := w.call(name, `{}`).tool(t); !r.IsError {
				t.Errorf("%s: got %+v, want a refusal", name, r)
			}
		}
		if r := w.call("compiles", `{}`).tool(t); r.IsError {
			t.Errorf("got %+v, want the call run", r)
		}
		if diff := cmp.Diff([]string{"compiles {}"}, ran.take()); diff != "" {
			t.Errorf("runs differ (-want +got):\n%s", diff)
		}
	}
}

// countdown is a schema that can be written as JSON only so many times.
type countdown struct{ left atomic.Int64 }

func (c *countdown) MarshalJSON() ([]byte, error) {
	if c.left.Add(-1) < 0 {
		return nil, errors.New("broken")
	}
	return []byte(`{"type":"object"}`), nil
}

// addCountdown adds a tool whose schema can be written so many times after AddTool has
// tried it.
func addCountdown(server *mcp.Server, name string, left int64, handler mcp.ToolHandler) {
	schema := new(countdown)
	schema.left.Store(100)
	server.AddTool(&mcp.Tool{Name: name, InputSchema: schema}, handler)
	schema.left.Store(left)
}

// A definition is read once, and kept when other tools come and go.
func TestDefinitionsAreKept(t *testing.T) {
	t.Parallel()
	server, ran := guarded(t, nil)
	addCountdown(server, "kept", 1, ran.raw)
	w := open(t, server, "2025-11-25")
	for i := range 3 {
		if r := w.call("kept", `{}`).tool(t); r.IsError {
			t.Fatalf("call %d: got %+v, want it run", i, r)
		}
		server.AddTool(&mcp.Tool{Name: fmt.Sprintf("other%d", i), InputSchema: json.RawMessage(`{"type":"object"}`)}, ran.raw)
	}
}
