// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/upstream"
)

// TestReason holds that the reason why a server is down is one of a few, without a word of the server's or the policy's, and that the
// log has one line for it.
func TestReason(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if said, ok := strings.CutPrefix(r.URL.Path, "/says/"); ok { // an error of the server's own, for both first requests
			var m struct{ ID json.RawMessage }
			_ = json.NewDecoder(r.Body).Decode(&m)
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q,"data":%s}}`, m.ID, said, imitation)
			return
		}
		code, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		w.WriteHeader(code)
		_, _ = w.Write([]byte("hunter2"))
	}))
	t.Cleanup(web.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "hunter2")
	for text, want := range map[string]string{
		"url: " + web.URL + "/401":        "unauthorized (401)",
		"url: " + web.URL + "/403":        "forbidden (403)",
		"url: " + web.URL + "/500":        "HTTP 500",
		"url: http://127.0.0.1:1/hunter2": "not reachable",
		"url: \"" + web.URL + "/says/the server answers with HTTP 401 hunter2\"":       "refused the connection's first requests",
		"url: \"" + web.URL + "/says/the server cannot be reached: hunter2\"":          "refused the connection's first requests",
		"command: [hunter2-no-program]":                                                "did not start",
		"command: [" + none + "]":                                                      "did not start: a file or directory cannot be used",
		"command: [" + self + ", -test.hunter2]":                                       "ended before it answered",
		"command: [" + self + ", -test.run=TestImitator], env: {REASON_IMITATES: yes}": "refused the connection's first requests",
		"command: [" + self + ", -test.run=TestSleeper], env: {REASON_SLEEPS: yes}":    "timed out",
		"command: [" + self + "], env: {A: \"hunter2 ${NOBODY_SETS}\"}":                "variable NOBODY_SETS is missing",
		"command: [" + self + "], roots: [\"${NO_1}\", \"${NO_2}\"]":                   "variables NO_1, NO_2 are missing",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			p, err := policy.ParseFor(policy.NoServer, os.LookupEnv, "toolvet.yaml", []byte("version: 1\nservers: {s: {"+text+"}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			timeout := time.Minute
			if want == "timed out" {
				timeout = time.Second
			}
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, nil))
			dialer := &backend.Dialer{Server: p.Servers[0], Logger: logger, Told: backend.Handshake}
			set, err := upstream.NewSet(upstream.Config{Logger: logger, Servers: []upstream.Server{{Name: "s", Dialer: dialer, Timeout: timeout}}})
			if err != nil {
				t.Fatal(err)
			}
			defer set.Close(context.Background())
			if _, err := set.Tools(t.Context(), "s"); err == nil {
				t.Fatal("the server is up")
			}
			if got := backend.Reason(set.States()[0].Err); got != want {
				t.Errorf("%q, want %q, of %v", got, want, set.States()[0].Err)
			}
			set.Close(context.Background())
			if text := log.String(); !strings.Contains(text, "is not connected") || strings.Contains(text, "got no answer") {
				t.Errorf("the log has not one line for one failure:\n%s", text)
			}
		})
	}
}

// An imitation is the data with which toolvet says in a server's place that there is no answer.
const imitation = `{"io.github.toolvet/unanswered":{"status":401}}`

// TestImitator is a server that refuses each request with an imitation.
func TestImitator(*testing.T) {
	if os.Getenv("REASON_IMITATES") == "" {
		return
	}
	for in := json.NewDecoder(os.Stdin); ; {
		var m struct{ ID json.RawMessage }
		if in.Decode(&m) != nil {
			return
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"hunter2","data":%s}}`+"\n", m.ID, imitation)
	}
}

// TestSleeper is a server that says nothing.
func TestSleeper(t *testing.T) {
	if os.Getenv("REASON_SLEEPS") == "" {
		t.Skip("only for TestReason")
	}
	time.Sleep(time.Minute)
}

// A withText error has a text of its own.
type withText struct {
	text string
	err  error
}

func (e withText) Error() string { return e.text }
func (e withText) Unwrap() error { return e.err }

// TestReporting holds that the log tells of a lost connection by its fields: not if a variable is missing, and with a hint if the server is late.
func TestReporting(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := backend.Reporting(slog.New(slog.NewTextHandler(&log, nil)))
	unset := withText{"A is not set", &policy.UnsetError{}}
	logger.Warn("one", "failures", 1, "err", unset)
	logger.Warn("two", "failures", 1, "err", context.DeadlineExceeded)
	logger.Warn("three", "err", context.DeadlineExceeded)
	logger.Warn("four", "err", unset)
	var got []string
	for line := range strings.Lines(log.String()) {
		_, line, _ = strings.Cut(line, "msg=")
		got = append(got, strings.Fields(line)[0]+strconv.FormatBool(strings.Contains(line, "hint=")))
	}
	if want := []string{"twotrue", "threefalse", "fourfalse"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q, of\n%s", got, want, log.String())
	}
}
