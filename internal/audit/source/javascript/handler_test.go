// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/javascript"
)

// TestHandler holds that a tool has the lines of its handler, in TypeScript, too.
func TestHandler(t *testing.T) {
	t.Parallel()
	const code = `import fs from "fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
const server = new McpServer({ name: "x", version: "1" });
server.tool("read", { path: z.string() }, async ({ path }: { path: string }) => {
  const text = fs.readFileSync(path, "utf8");
  return { content: [{ type: "text", text }] };
});
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.ts"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := javascript.Analyze(t.Context(), dir, source.Options{})
	if err != nil || len(got.Tools) != 1 {
		t.Fatalf("%+v, %v", got.Tools, err)
	}
	if tool := got.Tools[0]; tool.Handler.Line != 5 || tool.End != 8 {
		t.Errorf("lines %d to %d of the handler, want 5 to 8", tool.Handler.Line, tool.End)
	}
}
