// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package badinput

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/proxy/httpdoor"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
	"github.com/toolvet/toolvet/internal/wire/streamable"
	"github.com/toolvet/toolvet/upstream"
)

// patience bounds what should take no time, so that a fault fails and does not hang.
const patience = time.Minute

// limits are those of a door; zero means its defaults.
type limits struct {
	read, write        time.Duration
	sessions, requests int
	authorization      func(t *testing.T) *policy.Authorization
}

// A door is one way to let clients in over HTTP.
type door struct {
	name string
	tool string // what it calls the server's tool "read"
	// open is the endpoint in front of a server, and what ends its sessions.
	open func(t *testing.T, server string, l limits) (http.Handler, func(context.Context))
}

// doors are in the order of the table's columns.
var doors = []door{
	{"proxy to HTTP", "read", openHTTP},
	{"proxy to stdio", "read", openStdio},
	{"serve", "s__read", openServe},
}

func anyGate(t *testing.T) func() *toolvet.Gate {
	gate, err := toolvet.New()
	if err != nil {
		t.Fatal(err)
	}
	return func() *toolvet.Gate { return gate }
}

// who is what is known of a client: as the command does it.
func who(r *http.Request) call.Session {
	s := call.Session{Transport: "http"}
	s.ClientAddress, _, _ = net.SplitHostPort(r.RemoteAddr)
	if p := auth.FromContext(r.Context()); p != nil {
		s.Subject, s.Claims, s.Authenticated = p.Identity(), p.Claims, true
	}
	return s
}

func openHTTP(t *testing.T, server string, l limits) (http.Handler, func(context.Context)) {
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	p, err := httpdoor.New(httpdoor.Config{
		Config: relay.Config{Gate: anyGate(t)}, Upstream: u, Session: who,
		ReadTimeout: l.read, WriteTimeout: l.write, MaxSessions: l.sessions, MaxRequests: l.requests,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, func(context.Context) { p.EndStreams() }
}

func openFront(l limits, serve func(context.Context, call.Session, io.Reader, io.Writer) error) (http.Handler, func(context.Context)) {
	f := streamable.NewFront(streamable.FrontConfig{
		Serve: serve, Caller: func(r *http.Request) (string, call.Session) { s := who(r); return s.Principal(), s },
		ReadTimeout: l.read, WriteTimeout: l.write, MaxSessions: l.sessions, MaxRequests: l.requests,
	})
	return f, f.Close
}

// client is a session of lines with the server, as of a process.
func client(server string) (*streamable.Client, error) {
	return streamable.NewClient(streamable.ClientConfig{URL: server})
}

func openStdio(t *testing.T, server string, l limits) (http.Handler, func(context.Context)) {
	gate := anyGate(t)
	return openFront(l, func(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
		_, err := stdio.Run(ctx, stdio.Config{
			Config: relay.Config{Gate: gate}, Session: who, Stdin: in, Stdout: out,
			Connect: func() (stdio.Peer, error) { return client(server) },
		})
		return err
	})
}

type dialer string

func (d dialer) Dial(context.Context, io.Writer) (upstream.Transport, error) {
	return client(string(d))
}

func openServe(t *testing.T, server string, l limits) (http.Handler, func(context.Context)) {
	g, err := gateway.New(gateway.Config{Servers: []gateway.Server{{Server: upstream.Server{Name: "s", Dialer: dialer(server)}}}})
	if err != nil {
		t.Fatal(err)
	}
	front, end := openFront(l, g.Serve)
	return front, func(ctx context.Context) { g.Drain(ctx); end(ctx); g.Close(ctx) }
}

// serve serves a door as the command does, and returns its URL.
func (d door) serve(t *testing.T, server string, l limits) string {
	t.Helper()
	handler, end := d.open(t, server, l)
	if l.authorization != nil {
		resource, err := auth.New(l.authorization(t), auth.Options{})
		if err != nil {
			t.Fatal(err)
		}
		handler = resource.Handler(handler)
	}
	handler, err := httpguard.Guard{}.Handler(handler)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- mcphttp.Server{Handler: handler, ReadTimeout: l.read, WriteTimeout: l.write, End: end, Logger: discard}.Serve(ctx, listener)
	}()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Error("the door does not close")
		}
	})
	return "http://" + listener.Addr().String() + "/mcp"
}

// A server is one behind a door, that remembers which calls it ran.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	ran     []string
	waiting atomic.Int32 // calls of the path "wait"
}

func newServer(t *testing.T) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *server) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.ran...)
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m, err := jsonrpc.DecodeEnvelope(body, call.Limits{})
	if r.Method == http.MethodDelete { // the end of a session
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if r.Method != http.MethodPost || err != nil {
		http.Error(w, "no streams here", http.StatusMethodNotAllowed)
		return
	}
	answer := func(result string) {
		w.Header().Set("Content-Type", mcphttp.JSON)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}
	switch {
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "initialize":
		w.Header().Set(mcphttp.SessionID, fmt.Sprintf("session-%d", time.Now().UnixNano()))
		answer(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`)
	case m.Method == "server/discover":
		answer(`{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}}}`)
	case m.Method == "tools/list":
		answer(`{"resultType":"complete","tools":[{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string","x-mcp-header":"Path"}},"required":["path"]}}]}`)
	default:
		s.mu.Lock()
		s.ran = append(s.ran, string(body))
		s.mu.Unlock()
		s.run(w, r, string(body), answer)
	}
}

// run runs a call as its path says.
func (s *server) run(w http.ResponseWriter, r *http.Request, body string, answer func(string)) {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	switch {
	case strings.Contains(body, `"wait"`):
		<-r.Context().Done()
	case strings.Contains(body, `"huge"`):
		answer(`{"resultType":"complete","content":[{"type":"text","text":"` + strings.Repeat("all is well ", 1<<19) + `"}]}`)
	default:
		answer(`{"resultType":"complete","content":[{"type":"text","text":"done"}]}`)
	}
}
