// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearse_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/rehearse"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "as-sandbox":
			os.Exit(rehearse.Run(os.Args[2:]))
		case "as-server":
			serve()
			return
		}
	}
	if unsupported() != nil && os.Getenv("CI") != "true" { // an example cannot skip itself
		_ = flag.Set("test.skip", "^Example$")
	}
	os.Exit(m.Run())
}

// unsupported tells why this machine cannot rehearse; nil if it can.
func unsupported() error {
	err := rehearse.Probe(context.Background(), []string{self(), "as-sandbox"})
	var missing *rehearse.UnsupportedError
	if errors.As(err, &missing) {
		return err
	}
	return nil
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// serve is a server with a tool that runs scripts.
func serve() {
	type in struct {
		Script string `json:"script"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "scripts", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "run"}, func(ctx context.Context, _ *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
		out, err := exec.CommandContext(ctx, "/bin/sh", "-c", in.Script).CombinedOutput()
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(out)}}}, nil, err
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// TestReport holds the fields of a report to the effects of calls, and its JSON to everything.
func TestReport(t *testing.T) {
	t.Parallel()
	if err := unsupported(); err != nil {
		need.Namespace.Missing(t, err)
	}
	dir := t.TempDir()
	s, err := rehearse.Start(t.Context(), rehearse.Config{Command: []string{self(), "as-server"}, Dir: dir, Init: []string{self(), "as-sandbox"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	done := s.Call(t.Context(), rehearse.Call{Tool: "run", Arguments: json.RawMessage(`{"script": "echo new >a"}`)})
	if done.Failed != "" || done.Tool != "run" {
		t.Fatalf("%+v", done)
	}
	r, err := s.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := rehearse.Change{Path: dir + "/a", Kind: "created", Size: 4}
	if len(r.Changes) == 1 {
		want.Diff = r.Changes[0].Diff
	}
	if len(r.Changes) != 1 || r.Changes[0] != want || !strings.Contains(want.Diff, "+new") || r.Incomplete || len(r.Calls) != 1 {
		t.Errorf("the report is %+v", r)
	}
	if len(r.Processes) != 1 || len(r.Processes[0]) != 3 {
		t.Errorf("the processes are %q, not the shell alone", r.Processes)
	}
	var whole struct {
		Changes []struct{ After struct{ SHA256 string } }
	}
	raw, err := json.Marshal(r)
	if err != nil || json.Unmarshal(raw, &whole) != nil || len(whole.Changes) != 1 || len(whole.Changes[0].After.SHA256) != 64 {
		t.Errorf("the JSON is %s, %v", raw, err)
	}
	var text, page bytes.Buffer
	if err := errors.Join(r.WriteText(&text), r.WriteHTML(&page)); err != nil || !strings.Contains(text.String(), dir+"/a") || !strings.Contains(page.String(), dir+"/a") {
		t.Errorf("the texts are %s, %s, %v", &text, &page, err)
	}

	// The file appears meanwhile.
	if err := os.WriteFile(dir+"/a", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var stale *rehearse.StaleError
	if n, err := s.Commit(t.Context()); n != 0 || !errors.As(err, &stale) || stale.Path != dir+"/a" {
		t.Errorf("Commit of a stale report: %d, %v", n, err)
	}
}

// TestZero holds zero values to an answer instead of a panic.
func TestZero(t *testing.T) {
	t.Parallel()
	var r rehearse.Report
	if raw, err := json.Marshal(&r); err != nil || !json.Valid(raw) {
		t.Errorf("%s, %v", raw, err)
	}
	e := &rehearse.PartialError{}
	if e.Error() == "" || e.Unwrap() != nil {
		t.Errorf("%v, %v", e, e.Unwrap())
	}
	if _, err := rehearse.Start(t.Context(), rehearse.Config{}); err == nil {
		t.Error("Start without a command gives no error")
	}
}
