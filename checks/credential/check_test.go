// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/probe"
)

const good, bad = "s3cr3t-good-value", "s3cr3t-bad-value"

func environment(name string) (string, bool) {
	v, found := map[string]string{"GOOD": good, "BAD": bad, "EMPTY": "", "BROKEN": good + "\n"}[name]
	return v, found
}

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, New(probe.Network{}, environment), &Options{URL: "https://api.example.com/user", TokenEnv: "REPORTS_TOKEN"}, map[string]any{})
}

// service accepts the good credential, and counts the requests.
func service(t *testing.T) (server *httptest.Server, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch {
		case r.URL.Path == "/down":
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/login":
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		case r.Header.Get("Authorization") != "Bearer "+good && r.Header.Get("X-Api-Key") != good:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/head" && r.Method != http.MethodHead:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	t.Cleanup(server.Close)
	return server, asked
}

func TestCheck(t *testing.T) {
	t.Parallel()
	server, _ := service(t)
	origin := server.URL
	for name, tt := range map[string]struct {
		path    string
		options Options
		want    []string
	}{
		"accepted":  {"/", Options{TokenEnv: "GOOD", Scheme: "Bearer"}, nil},
		"other way": {"/", Options{TokenEnv: "GOOD", Header: "x-api-key"}, nil},
		"HEAD":      {"/head", Options{TokenEnv: "GOOD", Header: "x-api-key", Method: "HEAD"}, nil},
		"status":    {"/down", Options{TokenEnv: "GOOD", Status: []int{503}}, nil},
		"refused": {"/", Options{TokenEnv: "BAD", Scheme: "Bearer"}, []string{
			"error runtime: needs a credential that " + origin + " accepts, and it refuses the one in the environment variable BAD (status 401)",
			"→ renew the credential, or give it the permissions that are missing"}},
		"not set":    {"/", Options{TokenEnv: "NONE"}, []string{"error runtime: needs a credential in the environment variable NONE, which holds none"}},
		"empty":      {"/", Options{TokenEnv: "EMPTY"}, []string{"error runtime: needs a credential in the environment variable EMPTY, which holds none"}},
		"two lines":  {"/", Options{TokenEnv: "BROKEN"}, []string{"error runtime: needs a credential in the environment variable BROKEN, which holds none"}},
		"down":       {"/down", Options{TokenEnv: "GOOD"}, []string{"error runtime: needs " + origin + " to accept its credential with 200 to 299, and it answers with 503"}},
		"redirected": {"/login", Options{TokenEnv: "GOOD"}, []string{"error runtime: needs " + origin + " to accept its credential with 200 to 299, and it answers with 302"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := tt.options
			o.URL, o.AllowPrivate = origin+tt.path, true
			got := find(t, New(probe.Network{}, environment), check.World{}, &o, map[string]any{})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if text := strings.Join(got, "\n"); strings.Contains(text, good) || strings.Contains(text, bad) {
				t.Errorf("the credential is shown: %s", text)
			}
		})
	}
	for name, tt := range map[string]struct {
		world   check.World
		private bool
		want    string
	}{
		"remote":  {check.World{Remote: true}, true, "skip: not looked: the server's credentials are not on this machine"},
		"private": {check.World{}, false, "error security: needs to try its credential at " + origin + ", which is not at a public address, which the policy does not allow"},
	} {
		o := &Options{URL: origin, TokenEnv: "GOOD", AllowPrivate: tt.private}
		if diff := cmp.Diff([]string{tt.want}, find(t, New(probe.Network{}, environment), tt.world, o, nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestNewCredential holds that a refused credential is not tried again and again, and that
// a new one is tried at once.
func TestNewCredential(t *testing.T) {
	t.Parallel()
	server, asked := service(t)
	current := bad
	c := New(probe.Network{}, func(string) (string, bool) { return current, true })
	look := func(accepted bool, want int32) {
		t.Helper()
		o := Rule.Options().(*Options)
		o.URL, o.TokenEnv, o.AllowPrivate = server.URL, "TOKEN", true
		if got := find(t, c, check.World{}, o, nil); (got == nil) != accepted || asked.Load() != want {
			t.Errorf("got %q after %d requests, want %d", got, asked.Load(), want)
		}
	}
	look(false, 1)
	look(false, 1)
	current = good
	look(true, 2)
	look(true, 2)
}

func TestHangs(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c := New(probe.Network{}, environment)
	pass := check.NewPass(c, &call.Call{}, nil)
	pass.Targets = []check.Target{{Options: &Options{URL: server.URL, TokenEnv: "GOOD", AllowPrivate: true}}}
	if err := c.Run(ctx, pass); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), good) {
		t.Errorf("got %v, want a deadline", err)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	var got []string
	for _, o := range []*Options{
		{URL: "https://a b", Header: "Host", Scheme: "a b", Method: "POST", Status: []int{1}},
		{URL: "http://api.example.org", TokenEnv: "A"},
		{URL: "HTTP://api.example.org", TokenEnv: "A"},
		{URL: "http://127.0.0.1:8080/", TokenEnv: "A"},
	} {
		for _, p := range o.Problems() {
			got = append(got, p.Field)
		}
	}
	if diff := cmp.Diff([]string{"url", "token_env", "header", "scheme", "method", "status", "url", "url"}, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	o := Rule.Options().(*Options)
	o.URL, o.TokenEnv = "https://api.example.org/user", "TOKEN"
	if got := o.Problems(); got != nil {
		t.Errorf("got %v, want none", got)
	}
}
