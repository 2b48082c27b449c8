// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"path/filepath"
)

// A Place is where a client keeps its servers.
type Place struct {
	Client string // in words
	File   string
}

// Places are where clients keep their servers: those of a directory, for who works in it,
// and those of a user. Config is the directory of the user's settings, as os.UserConfigDir
// tells it for each system: ~/.config, ~/Library/Application Support, %AppData%.
func Places(dir, home, config string) []Place {
	return []Place{
		{"Claude Code", filepath.Join(dir, ".mcp.json")},
		{"Cursor", filepath.Join(dir, ".cursor", "mcp.json")},
		{"VS Code", filepath.Join(dir, ".vscode", "mcp.json")},
		{"Claude Desktop", filepath.Join(config, "Claude", "claude_desktop_config.json")},
		{"Cursor", filepath.Join(home, ".cursor", "mcp.json")},
		{"VS Code", filepath.Join(config, "Code", "User", "mcp.json")},
	}
}
