// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/knowntool"
	"github.com/toolvet/toolvet/mcpgate"
)

var update = flag.Bool("update", false, "write the answers that the server gives into the transcripts")

// A transcript is a comment, the lines that a client sends to a small server of files,
// and the answers it gets, indented.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("got files %v, %v, want some", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runTranscript(t, file)
		})
	}
}

func runTranscript(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) != 2 || archive.Files[0].Name != "client" || archive.Files[1].Name != "server" {
		t.Fatalf("%s must hold the files client and server", file)
	}
	w := dial(t, fileServer(t), "")
	var got bytes.Buffer
	for line := range strings.Lines(string(archive.Files[0].Data)) {
		line = strings.TrimSpace(line)
		w.write(line)
		var message struct{ ID json.RawMessage }
		if unmarshal(t, []byte(line), &message); message.ID == nil {
			continue
		}
		if err := json.Indent(&got, []byte(w.read()), "", "  "); err != nil {
			t.Fatalf("%v after %s", err, line)
		}
		got.WriteByte('\n')
	}
	if *update {
		archive.Files[1].Data = got.Bytes()
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(archive.Files[1].Data), got.String()); diff != "" {
		t.Errorf("%s: answers differ; if they should, run go test -update (-want +got):\n%s", file, diff)
	}
}

// pathGiven stands for the suite, whose wording the transcripts are not about.
var pathGiven = &check.Check{
	Name: "path-given", Doc: "# path-given\n\nThere is a path to read.\n",
	Stage: check.Schema, Level: check.SyntaxLevel,
	Run: func(_ context.Context, pass *check.Pass) error {
		if _, ok := pass.Call.Arguments["path"].(string); !ok && pass.Call.Name == "read_text" {
			pass.Report(check.Finding{Pointer: "/path", Message: "must be a string", Suggestion: "give the path"})
		}
		return nil
	},
}

// fileServer has one tool of its own, which only tells its path.
func fileServer(t *testing.T) *mcp.Server {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1.0.0"}, nil)
	server.AddTool(&mcp.Tool{Name: "read_text", InputSchema: json.RawMessage(
		`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in struct{ Path string }
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "the text of " + in.Path}}}, nil
		})
	gate := newGate(t, toolvet.WithChecks(knowntool.Check, pathGiven))
	if err := mcpgate.Install(server, gate); err != nil {
		t.Fatal(err)
	}
	return server
}
