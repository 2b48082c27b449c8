// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/audit"
)

// odd is code before a sink, on its line: characters of one, two, three and four bytes.
const odd = `"aé漢😀"; `

// TestColumns holds that columns in SARIF count UTF-16 code units, as it says, in each language.
func TestColumns(t *testing.T) {
	t.Parallel()
	for file, code := range map[string]string{
		"main.py": "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n\n\n@mcp.tool()\ndef read(path: str) -> str:\n    " + odd + "return open(path).read()\n",
		"main.js": "const fs = require('fs');\nconst { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');\nconst { z } = require('zod');\nconst server = new McpServer({name: 'x', version: '1'});\n" +
			"server.tool('read', {path: z.string()}, async ({path}) => {\n" + odd + "return fs.readFileSync(path, 'utf8');\n});\n",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, file), []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "out.sarif")
		var stdout, stderr bytes.Buffer
		Main(t.Context(), suite.Default(), []string{"audit", "--sarif", out, dir}, strings.NewReader(""), &stdout, &stderr)
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err, stderr.String())
		}
		var log struct {
			Runs []struct {
				ColumnKind string
				Results    []struct {
					Locations []struct {
						PhysicalLocation struct {
							Region struct{ StartLine, StartColumn int }
						}
					}
				}
			}
		}
		if err := json.Unmarshal(raw, &log); err != nil || len(log.Runs[0].Results) == 0 {
			t.Fatalf("%v: %s", err, raw)
		}
		region := log.Runs[0].Results[0].Locations[0].PhysicalLocation.Region
		line := strings.Split(code, "\n")[region.StartLine-1]
		at := strings.Index(line, "open(")
		if file == "main.js" {
			at = strings.Index(line, "readFileSync")
		}
		if want := len(utf16.Encode([]rune(line[:at]))) + 1; region.StartColumn != want || log.Runs[0].ColumnKind != "utf16CodeUnits" {
			t.Errorf("%s: column %d of %q, want %d, in %s", file, region.StartColumn, line, want, log.Runs[0].ColumnKind)
		}
	}
}

// TestInUTF16 holds that a place that is not in its file has no column.
func TestInUTF16(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte("é = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		place audit.Place
		want  int
	}{
		{audit.Place{File: "a.py", Line: 1, Col: 4}, 3}, {audit.Place{File: "a.py", Line: 1, Col: 1}, 1}, {audit.Place{File: "a.py", Line: 1}, 0},
		{audit.Place{File: "a.py", Line: 1, Col: 99}, 0}, {audit.Place{File: "a.py", Line: 9, Col: 1}, 0}, {audit.Place{File: "../a.py", Line: 1, Col: 1}, 0}, {audit.Place{File: "b.py", Line: 1, Col: 1}, 0},
	} {
		facts := []audit.Fact{{Flow: []audit.Place{tt.place}}}
		if err := inUTF16(dir, facts); err != nil || facts[0].Flow[0].Col != tt.want {
			t.Errorf("%v: got column %d (%v), want %d", tt.place, facts[0].Flow[0].Col, err, tt.want)
		}
	}
}
