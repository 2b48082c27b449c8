// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
)

// everything starts server-everything on HTTP and returns its URL.
func everything(t *testing.T) string {
	t.Helper()
	command := append(npm.Server(t, "everything"), "streamableHttp")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	url := "http://127.0.0.1:" + port + "/mcp"
	for end := time.Now().Add(2 * patience); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get(url)
		if err == nil {
			resp.Body.Close()
			return url
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not listen: %v", err)
		}
	}
}

// TestRealClients has clients of the TypeScript SDK use server-everything through the proxy.
func TestRealClients(t *testing.T) {
	t.Parallel()
	url := serve(t, everything(t), Config{}, httpguard.Guard{})
	for _, sdk := range []string{"sdk-1.12.1", "sdk-1.24.3", "@modelcontextprotocol/sdk"} {
		t.Run(strings.ReplaceAll(sdk, "/", "_"), func(t *testing.T) {
			t.Parallel()
			command := append(npm.Script(t, "session-v1.mjs"), sdk, url)
			cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			type called struct{ IsError bool }
			var seen struct {
				Done           bool
				Capability     struct{ Supported bool }
				Tools          []string
				Good, Bad      called
				Valid, Invalid struct {
					StructuredContent struct{ Valid bool }
				}
				Progress              []float64
				Canceled              bool
				Sampling, Elicitation called
			}
			if err := json.Unmarshal(out, &seen); err != nil {
				t.Fatal(err)
			}
			if !seen.Done || !seen.Capability.Supported || !slices.Contains(seen.Tools, "validate") || seen.Good.IsError || !seen.Bad.IsError ||
				!seen.Valid.StructuredContent.Valid || seen.Invalid.StructuredContent.Valid || len(seen.Progress) < 3 || !seen.Canceled || seen.Sampling.IsError || seen.Elicitation.IsError {
				t.Errorf("the client sees %s", out)
			}
		})
	}
}

// TestRealFidelity holds that what a server says comes through as it is, but for what the
// proxy adds.
func TestRealFidelity(t *testing.T) {
	t.Parallel()
	server := everything(t)
	proxy := serve(t, server, Config{}, httpguard.Guard{})
	script := []string{
		`{"jsonrpc":"2.0","id":"ü","method":"tools/call","params":{"name":"echo","arguments":{"message":"grüße \u2028 😀"}}}`,
		`{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get-structured-content","arguments":{"location":"Chicago"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get-tiny-image","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"prompts/list"}`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/templates/list"}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.05,"steps":3},"_meta":{"progressToken":"p"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"no/such"}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"args-prompt","arguments":{"city":"Graz"}}}`,
	}
	eventID := regexp.MustCompile(`(?m)^id: \S+$`) // random
	play := func(url string) (got []string) {
		const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
		resp, _ := post(t, url, hello)
		session := []string{sessionHeader, resp.Header.Get(sessionHeader), mcpheader.Version, "2025-11-25"}
		for _, message := range script {
			resp, body := post(t, url, message, session...)
			got = append(got, fmt.Sprintf("%d %s\n%s", resp.StatusCode, resp.Header.Get("Content-Type"), eventID.ReplaceAllString(body, "id: …")))
		}
		resp, body := send(t, http.MethodDelete, url, nil, session...)
		got = append(got, fmt.Sprint(resp.StatusCode, body))
		return got
	}
	if diff := cmp.Diff(play(server), play(proxy)); diff != "" {
		t.Errorf("answers (-direct +proxied):\n%s", diff)
	}
}
