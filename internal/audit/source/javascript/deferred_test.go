// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source"
)

// costly is a server whose top level runs a loop for a table, of which a tool may read.
func costly(rounds int, body string) []byte {
	return fmt.Appendf(nil, `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import fs from "fs";
const step = (t, i) => { t["k" + i %% 50] = [i, i + 1, i + 2].map((x) => ({ x, y: x * 2 })); return t; };
const table = (() => { let t = {}; for (let i = 0; i < %d; i++) for (let j = 0; j < 300; j++) t = step(t, i + j); t.dir = "/srv/"; return t; })();
const server = new McpServer({ name: "s", version: "1" });
server.tool("read", { path: z.string() }, async ({ path }) => { %s });
`, rounds, body)
}

// TestDeferred holds that what is put off is there where a tool reads it, and that a tool is said not
// to be analysed where it could not be run to its end, and no other.
func TestDeferred(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rounds  int
		body    string
		verdict audit.Verdict
		unread  bool
	}{
		"read":              {4, `return fs.readFileSync(table.dir + path, "utf8")`, audit.Vulnerable, false},
		"not read":          {60, `return fs.readFileSync("/srv/" + path, "utf8")`, audit.Vulnerable, false},
		"too costly":        {60, `return String(table.dir) + path`, audit.Inconclusive, true},
		"costly, not read":  {60, `return path`, audit.NoEvidence, false},
		"read by no danger": {4, `return table.dir + path`, audit.NoEvidence, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := analyzed(t, "server.ts", costly(c.rounds, c.body))
			if got := verdictOf(r, audit.Cell{Tool: "read", Param: "/path", Class: audit.Path}); got != c.verdict {
				t.Errorf("got %v, want %v", got, c.verdict)
			}
			if got := len(r.Unread) > 0; got != c.unread {
				t.Errorf("unread: %v", r.Unread)
			}
		})
	}
}

// TestAlike holds that calls which are not run again lose no argument: each of many tools' helpers is
// called with another one, and the last with what only it is given.
func TestAlike(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import fs from "fs";
const server = new McpServer({ name: "s", version: "1" });
const weigh = (o) => { let n = 0; for (const k of ["a", "b", "c", "d"]) { for (const j of [1, 2, 3, 4, 5, 6, 7, 8]) { if (o[k] > j) { n = n + j; } else { n = n - j; } } } return n; };
const use = (o) => { weigh(o); if (o.file) { fs.readFileSync(o.file); } };
server.tool("read", async (args) => {
`)
	for range 60 {
		b.WriteString("use({ a: args.a, b: 1 }); weigh(args);\n")
	}
	b.WriteString("use({ a: args.a, b: 1, file: args.path });\n});\n")
	r := analyzed(t, "server.ts", []byte(b.String()))
	if got := verdictOf(r, audit.Cell{Tool: "read", Param: "/path", Class: audit.Path}); got != audit.Vulnerable {
		t.Errorf("the path: %v", got)
	}
	if got := verdictOf(r, audit.Cell{Tool: "read", Param: "/a", Class: audit.Path}); got != audit.NoEvidence {
		t.Errorf("another argument: %v", got)
	}
}

// verdictOf is what is said of a cell.
func verdictOf(r source.Result, cell audit.Cell) audit.Verdict {
	for _, f := range r.Facts {
		if f.Cell == cell {
			return f.Verdict
		}
	}
	return ""
}

// TestFiltered holds that a schema keeps its fields where the program leaves some of them out: what is
// a text has no fields of its own.
func TestFiltered(t *testing.T) {
	t.Parallel()
	r := analyzed(t, "server.ts", []byte(`import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
const server = new McpServer({ name: "s", version: "1" });
const hidden = new Set(process.argv);
const shape = { request: z.string(), address: z.string() };
const kept = Object.fromEntries(Object.entries(shape).filter(([key]) => !hidden.has(key)));
server.registerTool("get", { inputSchema: kept }, async ({ request, address }) => {
  await fetch(request.image);
  await fetch(address);
});
`))
	if got := verdictOf(r, audit.Cell{Tool: "get", Param: "/request/image", Class: audit.URL}); got == audit.Vulnerable {
		t.Error("a field of a text")
	}
	if got := verdictOf(r, audit.Cell{Tool: "get", Param: "/address", Class: audit.URL}); got != audit.Vulnerable {
		t.Errorf("the address: %v", got)
	}
}

// TestJoined holds that a path of very many parts costs little, and that an argument among them is found.
func TestJoined(t *testing.T) {
	t.Parallel()
	r := analyzed(t, "server.ts", []byte(`import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import fs from "fs";
import path from "path";
const server = new McpServer({ name: "s", version: "1" });
server.registerTool("read", {}, async (args) => {
  const parts = [];
  for (let i = 0; i < 390; i++) parts.push("d" + i);
  parts.push(args.last);
  for (let i = 0; i < 40; i++) path.join(args.first, ...parts, args["x" + i]);
  fs.readFileSync(path.join("/srv", ...parts));
});
`))
	if len(r.Unread) > 0 {
		t.Errorf("unread: %v", r.Unread)
	}
	if got := verdictOf(r, audit.Cell{Tool: "read", Param: "/last", Class: audit.Path}); got != audit.Vulnerable {
		t.Errorf("the last part: %v", got)
	}
}

// TestNegative holds that an index below 0 is no element, and ends nothing.
func TestNegative(t *testing.T) {
	t.Parallel()
	r := analyzed(t, "server.ts", []byte(`import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import fs from "fs";
const list = ["a"];
const none = list[-1] ?? "b";
const server = new McpServer({ name: "s", version: "1" });
server.registerTool("read", {}, async ({ path }) => {
  const parts = [path];
  if (parts[-1]) return;
  fs.readFileSync(path + none);
});
`))
	if len(r.Unread) > 0 {
		t.Errorf("unread: %v", r.Unread)
	}
	if got := verdictOf(r, audit.Cell{Tool: "read", Param: "/path", Class: audit.Path}); got != audit.Vulnerable {
		t.Errorf("the path: %v", got)
	}
}
