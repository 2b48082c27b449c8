// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"context"
	"fmt"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/proxy/relay"
)

// TestShutdown holds that a proxy which is told to end lets calls end first, and streams not.
func TestShutdown(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", streamType)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case strings.Contains(body, `"bad"`):
			<-release
			fallthrough
		default:
			simple(w, r, body)
		}
	})
	upstream, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	gate := newGate(t)
	p, err := New(Config{Config: relay.Config{Gate: func() *toolvet.Gate { return gate }}, Upstream: upstream})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l, p) }()
	at := "http://" + l.Addr().String()
	stream, err := http.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	answered := make(chan string, 1)
	go func() { _, got := post(t, at, badCall); answered <- got }()
	eventually(t, "the call", func() bool { return len(server.asked()) == 3 })
	stop()
	if rest, err := io.ReadAll(stream.Body); err != nil || len(rest) > 0 {
		t.Errorf("the stream: %q, %v", rest, err)
	}
	eventually(t, "the end of listening", func() bool {
		conn, err := net.DialTimeout("tcp", l.Addr().String(), time.Second)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	close(release)
	if got := <-answered; got != fmt.Sprintf(result, "1") {
		t.Errorf("the call: %s", got)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the proxy does not end")
	}
}

// TestGuard holds whom a guard lets in, and what it lets pages read.
func TestGuard(t *testing.T) {
	t.Parallel()
	server := newFake(t, simple)
	at := serve(t, server.URL, Config{}, httpguard.Guard{Hosts: []string{"tools.example"}, Origins: []string{"https://app.example"}})
	host := strings.TrimSuffix(strings.TrimPrefix(at, "http://"), "/mcp")
	_, port, _ := net.SplitHostPort(host)
	for _, tt := range []struct {
		host, origin string
		want         int
	}{
		{host, "", 200},
		{"localhost:" + port, "", 200},
		{"LOCALHOST.", "", 200},
		{"tools.example", "", 200},
		{"Tools.Example:443", "https://tools.example:443", 200},
		{"tools.example", "https://app.example", 200},
		{"tools.example", "http://app.example", 403},
		{"tools.example", "https://app.example.evil.example", 403},
		{host, "http://" + host, 200},
		{host, "http://localhost:1", 403},
		{"tools.example.evil.example", "", 403},
		{"127.0.0.2", "", 403},
		{"[::1]", "", 403},
		{"127.0.0.1.evil.example", "", 403},
	} {
		header := []string{"Host", tt.host}
		if tt.origin != "" {
			header = append(header, "Origin", tt.origin)
		}
		resp, body := post(t, at, goodCall, header...)
		if resp.StatusCode != tt.want {
			t.Errorf("host %s, origin %s: %d %s", tt.host, tt.origin, resp.StatusCode, body)
		}
		if allowed := resp.Header.Get("Access-Control-Allow-Origin"); (allowed != "") != (tt.origin == "https://app.example") {
			t.Errorf("host %s, origin %s: pages of %q may read it", tt.host, tt.origin, allowed)
		}
	}
	resp, _ := send(t, http.MethodOptions, at, nil, "Origin", "https://app.example", "Access-Control-Request-Headers", "content-type")
	if resp.StatusCode != http.StatusNoContent || resp.Header.Get("Access-Control-Allow-Headers") != "content-type" {
		t.Errorf("preflight: %d %v", resp.StatusCode, resp.Header)
	}
}
