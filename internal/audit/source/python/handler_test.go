// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/python"
)

// TestHandler holds that a tool has the lines of its handler, without the comments and blanks behind it.
func TestHandler(t *testing.T) {
	t.Parallel()
	const code = `from mcp.server.fastmcp import FastMCP

mcp = FastMCP("x")


@mcp.tool()
def read(path: str) -> str:
    if path:
        with open(path) as f:
            return f.read(
            )

# behind it


@mcp.tool()
def last(path: str) -> str: return open(path).read()
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.py"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := python.Analyze(t.Context(), dir, source.Options{})
	if err != nil || len(got.Tools) != 2 {
		t.Fatalf("%+v, %v", got.Tools, err)
	}
	for i, want := range []struct {
		name       string
		begin, end int
	}{{"last", 17, 17}, {"read", 7, 11}} {
		if tool := got.Tools[i]; tool.Name != want.name || tool.Handler.Line != want.begin || tool.End != want.end {
			t.Errorf("%s: lines %d to %d, want %+v", tool.Name, tool.Handler.Line, tool.End, want)
		}
	}
}
