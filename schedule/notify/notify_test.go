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
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

var alert = schedule.Alert{Event: "job.warned", Name: "backup", Status: schedule.Warned, Reason: "/data is gone"}

func closed(t *testing.T, n *Notifier) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n.Close(ctx)
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	type request struct {
		id, signature string
		body          []byte
	}
	got := make(chan request, 10)
	count := 0
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := r.Header.Get("webhook-id")
		if want := Sign("a secret", id, r.Header.Get("webhook-timestamp"), body); r.Header.Get("webhook-signature") != want {
			t.Errorf("the signature is %q, want %q", r.Header.Get("webhook-signature"), want)
		}
		got <- request{id, r.Header.Get("webhook-signature"), body}
		if count++; count < 3 {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer hook.Close()
	n := New(Config{Webhook: hook.URL, Secret: "a secret"})
	n.pause = time.Millisecond
	n.Alert(alert)
	closed(t, n)
	if len(got) != 3 {
		t.Fatalf("the webhook was told %d times, want 3", len(got))
	}
	first, second := <-got, <-got
	if first.id == "" || first.id != second.id {
		t.Errorf("a second try has another id: %q %q", first.id, second.id)
	}
	var a schedule.Alert
	if err := json.Unmarshal(first.body, &a); err != nil || a != alert {
		t.Errorf("the webhook reads %s: %v", first.body, err)
	}
}

// TestSign holds that what is signed has its time in it.
func TestSign(t *testing.T) {
	t.Parallel()
	if a, b := Sign("k", "i", "1", []byte("x")), Sign("k", "i", "2", []byte("x")); a == b || !strings.HasPrefix(a, "v1,") {
		t.Errorf("the time is not signed: %s %s", a, b)
	}
}

func TestRefusedWebhookIsNotRepeated(t *testing.T) {
	t.Parallel()
	count := 0
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { count++; w.WriteHeader(http.StatusGone) }))
	defer hook.Close()
	n := New(Config{Webhook: hook.URL, Secret: "s"})
	n.Alert(alert)
	closed(t, n)
	if count != 1 {
		t.Errorf("it was told %d times", count)
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell's")
	}
	file := filepath.Join(t.TempDir(), "alert.json")
	n := New(Config{Command: []string{"/bin/sh", "-c", `cat >"$0"`, file}})
	n.Alert(alert)
	closed(t, n)
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `"reason":"/data is gone"`) {
		t.Errorf("the command read %q, %v", text, err)
	}
}
