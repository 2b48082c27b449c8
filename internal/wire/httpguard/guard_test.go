// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpguard_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/wire/httpguard"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	guard := httpguard.Guard{Hosts: []string{"mcp.example.org"}, Origins: []string{"https://app.example.org"}}
	handler, err := guard.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, tt := range []struct {
		name, host string
		origins    []string
		want       int
	}{
		{"its address", "127.0.0.1:" + port, nil, http.StatusTeapot},
		{"its address without a port", "127.0.0.1", nil, http.StatusTeapot},
		{"localhost", "LocalHost:" + port, nil, http.StatusTeapot},
		{"a name that is allowed", "MCP.example.org", nil, http.StatusTeapot},
		{"another name", "evil.example", nil, http.StatusForbidden},
		{"another address", "127.0.0.2", nil, http.StatusForbidden},
		{"a name that ends like one", "x.mcp.example.org", nil, http.StatusForbidden},
		{"its own origin", "127.0.0.1:" + port, []string{"http://127.0.0.1:" + port}, http.StatusTeapot},
		{"an origin that is allowed", "localhost", []string{"https://app.example.org"}, http.StatusTeapot},
		{"another origin", "localhost", []string{"https://evil.example"}, http.StatusForbidden},
		{"another port", "localhost:" + port, []string{"http://localhost:1"}, http.StatusForbidden},
		{"no origin", "localhost", []string{"null"}, http.StatusForbidden},
		{"two origins", "localhost", []string{"https://app.example.org", "https://evil.example"}, http.StatusForbidden},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tt.host
		r.Header["Origin"] = tt.origins
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, resp.StatusCode, tt.want)
		}
	}
}

func TestGuardPreflight(t *testing.T) {
	t.Parallel()
	handler, err := httpguard.Guard{Origins: []string{"https://app.example.org"}}.Handler(http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for origin, want := range map[string]int{"https://app.example.org": http.StatusNoContent, "https://evil.example": http.StatusForbidden} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Headers", "mcp-session-id")
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		allowed := resp.Header.Get("Access-Control-Allow-Origin")
		if resp.StatusCode != want || (allowed == origin) != (want == http.StatusNoContent) {
			t.Errorf("%s: %d, allowed %q", origin, resp.StatusCode, allowed)
		}
	}
}

func TestGuardRefusesNonsense(t *testing.T) {
	t.Parallel()
	for _, guard := range []httpguard.Guard{
		{Hosts: []string{""}}, {Hosts: []string{"a:1"}}, {Hosts: []string{"*"}}, {Hosts: []string{"*.example.org"}}, {Hosts: []string{"A"}}, {Origins: []string{"a"}}, {Origins: []string{"https://a/"}}, {Origins: []string{"*"}},
	} {
		if _, err := guard.Handler(nil); err == nil {
			t.Errorf("%+v is taken", guard)
		}
	}
}
