// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/mcpgate"
)

// Progress is told before the answer, a check at a time, and not without a token.
func TestProgress(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		server, _ := guarded(t, nil)
		w := open(t, server, version)
		meta := ""
		if version >= modernVersion {
			meta = fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},`, version)
		}
		w.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":90,"method":"tools/call","params":{"name":"validate_batch",`+
			`"arguments":{"calls":[7,{"tool":"read","arguments":{"path":"a"}}]},"_meta":{%s"progressToken":"p"}}}`, meta))
		var told []string
		for line := range w.from {
			var m struct {
				ID     int
				Method string
				Params struct {
					ProgressToken   string
					Progress, Total float64
					Message         string
				}
			}
			unmarshal(t, []byte(line), &m)
			if m.ID == 90 {
				break
			}
			told = append(told, fmt.Sprint(m.Method, m.Params))
		}
		want := []string{"notifications/progress{p 1 2 calls/0}", "notifications/progress{p 2 2 calls/1}"}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// A changed tool is judged by its new definition, and a notification about resources ends
// verdicts that rest on the world.
func TestKeptVerdictsEnd(t *testing.T) {
	t.Parallel()
	looks := 0
	server, ran := newServer(&mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	gate := newGate(t, toolvet.WithMoreChecks(&check.Check{
		Name: "world", Doc: "# world\n\nA test.\n", Stage: check.Semantic, Level: check.RuntimeLevel,
		Run: func(_ context.Context, pass *check.Pass) error {
			if !pass.Call.Validation {
				looks++
			}
			return nil
		},
	}))
	installGate(t, server, gate)
	w := open(t, server, "2025-11-25")
	cached := func() bool {
		var r struct{ Cached bool }
		unmarshal(t, w.validate("read", `{"path":"a"}`).tool(t).Structured, &r)
		return r.Cached
	}
	if cached() || !cached() || looks != 1 {
		t.Errorf("the check looked %d times", looks)
	}
	w.ask("resources/subscribe", `{"uri":"file:///a"}`)
	if err := server.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "file:///a"}); err != nil {
		t.Fatal(err)
	}
	if cached() {
		t.Error("a verdict outlives a change of the resources")
	}
	server.AddTool(&mcp.Tool{Name: "read", Description: "new", InputSchema: json.RawMessage(`{"type":"object"}`)}, ran.raw)
	if cached() {
		t.Error("a verdict outlives the tool's definition")
	}
}

// The user of a verified token, and how the call came in, are the session's.
func TestSession(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []call.Session
	server, _ := newServer(nil)
	installGate(t, server, newGate(t, toolvet.WithMoreChecks(&check.Check{
		Name: "who", Doc: "# who\n\nA test.\n", Stage: check.Semantic, Level: check.SyntaxLevel,
		Run: func(_ context.Context, pass *check.Pass) error {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, *pass.Call.Session)
			return nil
		},
	})))
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		user, team, _ := strings.Cut(token, "-")
		return &auth.TokenInfo{UserID: user, Extra: map[string]any{"team": team}, Expiration: time.Now().Add(time.Hour)}, nil
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
	web := httptest.NewServer(auth.RequireBearerToken(verify, nil)(handler))
	t.Cleanup(web.Close)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"a"}}}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer ann-x")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	mu.Lock()
	defer mu.Unlock()
	want := []call.Session{{Subject: "ann", Authenticated: true, Claims: map[string]any{"team": "x"}, Transport: "http", ProtocolVersion: "2025-06-18"}}
	if diff := cmp.Diff(want, seen); diff != "" || answer.StatusCode != http.StatusOK {
		t.Errorf("status %d (-want +got):\n%s", answer.StatusCode, diff)
	}
}

func installGate(t *testing.T, server *mcp.Server, gate *toolvet.Gate) {
	t.Helper()
	if err := mcpgate.Install(server, gate); err != nil {
		t.Fatal(err)
	}
}
