// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// patience bounds what should take no time, so that a fault fails and does not hang.
const patience = 60 * time.Second

// A message is what tests read of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// A request is one HTTP request that a fake server got.
type request struct {
	*http.Request
	message
	body string
}

// A fake is an MCP server that answers as a test wants, and remembers what it got.
type fake struct {
	*httptest.Server
	mu  sync.Mutex
	got []request
}

func newFake(t *testing.T, answer func(http.ResponseWriter, request)) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		req := request{Request: r, body: string(body)}
		_ = json.Unmarshal(body, &req.message)
		f.mu.Lock()
		f.got = append(f.got, req)
		f.mu.Unlock()
		answer(w, req)
	}))
	t.Cleanup(f.CloseClientConnections)
	return f
}

// requests are what the fake got, as "METHOD mcp-method".
func (f *fake) requests() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.got {
		name := r.message.Method
		if name == "" && r.body != "" {
			name = "answer"
		}
		all = append(all, strings.TrimSpace(r.Request.Method+" "+name))
	}
	return all
}

// find returns the first request of an MCP method or, for "GET" and "DELETE", of HTTP's.
func (f *fake) find(t *testing.T, method string) request {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.got, func(r request) bool { return r.message.Method == method || r.Request.Method == method })
	if i < 0 {
		t.Fatalf("the server got no %s", method)
	}
	return f.got[i]
}

func inJSON(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, text)
}

func inEvents(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, text)
	w.(http.Flusher).Flush()
}

// result is an answer.
func result(r request, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, text)
}

// legacy answers the handshake of a server with sessions, and takes notifications; it
// reports whether that was all.
func legacy(w http.ResponseWriter, r request) bool {
	switch {
	case r.message.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "s-1")
		inJSON(w, result(r, `{"protocolVersion":"2025-11-25","capabilities":{}}`))
	case r.Request.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Request.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case r.ID == nil, r.message.Method == "":
		w.WriteHeader(http.StatusAccepted)
	default:
		return false
	}
	return true
}

// A user is the client's side of a Client.
type user struct {
	t     *testing.T
	c     *streamable.Client
	lines chan string
}

func newUser(t *testing.T, url string, change ...func(*streamable.ClientConfig)) *user {
	t.Helper()
	cfg := streamable.ClientConfig{URL: url, Retry: 10 * time.Millisecond}
	for _, f := range change {
		f(&cfg)
	}
	c, err := streamable.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	u := &user{t, c, make(chan string, 1000)}
	go func() {
		defer close(u.lines)
		in := bufio.NewReader(c.Stdout())
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			u.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(u.stop)
	return u
}

func (u *user) stop() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = u.c.Stop(ctx)
}

func (u *user) send(lines ...string) {
	u.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(u.c.Stdin(), line+"\n"); err != nil {
			u.t.Fatal(err)
		}
	}
}

// next returns the next line.
func (u *user) next() string {
	u.t.Helper()
	select {
	case line, ok := <-u.lines:
		if !ok {
			u.t.Fatal("the session has ended")
		}
		return line
	case <-time.After(patience):
		u.t.Fatal("nothing came")
	}
	return ""
}

func (u *user) want(want string) {
	u.t.Helper()
	if got := u.next(); got != want {
		u.t.Fatalf("got  %s\nwant %s", got, want)
	}
}

// wantError wants the next line to be an error for a request.
func (u *user) wantError(id, words string) {
	u.t.Helper()
	line := u.next()
	var m message
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.Error == nil || string(m.ID) != id || !strings.Contains(m.Error.Message, words) {
		u.t.Fatalf("got %s, want an error for %s: %s", line, id, words)
	}
}

func (u *user) quiet() {
	u.t.Helper()
	select {
	case line := <-u.lines:
		u.t.Errorf("got %s, want nothing", line)
	case <-time.After(50 * time.Millisecond):
	}
}

const (
	hello   = `{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	greeted = `{"jsonrpc":"2.0","id":"h","result":{"protocolVersion":"2025-11-25","capabilities":{}}}`
	ready   = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func (u *user) shakeHands() {
	u.t.Helper()
	u.send(hello)
	u.want(greeted)
	u.send(ready)
}

func ping(id string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id) }

// modern is a request of 2026-07-28.
func modern(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, id, method, params)
}

// eventually polls until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never came that " + what)
		}
	}
}
