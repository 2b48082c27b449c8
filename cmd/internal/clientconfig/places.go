// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package clientconfig

import (
	"path/filepath"
)

// A Place is a configuration file of a client.
type Place struct {
	ID     string // of the client, as a user types it: "claude-code"
	Client string // in words
	File   string
}

// Places lists the configuration files of clients that "toolvet import" reads without being told: those of a working directory, and
// those of a user. Config is the directory of the user's settings, as from os.UserConfigDir: ~/.config,
// ~/Library/Application Support or %AppData%.
func Places(dir, home, config string) []Place {
	return []Place{
		{"claude-code", "Claude Code", filepath.Join(dir, ".mcp.json")},
		{"cursor", "Cursor", filepath.Join(dir, ".cursor", "mcp.json")},
		{"vscode", "VS Code", filepath.Join(dir, ".vscode", "mcp.json")},
		{"claude-desktop", "Claude Desktop", filepath.Join(config, "Claude", "claude_desktop_config.json")},
		{"cursor", "Cursor", filepath.Join(home, ".cursor", "mcp.json")},
		{"vscode", "VS Code", filepath.Join(config, "Code", "User", "mcp.json")},
		{"codex", "Codex", filepath.Join(dir, ".codex", "config.toml")},
		{"codex", "Codex", filepath.Join(home, ".codex", "config.toml")},
		{"opencode", "opencode", filepath.Join(dir, "opencode.json")},
		{"opencode", "opencode", filepath.Join(dir, "opencode.jsonc")},
		{"opencode", "opencode", filepath.Join(home, ".config", "opencode", "opencode.json")},
		{"opencode", "opencode", filepath.Join(home, ".config", "opencode", "opencode.jsonc")},
		{"goose", "goose", filepath.Join(home, ".config", "goose", "config.yaml")},
		{"goose", "goose", filepath.Join(config, "Block", "goose", "config", "config.yaml")}, // on Windows
	}
}

// AllPlaces lists the files of Places and those of further clients. Some hold other settings as well, and no server.
func AllPlaces(dir, home, config string) []Place {
	storage := filepath.Join(config, "Code", "User", "globalStorage")
	return append(Places(dir, home, config),
		Place{"claude-code", "Claude Code", filepath.Join(home, ".claude.json")},
		Place{"windsurf", "Windsurf", filepath.Join(home, ".codeium", "windsurf", "mcp_config.json")},
		Place{"gemini", "Gemini CLI", filepath.Join(dir, ".gemini", "settings.json")},
		Place{"gemini", "Gemini CLI", filepath.Join(home, ".gemini", "settings.json")},
		Place{"antigravity", "Antigravity", filepath.Join(home, ".gemini", "antigravity", "mcp_config.json")},
		Place{"qwen", "Qwen Code", filepath.Join(dir, ".qwen", "settings.json")},
		Place{"qwen", "Qwen Code", filepath.Join(home, ".qwen", "settings.json")},
		Place{"copilot", "Copilot CLI", filepath.Join(home, ".copilot", "mcp-config.json")},
		Place{"kiro", "Kiro", filepath.Join(dir, ".kiro", "settings", "mcp.json")},
		Place{"kiro", "Kiro", filepath.Join(home, ".kiro", "settings", "mcp.json")},
		Place{"droid", "Droid", filepath.Join(dir, ".factory", "mcp.json")},
		Place{"droid", "Droid", filepath.Join(home, ".factory", "mcp.json")},
		Place{"cline", "Cline", filepath.Join(storage, "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")},
		Place{"cline", "Cline", filepath.Join(home, ".cline", "data", "settings", "cline_mcp_settings.json")},
		Place{"roo", "Roo Code", filepath.Join(dir, ".roo", "mcp.json")},
		Place{"roo", "Roo Code", filepath.Join(storage, "rooveterinaryinc.roo-cline", "settings", "mcp_settings.json")},
		Place{"zed", "Zed", filepath.Join(home, ".config", "zed", "settings.json")},
		Place{"amp", "Amp", filepath.Join(home, ".config", "amp", "settings.json")},
		Place{"lmstudio", "LM Studio", filepath.Join(home, ".lmstudio", "mcp.json")},
	)
}

// roots returns where a client's file keeps its servers: the keys that lead to each object of them.
func roots(client, workspace string) [][]string {
	switch client {
	case "vscode":
		return [][]string{{"servers"}, {"mcp", "servers"}}
	case "zed":
		return [][]string{{"context_servers"}}
	case "amp":
		return [][]string{{"amp.mcpServers"}}
	case "claude-code":
		return [][]string{{"mcpServers"}, {"projects", workspace, "mcpServers"}}
	}
	return [][]string{{"mcpServers"}}
}
