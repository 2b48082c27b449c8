// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/cmd/internal/cli"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// TestHTTPProxy runs the command in front of a server that speaks HTTP: calls are judged,
// and it ends when it is told to.
func TestHTTPProxy(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, err := jsonrpc.DecodeEnvelope(body, call.Limits{})
		if err != nil || r.Header.Get("Authorization") != "" {
			t.Errorf("the server gets %s with %v", body, r.Header)
		}
		w.Header().Set("Content-Type", "application/json")
		result := `{"content":[{"type":"text","text":"ran"}]}`
		if m.Method == "tools/list" {
			result = `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}`
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(server.Close)
	var stderr syncBuffer
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int)
	go func() {
		ended <- cli.Main(ctx, suite.Default(), []string{"proxy", "--listen", "127.0.0.1:0", "--upstream", server.URL + "/x", "--path", "/tools"}, strings.NewReader(""), io.Discard, &stderr)
	}()
	address := regexp.MustCompile(`clients connect to (http://127\.0\.0\.1:\d+/tools)\n`)
	eventually(t, "the address is told", func() bool { return address.MatchString(stderr.String()) })
	url := address.FindStringSubmatch(stderr.String())[1]
	for arguments, want := range map[string]string{`{"n":1}`: `"ran"`, `{"n":"1"}`: `"isError":true`} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":`+arguments+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer secret")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, %v", arguments, body, err)
		}
	}
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

func TestHTTPProxyUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--listen 127.0.0.1:0":                                     "no server command",
		"--path /x -- server":                                      "say where with --listen",
		"--listen :0 --upstream http://x -- server":                "give one or the other",
		"--listen :0 --upstream http://x":                          "could make calls: add it",
		"--listen :0 --upstream ftp://x":                           "must begin with http",
		"--listen :0 --upstream http://u:secret@x/":                "must not hold a name or a password",
		"--listen :0 --upstream http://x --path x":                 "--path must begin with /",
		"--listen x --upstream http://x":                           "cannot listen",
		"--listen :0 --upstream http://x --allow-host a:1":         "leave out the port",
		"--listen :0 --upstream http://x --allow-origin a":         "is no origin",
		"--listen :0 --upstream http://x --pass-header Connection": "cannot be passed on",
	} {
		var stderr bytes.Buffer
		code := cli.Main(t.Context(), suite.Default(), append([]string{"proxy"}, strings.Fields(args)...), strings.NewReader(""), io.Discard, &stderr)
		if code != 2 || !strings.Contains(stderr.String(), want) || strings.Contains(stderr.String(), "secret") {
			t.Errorf("%s: exit code %d, %s", args, code, stderr.String())
		}
	}
}

// A syncBuffer may be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
