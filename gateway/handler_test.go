// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
)

// basic authenticates by HTTP's own means, as an example.
func basic(r *http.Request) (call.Session, error) {
	user, password, _ := r.BasicAuth()
	if password != "secret of "+user {
		return call.Session{}, errors.New("wrong password")
	}
	return call.Session{Subject: user}, nil
}

// A login adds a user and a password to requests.
type login string

func (l login) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.SetBasicAuth(string(l), "secret of "+string(l))
	return http.DefaultTransport.RoundTrip(r)
}

func ExampleGateway_Handler() {
	files := lists(map[string]string{"tools/list": tools("read")}, echo) // in earnest: upstream.Command{Args: []string{"my-server"}}
	g, err := gateway.New(gateway.Config{Servers: []gateway.Server{{Server: upstream.Server{Name: "files", Dialer: files}}}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer g.Close(ctx)
	h, err := g.Handler(gateway.HandlerConfig{Caller: basic})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close(ctx)
	web := httptest.NewServer(h)
	defer web.Close()

	set, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "all", Dialer: upstream.HTTP{URL: web.URL, Transport: login("ann")}}}})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close(ctx)
	outcome, err := set.Call(ctx, "all:files__read", json.RawMessage(`{"n":1}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ran:", outcome.Ran)
	// Output:
	// ran: true
}

// TestHandlerCaller: nobody gets past Caller, and who does is who Caller says, whatever else the session claims.
func TestHandlerCaller(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []call.Session
	f := lists(map[string]string{"tools/list": tools("x")}, echo)
	list := listOf(t, map[string]*fake{"s": f})
	list[0].Dialer, list[0].DialerFor = nil, func(who call.Session) upstream.Dialer {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, who)
		return f
	}
	g, err := gateway.New(gateway.Config{Servers: list})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close(context.Background()) })
	if _, err := g.Handler(gateway.HandlerConfig{}); err == nil {
		t.Error("a handler without a Caller is made")
	}
	h, err := g.Handler(gateway.HandlerConfig{Caller: basic})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)

	_, err = servers.Connect(t.Context(), upstream.HTTP{URL: web.URL}, servers.Options{})
	if err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), "wrong password") {
		t.Errorf("without a password: %v, want 401 without the reason", err)
	}
	_, err = servers.Connect(t.Context(), upstream.HTTP{URL: web.URL, Transport: login("")}, servers.Options{})
	if err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("a session without a subject: %v, want 401", err)
	}
	if len(seen) != 0 {
		t.Errorf("a request without a caller reaches a server as %+v", seen)
	}
	for _, name := range []string{"ann", "bob"} {
		c, err := servers.Connect(t.Context(), upstream.HTTP{URL: web.URL, Transport: login(name)}, servers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if list, _, err := c.Tools(t.Context()); err != nil || list == nil {
			t.Errorf("%s gets no tools: %v", name, err)
		}
		c.Close(t.Context())
	}
	mu.Lock()
	defer mu.Unlock()
	subjects := map[string]bool{}
	for _, who := range seen {
		subjects[who.Subject] = true
	}
	if len(subjects) != 2 || !subjects["ann"] || !subjects["bob"] {
		t.Errorf("the servers were opened for %v", subjects)
	}
}

// TestHandlerClosed: a closed Handler says that it is closed, and not that it is full.
func TestHandlerClosed(t *testing.T) {
	t.Parallel()
	g, err := gateway.New(gateway.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close(context.Background()) })
	h, err := g.Handler(gateway.HandlerConfig{Caller: basic})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	h.Close(t.Context())
	_, err = servers.Connect(t.Context(), upstream.HTTP{URL: web.URL, Transport: login("ann")}, servers.Options{})
	if err == nil || !strings.Contains(err.Error(), "shutting down") {
		t.Errorf("a closed Handler: %v", err)
	}
}

// sessions receives the sessions of judged calls.
type sessions chan call.Session

func (s sessions) Judged(_ context.Context, e *toolvet.Event) error {
	s <- *e.Call.Session
	return nil
}
func (sessions) Returned(context.Context, *toolvet.Event) error { return nil }
func (sessions) Listed(context.Context, string, *call.Catalog)  {}

// TestHandlerSession: a rule can rely on what the Handler says of the session.
func TestHandlerSession(t *testing.T) {
	t.Parallel()
	judged, claimed := make(sessions, 1), call.Session{Subject: "ann", Transport: "stdio"}
	f := lists(map[string]string{"tools/list": tools("x")}, echo)
	g, err := gateway.New(gateway.Config{Servers: listOf(t, map[string]*fake{"s": f}), Observer: judged})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close(context.Background()) })
	h, err := g.Handler(gateway.HandlerConfig{Caller: func(*http.Request) (call.Session, error) { return claimed, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	set, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "g", Dialer: upstream.HTTP{URL: web.URL}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close(t.Context())
	if _, err := set.Call(t.Context(), "g:s__x", json.RawMessage(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	if s := <-judged; !s.Authenticated || s.Transport != "http" || s.Subject != "ann" {
		t.Errorf("the session is %+v", s)
	}
}
