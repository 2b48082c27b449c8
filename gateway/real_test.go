// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/test/npm"
	"github.com/toolvet/toolvet/internal/wire/streamable"
	"github.com/toolvet/toolvet/upstream"
)

// real are real servers from npm: files works in dir, and writes its process id into the file
// pid beside it.
func real(t *testing.T, dir string) *gateway.Gateway {
	t.Helper()
	g := gate(t)
	server := func(name string, command ...string) gateway.Server {
		return gateway.Server{Server: upstream.Server{Name: name, Dialer: upstream.Command{Args: command}}, Gate: func() *toolvet.Gate { return g }}
	}
	files := append([]string{"sh", "-c", `echo $$ >"$0" && exec "$@"`, dir + ".pid"}, append(npm.Server(t, "filesystem"), dir)...)
	cfg := gateway.Config{Servers: []gateway.Server{
		server("files", files...), server("everything", npm.Server(t, "everything")...), server("memory", npm.Server(t, "memory")...),
	}}
	cfg.SetPatience(patience)
	made, err := gateway.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Close(context.Background()) })
	return made
}

// serve serves a gateway over HTTP and returns the URL.
func serve(t *testing.T, g *gateway.Gateway) string {
	t.Helper()
	front := streamable.NewFront(streamable.FrontConfig{Serve: g.Serve, MaxSessions: 300})
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

// TestTypeScriptClients connects clients of the TypeScript SDK to three servers behind one
// endpoint. They call tools of server-everything by their own names, which no other server
// has.
func TestTypeScriptClients(t *testing.T) {
	t.Parallel()
	url := serve(t, real(t, t.TempDir()))
	for _, test := range []struct {
		name, script, client, protocol string
		asked                          []string // what the server can ask the client
	}{
		{"1.12.1", "session-v1.mjs", "sdk-1.12.1", "2025-03-26", []string{"sampled"}},
		{"1.24.3", "session-v1.mjs", "sdk-1.24.3", "2025-11-25", []string{"sampled", "elicited"}},
		{"1.32.2", "session-v1.mjs", "@modelcontextprotocol/sdk", "2025-11-25", []string{"sampled", "elicited"}},
		{"2.4.0_legacy", "session-v2.mjs", "legacy", "2025-11-25", []string{"sampled", "elicited"}},
		{"2.4.0_modern", "session-v2.mjs", "2026-07-28", "2026-07-28", nil},
		{"2.4.0_negotiates", "session-v2.mjs", "auto", "2026-07-28", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			command := slices.Concat(npm.Script(t, test.script), []string{test.client, url})
			var stderr bytes.Buffer
			cmd := exec.CommandContext(ctx, command[0], command[1:]...)
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			type text struct {
				IsError bool
				Content []struct{ Text string }
			}
			var seen struct {
				Protocol              string
				Tools                 []string
				Good, Bad             text
				Valid, Invalid        text
				Progress              []float64
				Canceled, Done        bool
				Sampling, Elicitation text
				Error                 string
			}
			if json.Unmarshal(out, &seen) != nil || err != nil || !seen.Done {
				t.Fatalf("the session failed: %v\n%s\n%s\n%s", err, seen.Error, out, stderr.String())
			}
			if seen.Protocol != test.protocol {
				t.Errorf("the client speaks %s, want %s", seen.Protocol, test.protocol)
			}
			for _, want := range []string{"files__read_text_file", "everything__echo", "memory__read_graph"} {
				if !slices.Contains(seen.Tools, want) {
					t.Errorf("the client sees %q, and no %s", seen.Tools, want)
				}
			}
			for want, got := range map[string]text{"Echo: hällo 😀": seen.Good, "/message": seen.Bad, `"valid":true`: seen.Valid, `"valid":false`: seen.Invalid} {
				if len(got.Content) == 0 || !strings.Contains(got.Content[0].Text, want) {
					t.Errorf("the client sees %+v, want %s", got, want)
				}
			}
			if len(seen.Progress) == 0 || !seen.Canceled {
				t.Errorf("progress %v, canceled %v", seen.Progress, seen.Canceled)
			}
			asked := fmt.Sprint(seen.Sampling, seen.Elicitation)
			for _, want := range test.asked {
				if !strings.Contains(asked, want) {
					t.Errorf("the server asked the client and got %s, want %s in it", asked, want)
				}
			}
		})
	}
}

// TestGoClients connects clients of the Go SDK, of which each calls all servers; meanwhile one
// server is killed.
func TestGoClients(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, real(t, dir))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { useGoClient(t, url, dir, i) })
	}
	all.Wait()
}

func useGoClient(t *testing.T, url, dir string, i int) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	changed := make(chan struct{}, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Errorf("connect: %v", err)
		return
	}
	defer session.Close()
	call := func(tool string, arguments map[string]any) (string, bool) {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || len(result.Content) == 0 {
			t.Errorf("client %d, %s: %+v, %v", i, tool, result, err)
			return "", false
		}
		return result.Content[0].(*mcp.TextContent).Text, !result.IsError
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) < 30 {
		t.Errorf("client %d lists %v, %v", i, tools, err)
	}
	for n := range 10 {
		if i == 0 && n == 5 {
			kill(t, dir+".pid")
		}
		word := fmt.Sprintf("%d-%d", i, n)
		if got, ok := call("everything__echo", map[string]any{"message": word}); !ok || got != "Echo: "+word {
			t.Errorf("client %d: %s", i, got)
		}
		if got, ok := call("memory__read_graph", map[string]any{}); !ok {
			t.Errorf("client %d: %s", i, got)
		}
		got, ok := call("files__read_text_file", map[string]any{"path": filepath.Join(dir, "a.txt")})
		if ok && got != "hello" || !ok && !strings.Contains(got, "ended before it") && !strings.Contains(got, "is down") && !strings.Contains(got, "is none of") {
			t.Errorf("client %d, while the server may be killed: %v, %s", i, ok, got)
		}
	}
	for {
		got, ok := call("files__read_text_file", map[string]any{"path": filepath.Join(dir, "a.txt")})
		if ok {
			break
		}
		if ctx.Err() != nil {
			t.Errorf("client %d: the server never came back: %s", i, got)
			return
		}
	}
	if got, ok := call("files__read_text_file", map[string]any{"path": 7}); ok || !strings.Contains(got, "/path") {
		t.Errorf("client %d, a bad call: %v, %s", i, ok, got)
	}
	resource, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "demo://resource/dynamic/text/1"})
	if err != nil || !strings.Contains(resource.Contents[0].Text, "Resource 1") {
		t.Errorf("client %d, a resource: %+v, %v", i, resource, err)
	}
	prompt, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "everything__simple-prompt"})
	if err != nil || len(prompt.Messages) == 0 {
		t.Errorf("client %d, a prompt: %+v, %v", i, prompt, err)
	}
}

// kill kills the process whose id is in a file.
func kill(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Error(err)
		return
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}
