// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
	"github.com/toolvet/toolvet/checks/internal/probe"
)

const good, bad = "s3cr3t-good-value", "s3cr3t-bad-value"

func environment(name string) (string, bool) {
	v, found := map[string]string{"GOOD": good, "BAD": bad, "EMPTY": "", "BROKEN": good + "\n"}[name]
	return v, found
}

func TestCheck(t *testing.T) {
	t.Parallel()
	server, _ := service(t)
	there := probe.Network{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}}
	checktest.Run(t, newCheck(there, environment), "testdata")
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

func TestAnswers(t *testing.T) {
	t.Parallel()
	server, _ := service(t)
	origin := server.URL
	const other = "header: x-api-key, scheme: ''"
	down := "error: needs " + origin + " to accept its credential with 200 to 299, and it answers with "
	for name, tt := range map[string]struct{ path, options, want string }{
		"accepted":  {"/", "token_env: GOOD", "ok\n"},
		"other way": {"/", "token_env: GOOD, " + other, "ok\n"},
		"HEAD":      {"/head", "token_env: GOOD, method: HEAD, " + other, "ok\n"},
		"GET":       {"/head", "token_env: GOOD, " + other, down + "405\n"},
		"status":    {"/down", "token_env: GOOD, status: 503", "ok\n"},
		"refused": {"/", "token_env: BAD", "error: needs a credential that " + origin + " accepts, and it refuses the one in the environment variable BAD (status 401)\n" +
			"→ renew the credential, or give it the missing permissions\n"},
		"down":       {"/down", "token_env: GOOD", down + "503\n"},
		"redirected": {"/login", "token_env: GOOD", down + "302\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			demand := fmt.Sprintf("credential: {url: %q, allow_private: true, %s}", origin+tt.path, tt.options)
			got := checktest.Judge(t, newCheck(probe.Network{}, environment), demand, nil)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if strings.Contains(got, good) || strings.Contains(got, bad) {
				t.Errorf("the credential is shown: %s", got)
			}
		})
	}
}

// TestNewCredential holds that a refused credential is not tried again and again, and a new one
// at once.
func TestNewCredential(t *testing.T) {
	t.Parallel()
	server, asked := service(t)
	current := bad
	c := newCheck(probe.Network{}, func(string) (string, bool) { return current, true })
	look := func(accepted bool, want int32) {
		t.Helper()
		demand := fmt.Sprintf("credential: {url: %q, token_env: TOKEN, allow_private: true}", server.URL)
		if got := checktest.Judge(t, c, demand, nil); (got == "ok\n") != accepted || asked.Load() != want {
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
	c := newCheck(probe.Network{}, environment)
	run := new(check.Run).Init(c, &call.Call{}, nil)
	run.Targets = []check.Target{{Options: &Options{URL: server.URL, TokenEnv: "GOOD", AllowPrivate: true}}}
	if err := run.Do(ctx); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), good) {
		t.Errorf("got %v, want a deadline", err)
	}
}
