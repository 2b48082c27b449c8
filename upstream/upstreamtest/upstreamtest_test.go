// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstreamtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/upstream"
	"github.com/toolvet/toolvet/upstream/upstreamtest"
)

func newSet(t *testing.T, s upstreamtest.Server) *upstream.Set {
	t.Helper()
	gate, err := toolvet.New()
	if err != nil {
		t.Fatal(err)
	}
	set, err := upstream.NewSet(upstream.Config{Gate: func(string) *toolvet.Gate { return gate }, Servers: []upstream.Server{{Name: "s", Dialer: s}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close(context.Background()) })
	return set
}

// TestServer holds that calls reach the handlers with their arguments, concurrently and judged, and that
// texts and failures come back.
func TestServer(t *testing.T) {
	t.Parallel()
	set := newSet(t, upstreamtest.Server{
		{Name: "plain"},
		{Name: "echo", Handler: func(_ context.Context, a json.RawMessage) (string, error) { return string(a), nil }},
		{Name: "fail", Handler: func(context.Context, json.RawMessage) (string, error) { return "", errors.New("broken") }},
		{Name: "strict", InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false}`)},
	})
	for _, tt := range []struct {
		tool, arguments, want string
		ran                   bool
	}{
		{"plain", "{}", "ok", true},
		{"echo", `{"a":1}`, `{\"a\":1}`, true},
		{"fail", "{}", `"isError":true`, true},
		{"strict", `{"a":1}`, "not allowed", false},
		{"none", "{}", "no tool of this name", false},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			o, err := set.Call(t.Context(), "s:"+tt.tool, json.RawMessage(tt.arguments))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(o.Raw), tt.want) || o.Ran != tt.ran {
				t.Errorf("ran %v, got %s", o.Ran, o.Raw)
			}
		})
	}
}

// TestClose holds that a handler under way learns that its connection ends.
func TestClose(t *testing.T) {
	t.Parallel()
	began, ended := make(chan struct{}), make(chan struct{})
	set := newSet(t, upstreamtest.Server{{Name: "wait", Handler: func(ctx context.Context, _ json.RawMessage) (string, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return "", ctx.Err()
	}}})
	failed := make(chan error, 1)
	go func() {
		_, err := set.Call(context.Background(), "s:wait", nil)
		failed <- err
	}()
	<-began
	set.Close(t.Context())
	<-ended
	if err := <-failed; !errors.Is(err, upstream.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestCloseStuck holds that a handler that goes on does not hold up the end of its connection.
func TestCloseStuck(t *testing.T) {
	t.Parallel()
	began, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	set := newSet(t, upstreamtest.Server{{Name: "wait", Handler: func(context.Context, json.RawMessage) (string, error) {
		close(began)
		<-release
		return "", nil
	}}})
	failed := make(chan error, 1)
	go func() {
		_, err := set.Call(context.Background(), "s:wait", nil)
		failed <- err
	}()
	<-began
	set.Close(t.Context())
	if err := <-failed; !errors.Is(err, upstream.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestBroken holds that a definition that cannot be sent is told at once.
func TestBroken(t *testing.T) {
	t.Parallel()
	set := newSet(t, upstreamtest.Server{{Name: "odd", InputSchema: json.RawMessage("{")}})
	if _, err := set.Call(t.Context(), "s:odd", nil); err == nil || !strings.Contains(err.Error(), `the InputSchema of "odd" is no JSON`) {
		t.Errorf("got %v", err)
	}
}

func Example() {
	gate, err := toolvet.New()
	if err != nil {
		panic(err)
	}
	set, err := upstream.NewSet(upstream.Config{
		Gate:    func(string) *toolvet.Gate { return gate },
		Servers: []upstream.Server{{Name: "files", Dialer: upstreamtest.Server{{Name: "read"}}}},
	})
	if err != nil {
		panic(err)
	}
	defer set.Close(context.Background())
	outcome, err := set.Call(context.Background(), "files:read", json.RawMessage(`{}`))
	fmt.Println(outcome.Ran, err)
	// Output: true <nil>
}
