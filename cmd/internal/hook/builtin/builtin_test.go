// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/schema"
)

func known(t *testing.T, host string) *call.Catalog {
	t.Helper()
	c, err := Catalog(host)
	if err != nil {
		t.Fatalf("%s: %v", host, err)
	}
	return c
}

// guessed are the commands, paths and URLs among the parameters of a tool, as "address kind".
func guessed(t *call.Tool) (all []string) {
	for _, g := range infer.Tool(t) {
		switch g.Kind {
		case infer.Command, infer.Path, infer.URL:
			all = append(all, g.Address+" "+string(g.Kind))
		}
	}
	slices.Sort(all)
	return all
}

// TestTables: toolvet guesses of each parameter what the table says, and takes nothing else for a command.
func TestTables(t *testing.T) {
	for host, table := range tables {
		catalog := known(t, host)
		for line := range strings.Lines(table) {
			name, parameters, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok {
				continue
			}
			tool := catalog.Tool(name)
			if tool == nil || tool.Fault != nil {
				t.Errorf("%s: %s: %+v", host, name, tool)
				continue
			}
			var want []string
			for _, p := range strings.Fields(parameters) {
				address, kind, _ := strings.Cut(p, "=")
				if kind == "command" || kind == "path" || kind == "url" {
					if kind == "command" && strings.HasSuffix(address, "[]!") {
						address = strings.Replace(address, "[]!", "/*", 1) // each is a line
					}
					address = strings.NewReplacer("!", "", "[].", "/*/", "[]", "", ".", "/").Replace(address)
					want = append(want, "/"+address+" "+kind)
				}
			}
			slices.Sort(want)
			if d := cmp.Diff(want, guessed(tool)); d != "" {
				t.Errorf("%s: %s: %s", host, name, d)
			}
		}
	}
}

// TestClaudeCode holds what toolvet guesses of the tools that Claude Code declares. The paths of Projects are remote ones, and
// the URIs of MCP resources need not be of the web: a policy that allows these tools says so.
func TestClaudeCode(t *testing.T) {
	catalog := known(t, "claude-code")
	got := map[string][]string{}
	for _, name := range catalog.Names() {
		tool := catalog.Tool(name)
		if tool == nil || tool.Fault != nil {
			t.Fatalf("%s: %+v", name, tool)
		}
		if all := guessed(tool); all != nil {
			got[name] = all
		}
	}
	want := map[string][]string{
		"Bash":         {"/command command"},
		"PowerShell":   {"/command command"},
		"Monitor":      {"/command command", "/ws/url url"},
		"Read":         {"/file_path path"},
		"Write":        {"/file_path path"},
		"Edit":         {"/file_path path"},
		"NotebookEdit": {"/notebook_path path"},
		"Glob":         {"/path path"},
		"Grep":         {"/path path"},
		"WebFetch":     {"/url url"},

		"Artifact":               {"/file_path path", "/file_paths path", "/out_dir path", "/url url"},
		"EnterWorktree":          {"/path path"},
		"Projects":               {"/local_path path", "/path path"},
		"ReadMcpResourceDirTool": {"/uri url"},
		"ReadMcpResourceTool":    {"/uri url"},
		"ReportFindings":         {"/findings/*/file path"},
		"Workflow":               {"/scriptPath path"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestHosts: every host that has hooks has a catalog, but for those whose names nobody publishes.
func TestHosts(t *testing.T) {
	for _, h := range hook.Hosts() {
		if found := known(t, h.Name) != nil; found == (h.Name == "grok") {
			t.Errorf("%s: a catalog is there: %t", h.Name, found)
		}
	}
	for host := range tables {
		if _, ok := hook.Lookup(host); !ok {
			t.Errorf("%s is no host", host)
		}
	}
	if known(t, "emacs") != nil {
		t.Error("a host that nobody knows has a catalog")
	}
}

// TestCalls: calls as hosts make them fit, with parameters of a later version, and fail without the parameter that they
// are about.
func TestCalls(t *testing.T) {
	for _, c := range []struct {
		host, tool, input string
		fits              bool
	}{
		{"claude-code", "Bash", `{"command":"ls","later":1}`, true},
		{"claude-code", "Bash", `{"description":"List"}`, false},
		{"claude-code", "Edit", `{"file_path":"/a","old_string":"a","new_string":"b"}`, true},
		{"gemini", "run_shell_command", `{"command":"ls","is_background":true}`, true},
		{"gemini", "run_shell_command", `{"command":["ls"]}`, false},
		{"cline", "run_commands", `{"commands":["ls","pwd"]}`, true},
		{"cline", "run_commands", `{"commands":[1]}`, false},
		{"cline", "read_files", `{"files":[{"path":"/a","start_line":null}]}`, true},
		{"vscode", "multi_replace_string_in_file", `{"explanation":"e","replacements":[{"filePath":"/a","oldString":"a","newString":"b"}]}`, true},
		{"vscode", "multi_replace_string_in_file", `{"explanation":"e","replacements":[{"oldString":"a"}]}`, false},
	} {
		s, err := schema.Compile(known(t, c.host).Tool(c.tool).InputSchema, schema.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		args, err := call.DecodeArguments([]byte(c.input), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(args); (err == nil) != c.fits {
			t.Errorf("%s: %s %s: %v", c.host, c.tool, c.input, err)
		}
	}
}
