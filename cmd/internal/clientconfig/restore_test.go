// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"slices"
	"strings"
	"testing"
)

// TestRestore holds that an entry gets its command back, whatever its client or its user has done to the file since.
func TestRestore(t *testing.T) {
	t.Parallel()
	const file = `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}}, "u": {"url": "http://h/mcp"}}}`
	entries, err := newRewriter(t).Entries([]byte(file), "cursor")
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v", entries, err)
	}
	const behind = `"command": "/usr/bin/toolvet", "args": ["proxy", "--", "npx", "-y", "x"], "env": {"K": "v"}`
	const spread = "{\n  \"env\": {\"K\": \"v\"},\n  \"command\": \"/usr/bin/toolvet\",\n  \"args\": [\n    \"proxy\",\n    \"--\",\n    \"npx\",\n    \"-y\",\n    \"x\"\n  ]\n}"
	for name, test := range map[string]struct {
		entry      int
		text, want string
		found      Swapped
	}{
		"as it was left":     {0, `{"mcpServers": {"a": {` + behind + `}}}`, `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}}}}`, Swap},
		"another layout":     {0, `{"mcpServers": {"a": ` + spread + `}}`, `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}}}}`, Swap},
		"another name":       {0, `{"mcpServers": {"b": {` + behind + `}}}`, `{"mcpServers": {"b": {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}}}}`, Swap},
		"another argument":   {0, `{"mcpServers": {"a": {"command": "/usr/bin/toolvet", "args": ["proxy", "--", /* mine */ "npx", "-y", "z", ], "x": 1}}}`, `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "z", ], "x": 1}}}`, Unwrapped},
		"no argument":        {0, `{"mcpServers": {"a": {"command": "/usr/bin/toolvet", "args": ["proxy", "--", "npx"]}}}`, `{"mcpServers": {"a": {"command": "npx", "args": []}}}`, Unwrapped},
		"another program":    {0, `{"mcpServers": {"a": {"command": "/usr/bin/toolvet", "args": ["proxy", "--", "uvx", "x"]}}}`, "", Changed},
		"back already":       {0, file, file, Same},
		"back, spread":       {0, `{"mcpServers": {"a": {"command": "npx", "args": ["-y","x"], "env": {"K":"v"}}}}`, `{"mcpServers": {"a": {"command": "npx", "args": ["-y","x"], "env": {"K":"v"}}}}`, Same},
		"gone":               {0, `{"mcpServers": {}}`, `{"mcpServers": {}}`, Vanished},
		"all gone":           {0, `{}`, `{}`, Vanished},
		"a URL, layout":      {1, `{"mcpServers": {"u": {"command":"/usr/bin/toolvet","args":["proxy","--upstream","http://h/mcp"]}}}`, `{"mcpServers": {"u": {"url": "http://h/mcp"}}}`, Swap},
		"a URL, changed":     {1, `{"mcpServers": {"u": {"command":"/usr/bin/toolvet","args":["proxy","--upstream","http://h/other"]}}}`, "", Changed},
		"with a second one":  {0, `{"mcpServers": {"b": {"command": "npx"}, "a": {` + behind + `}}}`, `{"mcpServers": {"b": {"command": "npx"}, "a": {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}}}}`, Swap},
		"no entry, a number": {0, `{"mcpServers": {"a": 7}}`, "", Changed},
	} {
		e := entries[test.entry]
		got, found, err := Restore([]byte(test.text), e.Keys, e.Before, e.After)
		if want := test.want; err != nil || found != test.found || want != "" && string(got) != want || want == "" && string(got) != test.text {
			t.Errorf("%s: %d, %v: %s", name, found, err, got)
		}
	}
	if _, _, err := Restore([]byte("{\n\"mcpServers\":"), entries[0].Keys, nil, nil); err == nil || !strings.Contains(err.Error(), "line 2, column 14") {
		t.Errorf("a broken file: %v", err)
	}
}

// TestStays holds what stays, and why.
func TestStays(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		`{"command": "npx", "args": ["-y", "toolvet@0.1.0", "proxy", "x"]}`:                           "toolvet runs it already",
		`{"command": "C:\\bin\\toolvet.cmd", "args": ["proxy", "x"]}`:                                 "toolvet runs it already",
		`{"command": "docker", "args": ["run", "ghcr.io/toolvet/toolvet:0.1.0", "serve", "--stdio"]}`: "toolvet runs it already",
		`{"command": "npx", "args": ["mytoolvet", "proxy"]}`:                                          "",
		`{"url": "http://h/mcp", "headersHelper": "./token.sh"}`:                                      `beside its URL it has "headersHelper"`,
		`{"url": "http://h/mcp", "headers": {"X": "y"}, "timeout": 5, "alwaysAllow": ["t"]}`:          "",
		`{"command": "npx", "command": "npx"}`:                                                        `line 2, column 36: "/command" is given twice`,
		`7`:                                                                                           `the server "s" is no object`,
	} {
		entries, err := newRewriter(t).Entries([]byte("{\"mcpServers\":\n{\"s\":"+entry+`, "other": {"command": "npx"}}}`), "cursor")
		if err != nil || len(entries) != 2 || !strings.Contains(entries[0].Left, want) || want == "" && entries[0].Left != "" || entries[1].Left != "" {
			t.Errorf("%s: %v, %+v", entry, err, entries[0])
		}
	}
	if entries, err := newRewriter(t).Entries([]byte(`{"mcpServers": null}`), "cursor"); err != nil || len(entries) != 0 {
		t.Errorf("null: %v, %v", entries, err)
	}
}

// TestCommands finds the lines to edit in the files of Codex, goose and opencode.
func TestCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]CommandLine{
		"model = \"x\"\n\n[mcp_servers.files]\n# mine\ncommand = \"npx\"\nargs = [\"-y\"]\n[mcp_servers.\"my docs\"]\nurl = \"http://h\"\n[tui]\ncommand = \"no\"\n": {{"files", 5}},
		"[mcp_servers.\"a b\"]\ncommand = \"x\"\n[mcp_servers.\"a b\".env]\nK = \"v\"\n":                                                                             {{"a b", 2}},
		"extensions:\n  fetch:\n    type: stdio\n    cmd: uvx\n    args: [x]\n  other: # mine\n    cmd: y\n":                                                         {{"fetch", 4}, {"other", 7}},
		"{\n  // c\n  \"mcp\": {\n    \"files\": {\n      \"type\": \"local\",\n      \"command\": [\"npx\"]\n    },\n    \"b\": {\"command\": [\"x\"]}\n  }\n}\n":   {{"files", 6}, {"b", 8}},
	} {
		if got := Commands([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
