// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/mcpgate"
)

type capabilities struct {
	Experimental map[string]json.RawMessage
	Extensions   map[string]json.RawMessage
	Tools        json.RawMessage
	Logging      json.RawMessage
}

func (a answer) capabilities(t testing.TB) capabilities {
	t.Helper()
	var r struct{ Capabilities capabilities }
	unmarshal(t, a.Result, &r)
	return r.Capabilities
}

// method is the name of the validate tool that a handshake announces.
func (a answer) method(t testing.TB) string {
	t.Helper()
	var c protocol.Capability
	raw := a.capabilities(t).Experimental[protocol.Experimental]
	if raw == nil {
		return ""
	}
	unmarshal(t, raw, &c)
	return c.Method
}

func TestHandshakeAnnouncesInBothPlaces(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		server, _ := guarded(t, nil)
		caps := handshake(t, server, version).capabilities(t)
		experimental, extension := caps.Experimental[protocol.Experimental], caps.Extensions[protocol.Extension]
		if experimental == nil {
			t.Fatalf("got no capability in %v", caps)
		}
		if diff := cmp.Diff(string(experimental), string(extension)); diff != "" {
			t.Errorf("the two places differ (-experimental +extensions):\n%s", diff)
		}
		conforms(t, protocol.CapabilitySchema, experimental)
		want := protocol.NewCapability("validate", inside.Of(newGate(t)).Levels())
		want.Streaming, want.ContextAware, want.Cacheable, want.Tokens = true, true, true, true
		want.BatchValidation, want.MaxBatchSize = true, 100
		want.Caching = protocol.Caching{TTL: time.Minute, InvalidateOn: []string{"tool_update", "resource_change"}}
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		equalJSON(t, experimental, raw)
		if caps.Logging == nil || string(caps.Tools) != `{"listChanged":true}` {
			t.Errorf("got %+v, want the SDK's own capabilities kept", caps)
		}
	})
}

func TestHandshakeMergesWithTheServers(t *testing.T) {
	t.Parallel()
	own := &mcp.ServerCapabilities{
		Experimental: map[string]any{"x": map[string]any{"a": 1}},
		Extensions:   map[string]any{"com.example/y": map[string]any{}},
		Tools:        &mcp.ToolCapabilities{},
	}
	eachVersion(t, func(t *testing.T, version string) {
		server, _ := guarded(t, &mcp.ServerOptions{Capabilities: own})
		caps := handshake(t, server, version).capabilities(t)
		if len(caps.Experimental) != 2 || string(caps.Experimental["x"]) != `{"a":1}` {
			t.Errorf("got experimental %s, want the server's x and ours", caps.Experimental)
		}
		if len(caps.Extensions) != 2 || string(caps.Extensions["com.example/y"]) != `{}` {
			t.Errorf("got extensions %s, want the server's y and ours", caps.Extensions)
		}
		if string(caps.Tools) != `{}` || caps.Logging != nil {
			t.Errorf("got %+v, want tools and logging as the server set them", caps)
		}
		if len(own.Experimental) != 1 || len(own.Extensions) != 1 {
			t.Errorf("the author's own capabilities were changed: %+v", own)
		}
	})
}

func TestHandshakeCopiesSharedCapabilities(t *testing.T) {
	t.Parallel()
	shared := &mcp.ServerCapabilities{Experimental: map[string]any{}}
	server, _ := newServer(nil)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if r, ok := res.(*mcp.InitializeResult); ok && err == nil {
				r.Capabilities = shared
			}
			return res, err
		}
	})
	install(t, server)
	if got := handshake(t, server, "2025-11-25").method(t); got != "validate" {
		t.Errorf("got method %q, want validate", got)
	}
	if len(shared.Experimental) != 0 || shared.Extensions != nil || shared.Tools != nil {
		t.Errorf("an object that all sessions share was changed: %+v", shared)
	}
}

func TestServerWithoutToolsHasTheValidateTool(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		server := mcp.NewServer(&mcp.Implementation{Name: "empty", Version: "1"}, nil)
		install(t, server)
		if got := string(handshake(t, server, version).capabilities(t).Tools); got != `{"listChanged":true}` {
			t.Errorf("got tools capability %s, want one: there is a tool to list", got)
		}
		w := open(t, server, version)
		if pages := w.list(); len(pages) != 1 || len(pages[0]) != 2 {
			t.Errorf("got %s, want the tools of toolvet alone", pages)
		}
		if r := w.validate("validate", `{"tool":"x","arguments":{}}`).tool(t); r.IsError {
			t.Errorf("got %+v, want an answer", r)
		}
	})
}

// A server that cannot list its tools serves everything but calls.
func TestUnlistableServerFailsClosed(t *testing.T) {
	t.Parallel()
	faults := map[string]func() (mcp.Result, error){
		"error":      func() (mcp.Result, error) { return nil, errors.New("broken: " + secret) },
		"panic":      func() (mcp.Result, error) { panic(secret) },
		"typed nil":  func() (mcp.Result, error) { return (*mcp.ListToolsResult)(nil), nil },
		"other type": func() (mcp.Result, error) { return &mcp.ListPromptsResult{}, nil },
		"no end":     func() (mcp.Result, error) { return &mcp.ListToolsResult{NextCursor: "again"}, nil },
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, ran := newServer(nil)
			server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					if method == "tools/list" {
						return fault()
					}
					return next(ctx, method, req)
				}
			})
			install(t, server)
			w := dial(t, server, "2025-11-25")
			if a := w.initialize(); a.method(t) != "" {
				t.Errorf("got %s, want no capability that cannot be kept", a.line)
			}
			r := w.call("read", `{"path":"a"}`)
			if got := r.tool(t); !got.IsError || strings.Contains(r.line, secret) {
				t.Errorf("got %s, want a refusal without the fault's text", r.line)
			}
			if got := ran.take(); got != nil {
				t.Errorf("ran %q, want nothing", got)
			}
		})
	}
}

