// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"path/filepath"
)

// A Place is a configuration file of a client.
type Place struct {
	Client string // in words
	File   string
}

// Places lists the configuration files of clients: those of a working directory, and those of a user.
// Config is the directory of the user's settings, as from os.UserConfigDir: ~/.config,
// ~/Library/Application Support or %AppData%.
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
