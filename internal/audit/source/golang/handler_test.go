// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/golang"
)

// TestHandler holds that a tool has the lines of its handler, a function or a literal.
func TestHandler(t *testing.T) {
	t.Parallel()
	const code = `package main

import (
	"context"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type input struct {
	Path string ` + "`json:\"path\"`" + `
}

func read(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	_, err := os.ReadFile(in.Path)
	return nil, nil, err
}

func main() {
	s := mcp.NewServer(&mcp.Implementation{Name: "x"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "read"}, read)
	mcp.AddTool(s, &mcp.Tool{Name: "remove"}, func(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		return nil, nil, os.Remove(in.Path)
	})
}
`
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": code, "go.mod": "module x\n\ngo 1.25\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := golang.Analyze(t.Context(), dir, source.Options{})
	if err != nil || len(got.Tools) != 2 {
		t.Fatalf("%+v, %v", got.Tools, err)
	}
	for i, want := range []struct {
		name       string
		begin, end int
	}{{"read", 14, 17}, {"remove", 22, 24}} {
		if tool := got.Tools[i]; tool.Name != want.name || tool.Handler.Line != want.begin || tool.End != want.end {
			t.Errorf("%s: lines %d to %d, want %+v", tool.Name, tool.Handler.Line, tool.End, want)
		}
	}
}
