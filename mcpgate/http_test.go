// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/mcpgate"
)

// serveHTTP serves server on the loopback interface.
func serveHTTP(t *testing.T, server *mcp.Server, options *mcp.StreamableHTTPOptions) *httptest.Server {
	t.Helper()
	get := func(*http.Request) *mcp.Server { return server }
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(get, options))
	t.Cleanup(h.Close)
	return h
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		version string
		options *mcp.StreamableHTTPOptions
	}{
		"modern stateless": {modernVersion, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}},
		"modern JSON":      {modernVersion, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}},
		"legacy stateful":  {"2025-11-25", nil},
		"legacy stateless": {"2025-06-18", &mcp.StreamableHTTPOptions{Stateless: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, ran := guarded(t, &mcp.ServerOptions{PageSize: 3})
			h := serveHTTP(t, server, tt.options)
			client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.URL, HTTPClient: h.Client()},
				&mcp.ClientSessionOptions{ProtocolVersion: tt.version})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			if got := session.InitializeResult().ProtocolVersion; got != tt.version {
				t.Errorf("got version %s, want %s", got, tt.version)
			}
			useClient(t, session, ran)
		})
	}
}

// A refusal is an answer like any other (200); what is no CallToolRequest is HTTP 400
// since 2026-07-28.
func TestModernHTTPStatus(t *testing.T) {
	t.Parallel()
	server, ran := guarded(t, nil)
	h := serveHTTP(t, server, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	tests := []struct {
		tool, arguments string
		status          int
		want            string
	}{
		{"read", `{"path":"a"}`, 200, `"resultType":"complete"`},
		{"read", `{"path":7}`, 200, `"isError":true`},
		{"validate", `{"tool":"read","arguments":{"path":7}}`, 200, `"valid":false`},
		{"panic", `{}`, 200, `"isError":true`},
		{"nothing", `{}`, 200, `"isError":true`},
		{"read", `{"path":"a","path":"b"}`, 400, `"code":-32602`},
		{"nosuch", `{}`, 200, `"isError":true`},
	}
	for _, tt := range tests {
		status, body := post(t, h, tt.tool, tt.arguments)
		if status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s %s: got %d %s, want %d and %s", tt.tool, tt.arguments, status, body, tt.status, tt.want)
		}
		if status == 200 && !strings.Contains(body, `"resultType":"complete"`) {
			t.Errorf("%s %s: %s has no resultType", tt.tool, tt.arguments, body)
		}
	}
	if got := ran.take(); len(got) != 1 {
		t.Errorf("ran %q, want the good call alone", got)
	}

	// No session listens for changes here, and the next call is judged by the new tool.
	server.AddTool(&mcp.Tool{Name: "read", InputSchema: json.RawMessage(`{"type":"object","required":["url"]}`)}, ran.raw)
	if _, body := post(t, h, "read", `{"path":"a"}`); !strings.Contains(body, `"isError":true`) || ran.take() != nil {
		t.Errorf("got %s, want the call judged by the tool's new schema", body)
	}
}

// An earlier middleware may list tools by who asks: mcpgate asks in the name of the
// caller, with the headers and the token of its request.
func TestToolsAreListedWithTheCallersHeaders(t *testing.T) {
	t.Parallel()
	server, ran := newServer(nil)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		all, some := next, hide("read")(next)
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if extra := req.GetExtra(); extra != nil && extra.Header.Get("X-Role") == "reader" {
				return all(ctx, method, req)
			}
			return some(ctx, method, req)
		}
	})
	install(t, server)
	h := serveHTTP(t, server, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	if status, body := post(t, h, "read", `{"path":"a"}`); !strings.Contains(body, unknownTool) || ran.take() != nil {
		t.Errorf("got %d %s, want the tool unknown", status, body)
	}
	if status, body := post(t, h, "read", `{"path":"a"}`, "X-Role", "reader"); status != 200 || len(ran.take()) != 1 {
		t.Errorf("got %d %s, want the call run", status, body)
	}
}

// post makes a modern call, as bytes.
func post(t *testing.T, h *httptest.Server, tool, arguments string, header ...string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL, strings.NewReader(fmt.Sprintf(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		tool, arguments, modernVersion)))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": modernVersion, "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		req.Header.Set(key, value)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := h.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

// Sessions have ids of their own, also where the SDK gives them none; requests that belong to
// no session have none.
func TestSessionIDs(t *testing.T) {
	t.Parallel()
	ids := make(chan string, 100)
	gate := newGate(t, toolvet.WithInside(engine.Parts{Visible: func(_ context.Context, c *call.Call) bool {
		if c.Name == "nothing" {
			ids <- c.Session.ID
		}
		return true
	}}))
	server, _ := newServer(nil)
	if err := mcpgate.Install(server, gate); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{"": true}
	of := func(ask func()) []string { // the ids of all requests that come of it
		ask()
		var all []string
		for len(ids) > 0 {
			all = append(all, <-ids)
		}
		return slices.Compact(all)
	}
	differs := func(name string, ask func()) {
		t.Helper()
		first := of(ask)
		if again := of(ask); len(first) != 1 || seen[first[0]] || !slices.Equal(first, again) {
			t.Errorf("%s: the ids %q, and then %q", name, first, again)
		}
		seen[first[0]] = true
	}
	for _, version := range []string{"2025-11-25", modernVersion, modernVersion} {
		w := open(t, server, version)
		differs("stdio "+version, func() { w.call("nothing", "{}") })
	}
	for version, options := range map[string]*mcp.StreamableHTTPOptions{"2025-11-25": nil, modernVersion: {Stateless: true}} {
		h := serveHTTP(t, server, options)
		for range 2 {
			client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.URL, HTTPClient: h.Client()},
				&mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			ask := func() { _, _ = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nothing"}) }
			if options == nil {
				differs("HTTP", ask)
				continue
			}
			if got := of(ask); !slices.Equal(got, []string{""}) {
				t.Errorf("requests without a session have the ids %q", got)
			}
		}
	}
}
