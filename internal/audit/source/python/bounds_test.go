// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/internal/sourcetest"
	"github.com/toolvet/toolvet/internal/audit/source/python"
)

const tool = "@mcp.tool()\ndef read(path: str):\n    return open(path)\n"

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func analyze(t *testing.T, dir string, opts source.Options) source.Result {
	t.Helper()
	res, err := python.Analyze(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestOutside holds that nothing is read through a symbolic link.
func TestOutside(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, "secret.py", tool)
	if err := os.Symlink(filepath.Join(outside, "secret.py"), filepath.Join(dir, "server.py")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "lib")); err != nil {
		t.Fatal(err)
	}
	if got := sourcetest.Lines(analyze(t, dir, source.Options{})); got != "unread server.py: not analysed: a symbolic link\nno tools\n" {
		t.Errorf("found %s", got)
	}
}

// TestBudgets holds that what is not looked at is said, and is no sign of safety.
func TestBudgets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.py", tool)
	write(t, dir, "b.py", strings.Repeat("# padding\n", 1000))
	write(t, dir, "c.py", "def broken(:\n  pass\nx = 1\n")
	slow := "import os\n@mcp.tool()\ndef slow(x: str, y: str):\n    open(os.path.basename(y))\n" + strings.Repeat("    x = x + y\n", 2000) + "    return open(x)\n"
	write(t, dir, "d.py", slow)
	got := sourcetest.Lines(analyze(t, dir, source.Options{FileBytes: 5000, Steps: 2000}))
	for _, want := range []string{
		"read /path path traced", "unread b.py: not analysed: budget: the file is too large",
		"unread c.py: not analysed in part: line 1", "unread d.py: not analysed: budget: the file is too large",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
	got = sourcetest.Lines(analyze(t, dir, source.Options{Steps: 2000}))
	for _, want := range []string{"unread tool slow: not analysed: budget: 2000 steps", "slow /x path inconclusive", "slow /y path inconclusive"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
	if got := sourcetest.Lines(analyze(t, dir, source.Options{Files: 1})); !strings.Contains(got, "unread d.py: not analysed: budget: too many files") {
		t.Errorf("nothing is said of files that are not read:\n%s", got)
	}
}

// TestSame holds that the same files have the same result.
func TestSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.py", tool+strings.ReplaceAll(tool, "read", "other")+"@server.call_tool()\ndef call(name, arguments):\n    if name == 'x': return open(arguments['p'])\n    if name == 'y': return open(arguments['q'])\n")
	first := analyze(t, dir, source.Options{})
	for range 20 {
		if d := cmp.Diff(first, analyze(t, dir, source.Options{})); d != "" {
			t.Fatalf("the same files give another result:\n%s", d)
		}
	}
}

// TestNoDirectory holds that an error is for a directory that cannot be read.
func TestNoDirectory(t *testing.T) {
	t.Parallel()
	if _, err := python.Analyze(t.Context(), filepath.Join(t.TempDir(), "none"), source.Options{}); err == nil {
		t.Error("a directory that is not there was analysed")
	}
}

// heavy is a module, or the body of a function, that needs many steps.
func heavy(indent string) string {
	return strings.Repeat(indent+"x = [str(a) + str(b) for a in range(9) for b in range(9)]\n", 400)
}

// TestModulesApart holds that a module that needs too many steps is cut, and not those that import it.
func TestModulesApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "tables.py", heavy(""))
	write(t, dir, "server.py", "import tables\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n"+tool)
	want := "read /path path traced traversal server.py:6\nunread tables.py: not analysed: budget: 2000 steps\n"
	if d := cmp.Diff(want, sourcetest.Lines(analyze(t, dir, source.Options{Steps: 2000}))); d != "" {
		t.Errorf("found otherwise (-want +got):\n%s", d)
	}
}

// TestToolsApart holds that the tools of one handler do not share its steps, if those are too few.
func TestToolsApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "server.py", `from mcp.server import Server
server = Server("x")

class Tools:
    def __init__(self):
        self.table = {"build": self.build, "read": self.read}

    def build(self, path):
`+heavy("        ")+`

    def read(self, path):
        return open(path).read()

    def handler(self, name):
        return self.table.get(name)

tools = Tools()

@server.call_tool()
async def call_tool(name, arguments):
    handler = tools.handler(name)
    return handler(**arguments)
`)
	got := sourcetest.Lines(analyze(t, dir, source.Options{Steps: 2000}))
	if !strings.Contains(got, "read /path path traced traversal server.py:") || !strings.Contains(got, "unread tool build: not analysed: budget") || strings.Contains(got, "unread tool read:") {
		t.Errorf("found %s", got)
	}
}

// TestUnknown holds that code which cannot be read makes all classes of the server unknown.
func TestUnknown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.py", tool)
	if got := analyzed(t, dir); len(got) != 0 {
		t.Errorf("all is read: %v", got)
	}
	write(t, dir, "c.py", "def broken(:\n  pass\n")
	var got []string
	for _, f := range analyzed(t, dir) {
		got = append(got, fmt.Sprintf("%s %s %s", f.Class, f.Verdict, f.Why))
	}
	want := []string{"path inconclusive a part of the code was not read: c.py", "url inconclusive a part of the code was not read: c.py", "command inconclusive a part of the code was not read: c.py"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func analyzed(t *testing.T, dir string) []audit.Fact {
	res := analyze(t, dir, source.Options{})
	return res.Unknown()
}
