// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// configureURL is a proxy in front of a server behind a URL.
func configureURL(gate *toolvet.Gate, url string) stdio.Config {
	cfg := configure(gate, nil)
	cfg.Connect = func() (stdio.Peer, error) { return streamable.NewClient(streamable.ClientConfig{URL: url}) }
	return cfg
}

// serveFront serves sessions over HTTP and returns the URL.
func serveFront(t *testing.T, serve func(context.Context, call.Session, io.Reader, io.Writer) error) string {
	t.Helper()
	front := streamable.NewFront(streamable.FrontConfig{Serve: serve, MaxSessions: 300})
	server := httptest.NewServer(front)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		front.Close(ctx)
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// bare is a session that is a server on stdio, with nothing between.
func bare(command []string) func(context.Context, call.Session, io.Reader, io.Writer) error {
	return func(ctx context.Context, _ call.Session, in io.Reader, out io.Writer) error {
		p, err := process.Start(process.Command{Args: command, Supervisor: as("as-supervisor")})
		if err != nil {
			return err
		}
		go func() { _, _ = io.Copy(p.Stdin(), in) }()
		var copied sync.WaitGroup
		copied.Go(func() { _, _ = io.Copy(out, p.Stdout()) })
		select {
		case <-ctx.Done():
		case <-p.Done():
		}
		p.Stop(ctx)
		copied.Wait()
		return nil
	}
}

// vetted is a session behind a proxy.
func vetted(gate *toolvet.Gate, command []string) func(context.Context, call.Session, io.Reader, io.Writer) error {
	return func(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
		cfg := configure(gate, command)
		cfg.Session, cfg.Stdin, cfg.Stdout = who, in, out
		_, err := stdio.Run(ctx, cfg)
		return err
	}
}

// TestFidelityOverHTTP plays the scripts of TestFidelity to a server on stdio, and to the
// same one behind a Front, a Client and a proxy: the client gets the same bytes. Their
// order may differ where it says nothing: streams are concurrent.
func TestFidelityOverHTTP(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, script string }{
		{"everything", everythingScript}, {"filesystem", filesystemScript},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "files")
			command := append(npm.Server(t, test.name), dir)
			if test.name == "everything" {
				command = command[:len(command)-1]
			}
			gate := newGate(t)
			freshDir(t, dir)
			server, _ := start(t, command)
			direct := play(t, server, test.script, dir, false)
			direct.end(server)
			freshDir(t, dir)
			p := behind(t, configureURL(gate, serveFront(t, bare(command))))
			bridged := play(t, p, test.script, dir, true)
			bridged.end(p)
			want := withAdditions(t, gate, direct.got)
			slices.Sort(want)
			slices.Sort(bridged.got)
			if diff := cmp.Diff(want, bridged.got); diff != "" {
				t.Errorf("what the client gets (-direct, with the additions +over HTTP):\n%s", diff)
			}
		})
	}
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"x.vendor":1.0}`

// modernScript plays with the Go SDK's server. What it answers has no order of its own.
var modernScript = `
> {"jsonrpc":"2.0","id":"d","method":"server/discover","params":{` + meta + `}}
< "d"
> {"jsonrpc":"2.0","id":"\u006c","method":"tools/list","params":{` + meta + `}}
< "l"
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"\u0001 \ud83d\ude00 \u00e4 \r\n\t$LONG"},` + meta + `}}
< 1
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get-sum","arguments":{"a":9007199254740993,"b":0.1e-3},` + meta + `}}
< 2
refused {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get-sum","arguments":{"a":"1","b":2},` + meta + `}}
valid {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"validate","arguments":{"tool":"get-sum","arguments":{"a":1,"b":2}},` + meta + `}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"get-structured-content","arguments":{"location":"Chicago"},` + meta + `}}
< 5
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"trigger-sampling-request","arguments":{"prompt":"p","maxTokens":5},` + meta + `}}
< 6
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.05,"steps":3},` + strings.Replace(meta, "{", `{"progressToken":"t\u00f6ken",`, 1) + `}}
< 8
> {"jsonrpc":"2.0","id":10,"method":"tools/list","params":{` + meta + `}}
< 10
`

// httpScript is everythingScript without what the server does only on stdio: it says that
// its tools have changed before a client over HTTP can listen, and refuses a request of
// another era in a session.
func httpScript() string {
	var kept []string
	for line := range strings.Lines(everythingScript) {
		if !strings.Contains(line, "tools/list_changed") && !strings.Contains(line, "server/discover") && line != "< 11\n" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// sessionName is how server-everything names a session over HTTP, in texts.
// The port is in its environment, which the script reads.
var sessionName = regexp.MustCompile(`( from session | - SessionId )[0-9a-f-]{36}|,\\n  \\"PORT\\": \\"\d+\\"`)

// overHTTP are lines without what differs between the transports of a server.
func overHTTP(t *testing.T, lines []string) (kept []string) {
	for _, line := range lines {
		if decode(t, line).Method == "notifications/tools/list_changed" {
			continue
		}
		line = sessionName.ReplaceAllString(line, "")
		line = regexp.MustCompile(`for session ([0-9a-f-]{36}|undefined)`).ReplaceAllString(line, "for session S")
		kept = append(kept, mask(strings.ReplaceAll(line, `/7 "`, `/7"`)))
	}
	slices.Sort(kept)
	return kept
}

// TestFidelityOfHTTPServers plays scripts to servers on stdio, and to the same ones over
// HTTP behind a Client and a proxy.
func TestFidelityOfHTTPServers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, script string
		command      func(*testing.T) []string
		url          func(*testing.T) string
	}{
		{"gosdk", modernScript, func(*testing.T) []string { return as("as-sdk-server") }, func(t *testing.T) string { return sdkOverHTTP(t, true) }},
		{"everything", httpScript(), func(t *testing.T) []string { return npm.Server(t, "everything") }, everythingOverHTTP},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			gate := newGate(t)
			server, _ := start(t, test.command(t))
			direct := play(t, server, test.script, "/", false)
			direct.end(server)
			p := behind(t, configureURL(gate, test.url(t)))
			bridged := play(t, p, test.script, "/", true)
			bridged.end(p)
			want, got := overHTTP(t, withAdditions(t, gate, direct.got)), overHTTP(t, bridged.got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what the client gets (-stdio, with the additions +HTTP):\n%s", diff)
			}
		})
	}
}

// everythingOverHTTP starts server-everything on a port of its own and returns its URL.
func everythingOverHTTP(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	command := append(npm.Server(t, "everything"), "streamableHttp")
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(cmd.Environ(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return "http://" + address + "/mcp"
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// sdkOverHTTP serves the Go SDK's server, with sessions or without.
func sdkOverHTTP(t *testing.T, stateless bool) string {
	t.Helper()
	server := newSDKServer(nil)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: stateless, PropagateRequestCancellation: stateless})
	s := httptest.NewServer(handler)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// TestClientsOnStdioOfServersOverHTTP connects clients on stdio to servers over HTTP.
func TestClientsOnStdioOfServersOverHTTP(t *testing.T) {
	t.Parallel()
	everything := everythingOverHTTP(t)
	for _, test := range []struct {
		name, script, client, url, protocol string
	}{
		{"everything_1.12.1", "session-v1.mjs", "sdk-1.12.1", everything, "2025-03-26"},
		{"everything_1.24.3", "session-v1.mjs", "sdk-1.24.3", everything, "2025-11-25"},
		{"everything_2.4.0_legacy", "session-v2.mjs", "legacy", everything, "2025-11-25"},
		{"everything_2.4.0_falls_back", "session-v2.mjs", "auto", everything, "2025-11-25"},
		{"gosdk_sessions", "session-v1.mjs", "@modelcontextprotocol/sdk", sdkOverHTTP(t, false), "2025-11-25"},
		{"gosdk_modern", "session-v2.mjs", "2026-07-28", sdkOverHTTP(t, true), "2026-07-28"},
		{"gosdk_negotiates", "session-v2.mjs", "auto", sdkOverHTTP(t, true), "2026-07-28"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := runSession(t, slices.Concat(npm.Script(t, test.script), []string{test.client}, as("as-proxy", test.url)))
			if seen.Protocol != test.protocol {
				t.Errorf("the client speaks %s, want %s", seen.Protocol, test.protocol)
			}
			seen.check(t)
		})
	}
}

// TestClientsOverHTTPOfServersOnStdio connects clients over HTTP to servers on stdio.
func TestClientsOverHTTPOfServersOnStdio(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	everything := serveFront(t, vetted(gate, npm.Server(t, "everything")))
	gosdk := serveFront(t, vetted(gate, as("as-sdk-server")))
	for _, test := range []struct {
		name, script, client, url, protocol string
	}{
		{"everything_1.12.1", "session-v1.mjs", "sdk-1.12.1", everything, "2025-03-26"},
		{"everything_1.24.3", "session-v1.mjs", "sdk-1.24.3", everything, "2025-11-25"},
		{"everything_1.32.2", "session-v1.mjs", "@modelcontextprotocol/sdk", everything, "2025-11-25"},
		{"everything_2.4.0_legacy", "session-v2.mjs", "legacy", everything, "2025-11-25"},
		{"everything_2.4.0_falls_back", "session-v2.mjs", "auto", everything, "2025-11-25"},
		{"gosdk_modern", "session-v2.mjs", "2026-07-28", gosdk, "2026-07-28"},
		{"gosdk_negotiates", "session-v2.mjs", "auto", gosdk, "2026-07-28"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := runSession(t, slices.Concat(npm.Script(t, test.script), []string{test.client, test.url}))
			if seen.Protocol != test.protocol {
				t.Errorf("the client speaks %s, want %s", seen.Protocol, test.protocol)
			}
			seen.check(t)
		})
	}
}

// TestGoClientsOverHTTP connects many clients of the Go SDK at once, to servers of each
// era and of both.
func TestGoClientsOverHTTP(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	for name, server := range map[string][]string{
		"legacy": as("as-sdk-server", "2025-11-25"), "modern": as("as-sdk-server", "2026-07-28"), "both": as("as-sdk-server"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := serveFront(t, vetted(gate, server))
			var all sync.WaitGroup
			for i := range 10 {
				all.Go(func() { useGoClient(t, url, i) })
			}
			all.Wait()
		})
	}
}

// useGoClient makes good calls and a bad one.
func useGoClient(t *testing.T, url string, i int) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Errorf("connect: %v", err)
		return
	}
	defer session.Close()
	for n := range 10 {
		word := fmt.Sprintf("%d-%d", i, n)
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": word}})
		if err != nil || result.IsError || result.Content[0].(*mcp.TextContent).Text != "Echo: "+word {
			t.Errorf("%s: %+v, %v", word, result, err)
		}
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"mesage": "x"}})
	if err != nil || !result.IsError || !strings.Contains(result.Content[0].(*mcp.TextContent).Text, "message") {
		t.Errorf("a bad call: %+v, %v", result, err)
	}
}

// TestServerKilledOverHTTP holds that the end of one session's server answers its requests,
// and concerns no other session.
func TestServerKilledOverHTTP(t *testing.T) {
	t.Parallel()
	const fatal = `read x; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}'
while read line; do case "$line" in *die*) kill -9 $$;; *) echo '{"jsonrpc":"2.0","id":2,"result":{}}';; esac; done`
	url := serveFront(t, vetted(newGate(t), []string{"sh", "-c", fatal}))
	post := func(session, body string) (string, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return fmt.Sprintf("%d %s", resp.StatusCode, text), resp.Header.Get("Mcp-Session-Id")
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	_, one := post("", hello)
	_, two := post("", hello)
	if got, _ := post(one, `{"jsonrpc":"2.0","id":2,"method":"die"}`); !strings.Contains(got, `"id":2,"error"`) || !strings.Contains(got, "SIGKILL") {
		t.Errorf("the request that killed the server got %s", got)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		got, _ := post(one, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if strings.HasPrefix(got, "404 ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the session of a dead server answers %s", got)
		}
	}
	if got, _ := post(two, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); got != `200 {"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("the other session answers %s", got)
	}
}
