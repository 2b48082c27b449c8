// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpprobe

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/probe"
)

const token = "s3cr3t-token-value"

func environment(name string) (string, bool) {
	v, found := map[string]string{"TOKEN": token, "BROKEN": "a\r\nX-Other: b"}[name]
	return v, found
}

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, New(probe.Network{}, environment), &Options{URL: "http://127.0.0.1:8080/health"}, map[string]any{})
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

func TestCheck(t *testing.T) {
	t.Parallel()
	server, _ := resource(t)
	origin := server.URL
	key := map[string]string{"x-api-key": "TOKEN"}
	for name, tt := range map[string]struct {
		path    string
		options Options
		want    []string
	}{
		"there":             {"/", Options{}, nil},
		"gone":              {"/gone?key=1", Options{}, []string{"error runtime: needs " + origin + " to answer with 200 to 299, and it answers with 410"}},
		"gone is fine":      {"/gone", Options{Status: []int{200, 410}}, nil},
		"gone is not fine":  {"/gone", Options{Status: []int{200, 404}}, []string{"error runtime: needs " + origin + " to answer with 200 or 404, and it answers with 410"}},
		"GET":               {"/get", Options{Method: "GET"}, nil},
		"HEAD":              {"/get", Options{}, []string{"error runtime: needs " + origin + " to answer with 200 to 299, and it answers with 405"}},
		"redirect":          {"/moved", Options{}, []string{"error runtime: needs " + origin + " to answer with 200 to 299, and it answers with 301"}},
		"redirect followed": {"/moved", Options{Redirects: 1}, nil},
		"metadata unasked":  {"/metadata", Options{Status: []int{302}}, nil},
		"metadata":          {"/metadata", Options{Redirects: 1}, []string{"error security: needs " + origin + ", which is not at a public address, which the policy does not allow"}},
		"key":               {"/key", Options{HeaderEnv: key}, nil},
		"no key":            {"/key", Options{}, []string{"error runtime: needs " + origin + " to answer with 200 to 299, and it answers with 401"}},
		"key stays":         {"/away", Options{HeaderEnv: key, Redirects: 1}, []string{"error runtime: needs " + origin + ", which redirects to where the policy does not allow"}},
		"variable missing":  {"/", Options{HeaderEnv: map[string]string{"A": "NONE", "B": "ALSO"}}, []string{"error runtime: needs the environment variable ALSO, which does not hold a header's value"}},
		"variable broken":   {"/", Options{HeaderEnv: map[string]string{"A": "BROKEN"}}, []string{"error runtime: needs the environment variable BROKEN, which does not hold a header's value"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := tt.options
			o.URL, o.AllowPrivate = origin+tt.path, true
			if diff := cmp.Diff(tt.want, find(t, New(probe.Network{}, environment), check.World{}, &o, map[string]any{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	want := []string{"skip: not looked: this machine is not the one that the server is on"}
	if diff := cmp.Diff(want, find(t, Check, check.World{Remote: true}, &Options{URL: origin, AllowPrivate: true}, nil)); diff != "" {
		t.Errorf("remote (-want +got):\n%s", diff)
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
	if got := find(t, New(network, environment), check.World{}, &Options{URL: "http://api.example.org/"}, nil); got != nil {
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
	c := New(probe.Network{Now: func() time.Time { return now }}, environment)
	for _, step := range []struct {
		path  string
		wait  time.Duration
		asked int32
	}{
		{"/", 0, 1}, {"/", 59 * time.Second, 1}, {"/", time.Second, 2},
		{"/gone", 0, 3}, {"/gone", 4 * time.Second, 3}, {"/gone", time.Second, 4},
	} {
		now = now.Add(step.wait)
		o := Rule.Options().(*Options)
		o.URL, o.AllowPrivate = server.URL+step.path, true
		if got := find(t, c, check.World{}, o, nil); (got == nil) != (step.path == "/") {
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
	pass := check.NewPass(Check, &call.Call{}, nil)
	pass.Targets = []check.Target{{Options: &Options{URL: server.URL, AllowPrivate: true}}}
	if err := Check.Run(ctx, pass); !errors.Is(err, context.DeadlineExceeded) || len(pass.Findings()) > 0 {
		t.Errorf("got %v and %v, want a deadline", err, pass.Findings())
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range (&Options{URL: "ftp://a", Method: "POST", Status: []int{99}, Redirects: 6, HeaderEnv: map[string]string{"Host": "A"}}).Problems() {
		got = append(got, p.Field)
	}
	if diff := cmp.Diff([]string{"url", "method", "status", "redirects", "header_env"}, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	o := Rule.Options().(*Options)
	o.URL = "https://example.org"
	if got := o.Problems(); got != nil {
		t.Errorf("got %v, want none", got)
	}
	for _, p := range (&Options{URL: "https://user:" + token + "@example.org"}).Problems() {
		if strings.Contains(p.Message, token) {
			t.Errorf("%q shows the password", p.Message)
		}
	}
}
