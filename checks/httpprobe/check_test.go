// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpprobe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
	"github.com/toolvet/toolvet/checks/internal/probe"
)

const token = "s3cr3t-token-value"

func environment(name string) (string, bool) {
	v, found := map[string]string{"TOKEN": token, "BROKEN": "a\r\nX-Other: b"}[name]
	return v, found
}

func TestCheck(t *testing.T) {
	t.Parallel()
	server, _ := resource(t)
	there := probe.Network{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}}
	checktest.Run(t, newCheck(there, environment), "testdata")
}

// resource answers by its path, and counts the requests.
func resource(t *testing.T) (server *httptest.Server, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch {
		case r.URL.Path == "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/", http.StatusMovedPermanently)
		case r.URL.Path == "/away":
			http.Redirect(w, r, "http://away.invalid/", http.StatusFound)
		case r.URL.Path == "/get" && r.Method != http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.URL.Path == "/key" && r.Header.Get("X-Api-Key") != token:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/gone":
			w.WriteHeader(http.StatusGone)
		}
	}))
	t.Cleanup(server.Close)
	return server, asked
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	server, _ := resource(t)
	origin := server.URL
	const key = ", header_env: {x-api-key: TOKEN}"
	answers := func(want, status string) string {
		return "error: needs " + origin + " to answer with " + want + ", and it answers with " + status + "\n"
	}
	for name, tt := range map[string]struct{ path, options, want string }{
		"there":             {"/", "", "ok\n"},
		"gone":              {"/gone?key=1", "", answers("200 to 299", "410")},
		"gone is fine":      {"/gone", ", status: [200, 410]", "ok\n"},
		"gone is not fine":  {"/gone", ", status: [200, 404]", answers("200 or 404", "410")},
		"GET":               {"/get", ", method: GET", "ok\n"},
		"HEAD":              {"/get", "", answers("200 to 299", "405")},
		"redirect":          {"/moved", "", answers("200 to 299", "301")},
		"redirect followed": {"/moved", ", redirects: 1", "ok\n"},
		"metadata unasked":  {"/metadata", ", status: 302", "ok\n"},
		"metadata":          {"/metadata", ", redirects: 1", "error security: needs " + origin + ", which is not at a public address; the policy does not allow that\n"},
		"key":               {"/key", key, "ok\n"},
		"no key":            {"/key", "", answers("200 to 299", "401")},
		"key stays":         {"/away", key + ", redirects: 1", "error: needs " + origin + ", which redirects to where the policy does not allow\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			demand := fmt.Sprintf("http: {url: %q, allow_private: true%s}", origin+tt.path, tt.options)
			if got := checktest.Judge(t, newCheck(probe.Network{}, environment), demand, nil); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestPublicName holds that a public address is dialed as it was judged.
func TestPublicName(t *testing.T) {
	t.Parallel()
	server, _ := resource(t)
	var dialed string
	network := probe.Network{
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
		},
		Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
			dialed = address
			return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
		},
	}
	if got := checktest.Judge(t, newCheck(network, environment), `http: {url: "http://api.example.org/"}`, nil); got != "ok\n" {
		t.Errorf("got %q, want nothing", got)
	}
	if dialed != "93.184.215.14:80" {
		t.Errorf("dialed %q", dialed)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	server, asked := resource(t)
	now := time.Unix(0, 0)
	c := newCheck(probe.Network{Now: func() time.Time { return now }}, environment)
	for _, step := range []struct {
		path  string
		wait  time.Duration
		asked int32
	}{
		{"/", 0, 1}, {"/", 59 * time.Second, 1}, {"/", time.Second, 2},
		{"/gone", 0, 3}, {"/gone", 4 * time.Second, 3}, {"/gone", time.Second, 4},
	} {
		now = now.Add(step.wait)
		demand := fmt.Sprintf("http: {url: %q, allow_private: true}", server.URL+step.path)
		if got := checktest.Judge(t, c, demand, nil); (got == "ok\n") != (step.path == "/") {
			t.Errorf("%s: got %q", step.path, got)
		}
		if got := asked.Load(); got != step.asked {
			t.Errorf("%s after %v: asked %d times, want %d", step.path, step.wait, got, step.asked)
		}
	}
}

func TestHangs(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	run := new(check.Run).Init(Check, &call.Call{}, nil)
	run.Targets = []check.Target{{Options: &Options{URL: server.URL, AllowPrivate: true}}}
	if err := run.Do(ctx); !errors.Is(err, context.DeadlineExceeded) || len(run.Findings) > 0 {
		t.Errorf("got %v and %v, want a deadline", err, run.Findings)
	}
}
