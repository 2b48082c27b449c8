// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
)

// patience bounds what should take no time, so that a fault fails and does not hang.
const patience = 30 * time.Second

func newGate(t testing.TB, opts ...toolvet.Option) *toolvet.Gate {
	t.Helper()
	gate, err := toolvet.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// serve runs a proxy in front of a server, as the command does, and returns its URL.
func serve(t testing.TB, upstream string, cfg Config, guard httpguard.Guard) string {
	t.Helper()
	_, at := serveProxy(t, upstream, cfg, guard)
	return at
}

// serveProxy is serve that returns the proxy, too.
func serveProxy(t testing.TB, upstream string, cfg Config, guard httpguard.Guard) (*Proxy, string) {
	t.Helper()
	if cfg.Gate == nil {
		gate := newGate(t)
		cfg.Gate = func() *toolvet.Gate { return gate }
	}
	cfg.PrivatePrefix = "toolvet-test-"
	var err error
	if cfg.Upstream, err = url.Parse(upstream); err != nil {
		t.Fatal(err)
	}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := guard.Handler(p)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := p.Serve(ctx, l, handler); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		stop()
		select {
		case <-done:
		case <-time.After(patience):
			t.Error("the proxy does not end")
		}
	})
	return p, "http://" + l.Addr().String() + "/mcp"
}

// A fake is a server that answers as a test says, and remembers what it was asked.
type fake struct {
	*httptest.Server
	mu   sync.Mutex
	asks []ask
}

type ask struct {
	method, body string
	header       http.Header
}

func newFake(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, body string)) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.asks = append(f.asks, ask{r.Method, string(body), r.Header.Clone()})
		f.mu.Unlock()
		answer(w, r, string(body))
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) asked() []ask {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]ask(nil), f.asks...)
}

const (
	readTool = `{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string","x-mcp-header":"Path"}},"required":["path"]}}`
	result   = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}`
)

// simple answers as a small server does.
func simple(w http.ResponseWriter, r *http.Request, body string) {
	if r.Method != http.MethodPost {
		http.Error(w, "no streams here", http.StatusMethodNotAllowed)
		return
	}
	id := member0(body, "id")
	w.Header().Set("Content-Type", jsonType)
	switch {
	case id == "":
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusAccepted)
	case strings.Contains(body, `"initialize"`):
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, id)
	case strings.Contains(body, `"tools/list"`):
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, id, readTool)
	default:
		fmt.Fprintf(w, result, id)
	}
}

// member0 is a member's raw value, as far as the tests write them.
func member0(body, key string) string {
	_, rest, ok := strings.Cut(body, `"`+key+`":`)
	if !ok {
		return ""
	}
	end := strings.IndexAny(rest, ",}")
	return strings.TrimSpace(rest[:end])
}

// post sends a message and returns the answer.
func post(t testing.TB, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	return send(t, http.MethodPost, url, strings.NewReader(body), header...)
}

func send(t testing.TB, method, url string, body io.Reader, header ...string) (*http.Response, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", jsonType)
	}
	req.Header.Set("Accept", jsonType+", "+streamType)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(bytes.TrimSpace(data))
}

func callOf(id, path string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"read","arguments":{"path":` + path + `}}}`
}

// TestCalls holds that a call which is a go reaches the server as it is, and that one which
// is not does not.
func TestCalls(t *testing.T) {
	t.Parallel()
	server := newFake(t, simple)
	url := serve(t, server.URL, Config{}, httpguard.Guard{})
	good := " " + callOf("1", `"a"`) + "\n"
	resp, body := post(t, url, good)
	if want := fmt.Sprintf(result, "1"); resp.StatusCode != 200 || body != want {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	asked := server.asked()
	if len(asked) != 2 || !strings.Contains(asked[0].body, "tools/list") || asked[1].body != good {
		t.Fatalf("the server is asked %q", asked)
	}
	resp, body = post(t, url, callOf("2", "7"))
	if resp.StatusCode != 200 || !strings.Contains(body, `"id":2`) || !strings.Contains(body, `"isError":true`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if _, body = post(t, url, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`); !strings.Contains(body, `"name":"validate"`) {
		t.Errorf("tools: %s", body)
	}
	if _, body = post(t, url, `{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}`); strings.Count(body, `"supported":true`) != 2 {
		t.Errorf("initialize: %s", body)
	}
	resp, body = post(t, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if resp.StatusCode != http.StatusAccepted || body != "" {
		t.Errorf("notification: %d %s", resp.StatusCode, body)
	}
	_, body = post(t, url, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"validate","arguments":{"tool":"read","arguments":{}}}}`)
	if !strings.Contains(body, `"valid":false`) {
		t.Errorf("validate: %s", body)
	}
	if n := len(server.asked()); n != 5 {
		t.Errorf("the server is asked %d times", n)
	}
}

// TestSessionIDs holds that the calls of a session have its id, which is not the header's, and
// others none.
func TestSessionIDs(t *testing.T) {
	t.Parallel()
	ids := make(chan string, 10)
	gate := newGate(t, toolvet.WithInside(engine.Parts{Visible: func(_ context.Context, c *call.Call) bool {
		ids <- c.Session.ID
		return true
	}}))
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"initialize"`) {
			w.Header().Set(sessionHeader, "s-"+member0(body, "id"))
		}
		simple(w, r, body)
	})
	url := serve(t, server.URL, Config{Config: relay.Config{Gate: func() *toolvet.Gate { return gate }}}, httpguard.Guard{})
	for id := range 2 {
		resp, body := post(t, url, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{}}`, id))
		header := resp.Header.Get(sessionHeader)
		if header != fmt.Sprintf("s-%d", id) {
			t.Fatalf("initialize: %d %s", resp.StatusCode, body)
		}
		for range 2 {
			post(t, url, callOf("7", `"a"`), sessionHeader, header)
			if got := <-ids; got != call.SessionID(header) {
				t.Errorf("the session %s has the id %q", header, got)
			}
		}
	}
	post(t, url, callOf("7", `"a"`))
	if got := <-ids; got != "" {
		t.Errorf("without a session: the id %q", got)
	}
}
