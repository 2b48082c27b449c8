// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
)

// The tests of this file are the reason why this package exists beside sessions of lines, as
// docs/figures/design.md lists them under "Two ways through HTTP": each fails through a streamable.Front,
// internal/proxy/stdio and a streamable.Client. TestCredentials, TestStreams, TestResume, TestSessionsEnd and
// TestErrorsOfHTTP do so, too.

// TestLoginPasses holds that a client whose token passes to the server can log in there: it gets
// the server's challenge, with its status.
func TestLoginPasses(t *testing.T) {
	t.Parallel()
	const challenge = `Bearer resource_metadata="https://tools.example/.well-known/oauth-protected-resource"`
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", challenge)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		simple(w, r, body)
	})
	url := serve(t, server.URL, Config{PassHeaders: []string{"Authorization"}}, httpguard.Guard{})
	resp, body := post(t, url, initialize)
	if resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") != challenge {
		t.Errorf("without a token: %d %v %s", resp.StatusCode, resp.Header, body)
	}
	if resp, body = post(t, url, initialize, "Authorization", "Bearer ann"); resp.StatusCode != http.StatusOK {
		t.Errorf("with a token: %d %s", resp.StatusCode, body)
	}
}

// TestRetryAfterPasses holds that a client learns from the server when it may try again.
func TestRetryAfterPasses(t *testing.T) {
	t.Parallel()
	server := newFake(t, oddly(func(w http.ResponseWriter, _ string) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	url := serve(t, server.URL, Config{}, httpguard.Guard{})
	post(t, url, initialize)
	resp, body := post(t, url, badCall)
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "7" {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
}

// TestNoSessionIsAdded holds that a client of a server without sessions gets none. It does not notice
// when the proxy is started again, nor which of several proxies takes a request.
func TestNoSessionIsAdded(t *testing.T) {
	t.Parallel()
	server := newFake(t, simple)
	first := serve(t, server.URL, Config{}, httpguard.Guard{})
	second := serve(t, server.URL, Config{}, httpguard.Guard{})
	resp, body := post(t, first, initialize)
	if resp.StatusCode != http.StatusOK || resp.Header.Get(sessionHeader) != "" {
		t.Fatalf("initialize: %d %v %s", resp.StatusCode, resp.Header, body)
	}
	for _, url := range []string{first, second} {
		if resp, body = post(t, url, goodCall, mcpheader.Version, "2025-11-25"); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"done"`) {
			t.Errorf("a call: %d %s", resp.StatusCode, body)
		}
	}
}

// TestModernBytesPass holds that a request of 2026-07-28 and its answer pass byte for byte: with the
// client's id and progress token, which logs of both sides can be joined by, and its headers.
func TestModernBytesPass(t *testing.T) {
	t.Parallel()
	server := newFake(t, simple)
	url := serve(t, server.URL, Config{}, httpguard.Guard{})
	request := ` {"jsonrpc":"2.0", "id":"ann-1", "method":"tools/call", "params":{"name":"read","arguments":{"path":"a"},"_meta":` +
		strings.Replace(modernMeta, `"p"`, `"ann-p"`, 1) + "}}\n"
	_, body := post(t, url, request, modernHeaders(mcpheader.Param+"Path", "a", "Traceparent", "00-1-2-01")...)
	if want := fmt.Sprintf(result, `"ann-1"`); body != want {
		t.Errorf("the answer is %s, want %s", body, want)
	}
	asked := server.asked()
	last := asked[len(asked)-1]
	if last.body != request || last.header.Get(mcpheader.Param+"Path") != "a" || last.header.Get("Traceparent") != "00-1-2-01" {
		t.Errorf("the server gets %q with %v", last.body, last.header)
	}
}

// TestCanonicalHeaders holds that the headers of arguments follow canonical arguments.
func TestCanonicalHeaders(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse("toolvet.yaml", []byte("version: 1\npreset: none\nservers: {s: {tools: {read: {arguments: {path: {path: {base: /none, canonical: true}}}}}}}\n"), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	gate := newGate(t, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithServer("s"))
	server := newFake(t, simple)
	url := serve(t, server.URL, Config{Config: relay.Config{Server: "s", Gate: func() *toolvet.Gate { return gate }}}, httpguard.Guard{})
	request := strings.Replace(callOf("1", `"x/../a"`), `}}}`, `},"_meta":`+modernMeta+"}}", 1)
	_, body := post(t, url, request, modernHeaders(mcpheader.Param+"Path", "x/../a")...)
	if want := fmt.Sprintf(result, "1"); body != want {
		t.Fatalf("the answer is %s, want %s", body, want)
	}
	asked := server.asked()
	last := asked[len(asked)-1]
	if at := last.header.Get(mcpheader.Param + "Path"); at != "/none/a" || !strings.Contains(last.body, `"path":"/none/a"`) {
		t.Errorf("the server gets %q with the header %q", last.body, at)
	}
}

// TestResumeFarBack holds that a client can resume a stream as far back as the server remembers it,
// with the server's event ids. A Front numbers events itself, and keeps the last 256 that it sent.
func TestResumeFarBack(t *testing.T) {
	t.Parallel()
	const events = 1000
	replay := func(w io.Writer, after int) {
		for n := after + 1; n <= events; n++ {
			fmt.Fprintf(w, "id: event-%d\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"n\":%d}}\n\n", n, n)
		}
	}
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		var after int
		switch _, err := fmt.Sscanf(r.Header.Get("Last-Event-Id"), "event-%d", &after); {
		case r.Method == http.MethodGet && err == nil:
			w.Header().Set("Content-Type", streamType)
			replay(w, after)
		case strings.Contains(body, `"bad"`):
			w.Header().Set("Content-Type", streamType)
			replay(w, 0)
			fmt.Fprintf(w, "id: event-%d\ndata: "+result+"\n\n", events+1, "1")
		default:
			sessionful(w, r, body)
		}
	})
	url := serve(t, server.URL, Config{}, httpguard.Guard{})
	session := append(begin(t, url), mcpheader.Version, "2025-11-25")
	_, body := post(t, url, badCall, session...)
	if !strings.Contains(body, "id: event-2\n") || !strings.Contains(body, `"done"`) {
		t.Fatalf("the events are %.500s", body)
	}
	resp, body := send(t, http.MethodGet, url, nil, append(session, "Last-Event-Id", "event-1")...)
	if resp.StatusCode != http.StatusOK || strings.Count(body, "notifications/x") != events-1 {
		t.Errorf("the rest: %d, %d events", resp.StatusCode, strings.Count(body, "notifications/x"))
	}
}

// TestLeavingPasses holds that the server sees the client of a session leave a call, and can decide
// itself whether to go on.
func TestLeavingPasses(t *testing.T) {
	t.Parallel()
	began, gone := make(chan struct{}), make(chan struct{})
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"bad"`) {
			close(began)
			<-r.Context().Done()
			close(gone)
			return
		}
		sessionful(w, r, body)
	})
	t.Cleanup(server.CloseClientConnections)
	url := serve(t, server.URL, Config{}, httpguard.Guard{})
	session := begin(t, url)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(badCall))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", jsonType)
	req.Header.Set("Accept", jsonType+", "+streamType)
	req.Header.Set(sessionHeader, session[1])
	left := make(chan struct{})
	go func() {
		defer close(left)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	<-began
	leave()
	<-left
	select {
	case <-gone:
	case <-time.After(patience):
		t.Error("the server is not told")
	}
}
