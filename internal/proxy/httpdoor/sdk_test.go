// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
)

// An sdkServer is a server of the official SDK, of both eras on one URL.
type sdkServer struct {
	*mcp.Server
	url       string
	cancelled atomic.Int32 // calls of "wait" that were
	waiting   atomic.Int32
}

func newSDKServer(t testing.TB, options *mcp.StreamableHTTPOptions) *sdkServer {
	t.Helper()
	s := &sdkServer{Server: mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)}
	object := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)
	text := func(format string, args ...any) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
	}
	add := func(name string, run mcp.ToolHandler) { s.AddTool(&mcp.Tool{Name: name, InputSchema: object}, run) }
	add("read", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text("read %s", req.Params.Arguments), nil
	})
	add("steps", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1)}); err != nil {
				return nil, err
			}
		}
		return text("stepped"), nil
	})
	add("ask", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "which?", RequestedSchema: object})
		if err != nil {
			return nil, err
		}
		return text("%s", answer.Action), nil
	})
	add("wait", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.waiting.Add(1)
		<-ctx.Done()
		s.cancelled.Add(1)
		return nil, ctx.Err()
	})
	get := func(*http.Request) *mcp.Server { return s.Server }
	modern := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, JSONResponse: options.JSONResponse})
	legacy := mcp.NewStreamableHTTPHandler(get, options)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(sessionHeader) == "" && r.Header.Get(mcpheader.Version) >= jsonrpc.Modern {
			modern.ServeHTTP(w, r)
			return
		}
		legacy.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	s.url = h.URL
	return s
}

func connect(t testing.TB, url, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, options)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	return session
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestSDK uses the official SDK's client and server, of both eras, through the proxy.
func TestSDK(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		version string
		options mcp.StreamableHTTPOptions
	}{
		"modern":           {"2026-07-28", mcp.StreamableHTTPOptions{}},
		"modern, JSON":     {"2026-07-28", mcp.StreamableHTTPOptions{JSONResponse: true}},
		"stateful":         {"2025-11-25", mcp.StreamableHTTPOptions{}},
		"resumable":        {"2025-11-25", mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}},
		"stateful, JSON":   {"2025-06-18", mcp.StreamableHTTPOptions{JSONResponse: true}},
		"stateful, oldest": {"2024-11-05", mcp.StreamableHTTPOptions{}},
		"legacy stateless": {"2025-03-26", mcp.StreamableHTTPOptions{Stateless: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newSDKServer(t, &tt.options)
			url := serve(t, server.url, Config{}, httpguard.Guard{})
			var progress, changed atomic.Int32
			stateful := tt.version < jsonrpc.Modern && !tt.options.Stateless
			streams := !tt.options.JSONResponse
			s := connect(t, url, tt.version, &mcp.ClientOptions{
				ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress.Add(1) },
				ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed.Add(1) },
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "decline"}, nil
				},
			})
			capabilities := s.InitializeResult().Capabilities
			if capabilities.Experimental["toolValidation"] == nil {
				t.Errorf("capabilities: %+v", capabilities)
			}
			run := func(name, arguments, want string, failed bool) {
				t.Helper()
				params := &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)}
				params.SetProgressToken("p")
				got, err := s.CallTool(t.Context(), params)
				if err != nil {
					t.Errorf("%s %s: %v", name, arguments, err)
					return
				}
				first, _ := got.Content[0].(*mcp.TextContent)
				if got.IsError != failed || want != "" && first.Text != want {
					t.Errorf("%s %s: %+v", name, arguments, first)
				}
			}
			run("read", `{"path":"a"}`, `read {"path":"a"}`, false) // before any list
			run("read", `{"path":7}`, "", true)
			run("validate", `{"tool":"read","arguments":{"path":7}}`, "", false)
			eventually(t, "progress of the dry run", func() bool { return progress.Load() > 0 })
			list, err := s.ListTools(t.Context(), nil)
			if err != nil || list.Tools[len(list.Tools)-1].Name != "validate_batch" {
				t.Errorf("tools: %+v, %v", list, err)
			}
			if streams {
				progress.Store(0)
				run("steps", `{}`, "stepped", false)
				eventually(t, "progress", func() bool { return progress.Load() >= 3 }) // a late one of the dry run may be among them
			}
			if stateful && tt.version >= "2025-06-18" && streams {
				run("ask", `{}`, "decline", false)
			}
			if !tt.options.Stateless { // the SDK's server does not cancel then
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					defer cancel()
					eventually(t, "the call", func() bool { return server.waiting.Load() > 0 })
				}()
				if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "wait"}); err == nil {
					t.Error("a cancelled call has a result")
				}
				eventually(t, "cancellation of the call at the server", func() bool { return server.cancelled.Load() > 0 })
			}
			if stateful {
				server.AddTool(&mcp.Tool{Name: "new", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "new"}}}, nil
				})
				eventually(t, "list_changed", func() bool { return changed.Load() > 0 })
				run("new", `{}`, "new", false)
			}
		})
	}
}
