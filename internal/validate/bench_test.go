// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/proxy/httpdoor"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// filePolicy demands of the argument what the file system is asked for.
func filePolicy(tb testing.TB) (policy, file string) {
	tb.Helper()
	dir := tb.TempDir()
	file = filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprintf("servers: {s: {roots: [%q], tools: {read: {arguments: {path: {path: {exists: true}, text: {max_length: 500}}}}}}}\n", dir), file
}

// BenchmarkValidate answers a dry run: judged anew each time, and from what is kept; with the
// default checks, and with a policy that asks the file system.
func BenchmarkValidate(b *testing.B) {
	for _, world := range []string{"default", "files"} {
		policy, path := "", "a"
		if world == "files" {
			policy, path = filePolicy(b)
		}
		for _, kind := range []string{"new", "kept"} {
			b.Run(world+"/"+kind, func(b *testing.B) {
				cfg := validate.Config{TTL: time.Hour, RuntimeTTL: time.Hour}
				if kind == "new" {
					cfg.TTL = -1
				}
				d := newDoor(b, cfg, newGate(b, policy))
				arguments := request("read", fmt.Sprintf(`{"path":%q}`, path))
				b.ReportAllocs()
				for b.Loop() {
					if a := d.ask(b.Context(), "validate", arguments); !strings.Contains(string(a), `"valid":true`) {
						b.Fatal(string(a))
					}
				}
			})
		}
	}
}

// BenchmarkValidate100 answers 100 dry runs, none of which was kept: alone, and in a batch; in
// process with the default checks, with a policy that asks the file system, and with a check that
// waits as for a network; and over HTTP.
func BenchmarkValidate100(b *testing.B) {
	policy, file := filePolicy(b)
	waits := custom("waits", check.RuntimeLevel, func(ctx context.Context, pass *check.Pass) error {
		if pass.Call.Validation {
			return nil
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
		}
		return ctx.Err()
	})
	door := func(gate *toolvet.Gate) *door { return newDoor(b, validate.Config{TTL: -1}, gate) }
	for _, world := range []struct {
		name, path string
		ask        func(ctx context.Context, tool, arguments string) json.RawMessage
	}{
		{"default", "a", door(newGate(b, "")).ask},
		{"files", file, door(newGate(b, policy)).ask},
		{"waits", "a", door(newGate(b, "", waits)).ask},
		{"http", "a", overHTTP(b, newGate(b, ""))},
	} {
		items := make([]string, 100)
		for i := range items {
			items[i] = request("read", fmt.Sprintf(`{"path":%q,"n":%d}`, world.path, i))
		}
		good := func(a json.RawMessage, n int) {
			if got := strings.Count(string(a), `"tool":"read"`); got < n || strings.Contains(string(a), `"valid":false`) {
				b.Fatalf("%d answers, want %d: %.2000s", got, n, a)
			}
		}
		b.Run(world.name+"/singles", func(b *testing.B) {
			for b.Loop() {
				for _, item := range items {
					good(world.ask(b.Context(), "validate", item), 1)
				}
			}
		})
		b.Run(world.name+"/batch", func(b *testing.B) {
			arguments := `{"calls":[` + strings.Join(items, ",") + `]}`
			for b.Loop() {
				good(world.ask(b.Context(), "validate_batch", arguments), len(items))
			}
		})
	}
}

// overHTTP asks through the HTTP proxy, one request after the other on one connection.
func overHTTP(b *testing.B, gate *toolvet.Gate) func(ctx context.Context, tool, arguments string) json.RawMessage {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, err := jsonrpc.DecodeEnvelope(body, call.Limits{})
		if err != nil || m.Method != "tools/list" {
			b.Errorf("the server is asked %s", body)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.ID, readTool)
	}))
	b.Cleanup(server.Close)
	upstream, err := url.Parse(server.URL)
	if err != nil {
		b.Fatal(err)
	}
	p, err := httpdoor.New(httpdoor.Config{
		Config: relay.Config{Gate: func() *toolvet.Gate { return gate }, Validation: validate.Config{TTL: -1}}, Upstream: upstream,
	})
	if err != nil {
		b.Fatal(err)
	}
	front := httptest.NewServer(p)
	b.Cleanup(front.Close)
	return func(ctx context.Context, tool, arguments string) json.RawMessage {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, front.URL, strings.NewReader(message))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := front.Client().Do(req)
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			b.Fatal(err)
		}
		return answer
	}
}
