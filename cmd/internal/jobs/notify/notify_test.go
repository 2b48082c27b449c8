// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/schedule"
)

func notice() *schedule.Notice {
	return &schedule.Notice{Alert: schedule.Alert{ID: "msg_1", Event: "job.warned", Name: "backup", Status: schedule.Warned, Reason: "/data is gone"}}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	var ids []string
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := r.Header.Get("webhook-id")
		if want := sign("a secret", id, r.Header.Get("webhook-timestamp"), body); r.Header.Get("webhook-signature") != want {
			t.Errorf("the signature is %q, want %q", r.Header.Get("webhook-signature"), want)
		}
		var a schedule.Alert
		if err := json.Unmarshal(body, &a); err != nil || a != notice().Alert {
			t.Errorf("the webhook reads %s: %v", body, err)
		}
		if ids = append(ids, id); len(ids) < 3 {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer hook.Close()
	n, a := New(Config{Webhook: hook.URL, Secret: "a secret"}), notice()
	for i := range 4 {
		if err := n.Tell(t.Context(), a); (err == nil) != (i >= 2) {
			t.Errorf("try %d: %v", i, err)
		}
	}
	if diff := cmp.Diff([]string{"msg_1", "msg_1", "msg_1"}, ids); diff != "" { // and not again
		t.Errorf("the webhook was told (-want +got):\n%s", diff)
	}
}

// TestSign: the signature covers the time.
func TestSign(t *testing.T) {
	t.Parallel()
	if a, b := sign("k", "i", "1", []byte("x")), sign("k", "i", "2", []byte("x")); a == b || !strings.HasPrefix(a, "v1,") {
		t.Errorf("the time is not signed: %s %s", a, b)
	}
}

func TestRefusedWebhookIsNotRepeated(t *testing.T) {
	t.Parallel()
	count := 0
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { count++; w.WriteHeader(http.StatusGone) }))
	defer hook.Close()
	n := New(Config{Webhook: hook.URL, Secret: "s"})
	a := notice()
	if err := n.Tell(t.Context(), a); err != nil || !slices.Contains(a.Told, "webhook") {
		t.Errorf("a webhook that refuses is told again: %v", err)
	}
	if count != 1 {
		t.Errorf("it was told %d times", count)
	}
}

// TestSilentWebhook: the error names a webhook that does not answer.
func TestSilentWebhook(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	defer hook.Close()
	defer close(end)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := New(Config{Webhook: hook.URL, Secret: "s"}).Tell(ctx, notice())
	if err == nil || !strings.Contains(err.Error(), "the webhook: it did not answer within") || strings.Contains(err.Error(), hook.URL) {
		t.Errorf("it is told %v", err)
	}
}

// TestCommand: each receiver hears an alert until that succeeds, whatever happens to the others.
func TestCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell's")
	}
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer hook.Close()
	file := filepath.Join(t.TempDir(), "alerts.jsonl")
	n, a := New(Config{Webhook: hook.URL, Secret: "s", Command: []string{"/bin/sh", "-c", `cat >>"$0"`, file}}), notice()
	for range 2 {
		if err := n.Tell(t.Context(), a); err == nil || !strings.Contains(err.Error(), "the webhook: it answered with status 503") {
			t.Errorf("the webhook is down: %v", err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), `"reason":"/data is gone"`) != 1 {
		t.Errorf("the command read %q, %v", text, err)
	}
	n, a = New(Config{Command: []string{"/bin/sh", "-c", "exit 3"}}), notice()
	if err := n.Tell(t.Context(), a); err == nil || len(a.Told) > 0 {
		t.Errorf("a command that fails was told %v: %v", a.Told, err)
	}
}
