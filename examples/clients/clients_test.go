// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// A server is the entry of a server on stdio, in the form that all three clients share.
type server struct {
	Type    string   `json:"type"` // required by VS Code, optional for Cursor, unknown to Claude Desktop
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func TestConfigurations(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]struct{ key, kind, directory string }{
		"claude_desktop_config.json": {"mcpServers", "", "/Users/you/Documents"},
		".cursor/mcp.json":           {"mcpServers", "stdio", "${workspaceFolder}"},
		".vscode/mcp.json":           {"servers", "stdio", "${workspaceFolder}"},
	} {
		servers := parse(t, file)[want.key]
		got, ok := servers["filesystem"]
		if !ok || len(servers) != 1 {
			t.Errorf("%s: got servers %v under %q, want filesystem", file, servers, want.key)
		}
		if got.Type != want.kind || got.Command != "toolvet" {
			t.Errorf("%s: got type %q and command %q, want %q and toolvet", file, got.Type, got.Command, want.kind)
		}
		args := []string{"proxy", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", want.directory}
		if !slices.Equal(got.Args, args) {
			t.Errorf("%s: got args %q, want %q", file, got.Args, args)
		}
		if !strings.Contains(string(readme), "]("+file+")") {
			t.Errorf("README.md does not link to %s", file)
		}
	}
}

// parse reads a configuration that has servers and nothing else.
func parse(t *testing.T, file string) map[string]map[string]server {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	var config map[string]map[string]server
	if err := decoder.Decode(&config); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(config) != 1 {
		t.Errorf("%s has %d top-level keys, want one", file, len(config))
	}
	return config
}
