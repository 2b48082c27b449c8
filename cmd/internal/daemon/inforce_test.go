// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/cmd/internal/prometheus"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/enforce"
)

// TestRevoked holds that a token that a policy no longer has is refused, although another program writes into the
// policy's directory all the time, and that /readyz and the metrics show which policy is in force.
func TestRevoked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "toolvet.yaml")
	tokens := map[string]string{"ann": "ann-0123456789abcdef0123456789abcdef", "mal": "mal-0123456789abcdef0123456789abcdef"}
	policyOf := func(more string, who ...string) string {
		text := "version: 1\nservers: {s: {command: [server]}}\nauthorization:\n  resource: http://127.0.0.1/mcp\n  tokens:\n"
		for _, name := range who {
			text += fmt.Sprintf("    - {sha256: %s, subject: %s}\n", hex.EncodeToString(digestBytes(tokens[name])), name)
		}
		return text + more
	}
	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(file+"~", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+"~", file); err != nil {
			t.Fatal(err)
		}
	}
	save(policyOf("", "ann", "mal"))
	log := slog.New(slog.DiscardHandler)
	s := &service{processes: newProcesses(0), cfg: ServeConfig{Source: enforce.Source{Policy: file, Checks: suite.Default()}, Listen: "127.0.0.1:0", Logger: log}, log: log}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	metrics, err := prometheus.New()
	if err != nil {
		t.Fatal(err)
	}
	(&exporters{observer: metrics}).follow(s.watcher)
	if s.gateway, err = gateway.New(gateway.Config{Servers: s.upstreams(), Logger: log}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.gateway.Close(context.Background()) })
	site := newWeb(s, metrics.Handler())
	t.Cleanup(func() { site.close(context.Background()) })
	get := func(who, path string) (int, string) {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer "+tokens[who])
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{}, 2)
	t.Cleanup(func() { stop(); <-done; <-done })
	go func() { s.watcher.Run(ctx); done <- struct{}{} }()
	go func() {
		for n := 0; ctx.Err() == nil; n++ {
			_ = os.WriteFile(filepath.Join(dir, "log.jsonl"), fmt.Append(nil, n), 0o600)
			time.Sleep(5 * time.Millisecond)
		}
		done <- struct{}{}
	}()
	inForce := func() (state policyState) {
		_, body := get("ann", "/readyz")
		var answer struct{ Policy policyState }
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Policy
	}
	if code, _ := get("mal", "/metrics"); code != http.StatusOK {
		t.Fatalf("before the token is revoked: status %d", code)
	}
	before, text := inForce(), policyOf("# without mal\n", "ann")
	save(text)
	eventually(t, func() bool { code, _ := get("mal", "/metrics"); return code == http.StatusUnauthorized }, "the revoked token is still accepted")
	digest := hex.EncodeToString(digestBytes(text))
	eventually(t, func() bool { return inForce().Digest == digest }, "/readyz does not show the policy that is in force") // it says so once all of it is
	if now := inForce(); !now.Since.After(before.Since) || now.Refused {
		t.Errorf("/readyz shows %+v after %+v", now, before)
	}
	save(policyOf("nothing: known\n", "ann", "mal"))
	eventually(t, func() bool { return inForce().Refused }, "/readyz does not show that a policy was refused")
	code, body := get("ann", "/metrics")
	for _, want := range []string{`toolvet_policy_in_force_timestamp_seconds{digest="` + digest + `"} 1.`, "toolvet_policy_refused 1\n"} {
		if code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("status %d, and the metrics lack %s:\n%s", code, want, body)
		}
	}
	if code, _ := get("mal", "/metrics"); code != http.StatusUnauthorized {
		t.Errorf("a policy that was refused lets the revoked token in: status %d", code)
	}
}

func digestBytes(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}
