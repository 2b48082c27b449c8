// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/upstream"
)

type withKey string

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Key", string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// A gateway with its own authentication, and a client of it.
func Example_gateway() {
	ctx, gate := context.Background(), must(toolvet.New())
	gates := func(string) *toolvet.Gate { return gate }
	g := must(gateway.New(gateway.Config{Servers: []gateway.Server{{
		Server: upstream.Server{Name: "files", Dialer: upstream.Command{Args: []string{self, "server"}}}, Gate: gate.Current,
	}}}))
	defer g.Close(ctx)
	handler := must(g.Handler(gateway.HandlerConfig{Caller: func(r *http.Request) (call.Session, error) {
		if r.Header.Get("X-Key") != "ann's" {
			return call.Session{}, errors.New("unknown key")
		}
		return call.Session{Subject: "ann"}, nil
	}}))
	defer handler.Close(ctx)
	web := httptest.NewServer(handler)
	defer web.Close()
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for _, key := range []withKey{"ann's", "bob's"} {
		set := must(upstream.NewSet(upstream.Config{Gate: gates, Servers: []upstream.Server{{Name: "all", Dialer: upstream.HTTP{URL: web.URL, Transport: key}}}}))
		outcome, err := set.Call(ctx, "all:files__touch", json.RawMessage(`{"path":"/dev/null"}`))
		fmt.Println(outcome.Ran, err != nil)
		set.Close(ctx)
	}
	// Output:
	// true false
	// false true
}