func TestNameInForce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		taken []string
		opts  []mcpgate.Option
		want  string
	}{
		{nil, nil, "validate"},
		{[]string{"validate"}, nil, "toolvet_validate"},
		{[]string{"toolvet_validate"}, nil, "validate"},
		{[]string{"validate_batch"}, nil, "toolvet_validate"},
		{[]string{"validate", "toolvet_validate"}, nil, "toolvet_validate_2"},
		{[]string{"validate", "toolvet_validate", "toolvet_validate_2"}, nil, "toolvet_validate_3"},
		{nil, []mcpgate.Option{mcpgate.WithToolName("dry.run")}, "dry.run"},
		{[]string{"dry.run"}, []mcpgate.Option{mcpgate.WithToolName("dry.run")}, "toolvet_validate"},
		{[]string{"toolvet_validate"}, []mcpgate.Option{mcpgate.WithToolName("toolvet_validate")}, "toolvet_validate_2"},
	}
	for _, tt := range tests {
		for _, when := range []string{"before", "after"} {
			t.Run(fmt.Sprintf("%s/%v taken %s", tt.want, tt.taken, when), func(t *testing.T) {
				t.Parallel()
				server, ran := newServer(nil)
				if when == "after" {
					install(t, server, tt.opts...)
				}
				for _, name := range tt.taken {
					server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, ran.raw)
				}
				if when == "before" {
					install(t, server, tt.opts...)
				}
				for _, version := range []string{"2025-06-18", modernVersion} {
					checkName(t, server, ran, version, tt.taken, tt.want)
				}
			})
		}
	}
}

// checkName checks that the validate tool is called want in the handshake, in the list
// and in calls, and that the server's own tools of the taken names still run.
func checkName(t *testing.T, server *mcp.Server, ran *runs, version string, taken []string, want string) {
	t.Helper()
	if got := handshake(t, server, version).method(t); got != want {
		t.Errorf("%s: the handshake says %q, want %q", version, got, want)
	}
	w := open(t, server, version)
	if names := w.names(); !slices.Equal(names[len(names)-2:], []string{want, want + "_batch"}) {
		t.Errorf("%s: got tools %q, want %q last, and its batch tool", version, names, want)
	}
	if v := w.call(want, `{"tool":"read","arguments":{"path":"a"}}`).tool(t).verdict(t); !v.Valid {
		t.Errorf("%s: got %+v, want the call found valid", version, v)
	}
	for _, name := range taken {
		w.call(name, `{"own":true}`)
		if diff := cmp.Diff([]string{name + ` {"own":true}`}, ran.take()); diff != "" {
			t.Errorf("%s: the server's own tool %q did not run (-want +got):\n%s", version, name, diff)
		}
	}
}

// TestAnnouncedName holds that a dry run under an announced name runs no tool that has taken the name since.
func TestAnnouncedName(t *testing.T) {
	t.Parallel()
	server, ran := newServer(nil)
	install(t, server)
	if got := handshake(t, server, "2025-06-18").method(t); got != "validate" {
		t.Fatalf("the handshake says %q", got)
	}
	for _, name := range []string{"validate", "validate_batch"} {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, ran.raw)
	}
	w := open(t, server, "2025-06-18")
	if v := w.call("validate", `{"tool":"read","arguments":{"path":"a"}}`).tool(t).verdict(t); !v.Valid {
		t.Errorf("got %+v, want the call found valid", v)
	}
	for _, call := range [][2]string{{"validate", `{"tool":"read","arguments":{}}`}, {"validate", `{"ARGUMENTS":{}}`}, {"validate_batch", `{"calls":[]}`}} {
		w.call(call[0], call[1])
		if got := ran.take(); len(got) > 0 {
			t.Errorf("%s %s ran %q", call[0], call[1], got)
		}
	}
	w.call("validate", `{"own":true}`)
	if diff := cmp.Diff([]string{`validate {"own":true}`}, ran.take()); diff != "" {
		t.Errorf("the server's own tool (-want +got):\n%s", diff)
	}
}

// names are the names of all listed tools, in order.
func (w *wire) names() []string {
	w.t.Helper()
	var names []string
	for _, page := range w.list() {
		for _, raw := range page {
			var tool struct{ Name string }
			unmarshal(w.t, raw, &tool)
			names = append(names, tool.Name)
		}
	}
	return names
}

func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	server, gate := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil), newGate(t)
	for name, err := range map[string]error{
		"no server":  mcpgate.Install(nil, gate),
		"no gate":    mcpgate.Install(server, nil),
		"empty name": mcpgate.Install(server, gate, mcpgate.WithToolName("")),
		"bad name":   mcpgate.Install(server, gate, mcpgate.WithToolName("a b")),
		"long name":  mcpgate.Install(server, gate, mcpgate.WithToolName(strings.Repeat("v", 123))),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "mcpgate: ") {
			t.Errorf("%s: got %v, want an error", name, err)
		}
	}
}
