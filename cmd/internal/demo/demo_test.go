// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/schema"
)

// connect serves dir to an SDK client over pipes.
func connect(t *testing.T, dir string) *mcp.ClientSession {
	t.Helper()
	serverIn, clientOut := io.Pipe()
	clientIn, serverOut := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(context.WithoutCancel(t.Context()), dir, serverIn, serverOut) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: clientIn, Writer: clientOut}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return session
}

func TestServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	session := connect(t, dir)
	for _, step := range []struct {
		tool, arguments, want string
		isError               bool
	}{
		{"write_text_file", `{"path":"a.txt","content":"one\ntwo\n"}`, "written", false},
		{"write_text_file", `{"path":"a.txt","content":"again"}`, "exists", true},
		{"write_text_file", `{"path":"a.txt","content":"three\n","mode":"append"}`, "written", false},
		{"read_text_file", `{"path":"a.txt"}`, "one\ntwo\nthree\n", false},
		{"read_text_file", `{"path":"a.txt","head":2}`, "one\ntwo\n", false},
		{"read_text_file", `{"path":"../a.txt"}`, "escapes", true},
		{"read_text_file", `{"path":"missing"}`, "missing", true},
		{"list_directory", `{}`, "a.txt\nsub/\n", false},
		{"list_directory", `{"path":"./sub"}`, "", false},
		// What it is for: it believes everything.
		{"schedule_backup", `{"path":["x"],"schedule":"nightly"}`, "scheduled", false},
		{"write_text_file", `{"path":"a.txt","content":"gone","mode":"apend"}`, "written", false},
		{"read_text_file", `{"path":"a.txt"}`, "gone", false},
	} {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: step.tool, Arguments: json.RawMessage(step.arguments)})
		if err != nil {
			t.Fatalf("%s %s: %v", step.tool, step.arguments, err)
		}
		text := result.Content[0].(*mcp.TextContent).Text
		if !strings.Contains(text, step.want) || result.IsError != step.isError {
			t.Errorf("%s %s: got %q, error %t, want %q, %t", step.tool, step.arguments, text, result.IsError, step.want, step.isError)
		}
	}
	jobs, err := os.ReadFile(filepath.Join(dir, JobsFile))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"path":["x"],"schedule":"nightly"}`+"\n", string(jobs)); diff != "" {
		t.Errorf("jobs (-want +got):\n%s", diff)
	}
}

// The definitions reach a client as they stand in tools.json, and can be used.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	tools, _, faults, err := call.DecodeTools(definitions, call.Limits{})
	if err != nil || len(faults) > 0 {
		t.Fatalf("tools.json: %v, faults %v", err, faults)
	}
	if len(tools) == 0 {
		t.Fatal("tools.json has no tools")
	}
	cache := schema.NewCache(schema.Limits{}, len(tools))
	for _, tool := range tools {
		if _, err := tool.Schema(cache); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
	}
	listed, err := connect(t, t.TempDir()).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(listed.Tools), len(tools); got != want {
		t.Errorf("the server lists %d tools, tools.json %d", got, want)
	}
}

func TestServeNoDirectory(t *testing.T) {
	t.Parallel()
	if err := Serve(t.Context(), filepath.Join(t.TempDir(), "missing"), nil, nil); err == nil {
		t.Error("no error")
	}
}

func TestServeStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, clientOut := io.Pipe()
	defer clientOut.Close()
	_, out := io.Pipe()
	if err := Serve(ctx, t.TempDir(), in, out); err == nil {
		t.Error("no error, want that of the context")
	}
}
