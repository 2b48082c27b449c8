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

// Surroundings say where clients keep their files.
type Surroundings struct {
	Dir, Home string
	Config    string                   // the directory of the user's settings, as from os.UserConfigDir: ~/.config, ~/Library/Application Support or %AppData%
	Getenv    func(name string) string // nil: no variable is set
}

// variable returns the directory that a variable names, or one below the home directory.
func (s Surroundings) variable(name string, otherwise ...string) string {
	if s.Getenv != nil {
		if v := s.Getenv(name); filepath.IsAbs(v) {
			return v
		}
	}
	return filepath.Join(append([]string{s.Home}, otherwise...)...)
}

// Places lists the configuration files of clients, for a working directory and for a user. Some hold other settings as well, and no server.
func (s Surroundings) Places() []Place {
	dir, home, config := s.Dir, s.Home, s.Config
	xdg := s.variable("XDG_CONFIG_HOME", ".config")
	storage := filepath.Join(config, "Code", "User", "globalStorage")
	return []Place{
		{"claude-code", "Claude Code", filepath.Join(dir, ".mcp.json")},
		{"cursor", "Cursor", filepath.Join(dir, ".cursor", "mcp.json")},
		{"vscode", "VS Code", filepath.Join(dir, ".vscode", "mcp.json")},
		{"claude-desktop", "Claude Desktop", filepath.Join(config, "Claude", "claude_desktop_config.json")},
		{"cursor", "Cursor", filepath.Join(home, ".cursor", "mcp.json")},
		{"vscode", "VS Code", filepath.Join(config, "Code", "User", "mcp.json")},
		{"codex", "Codex", filepath.Join(dir, ".codex", "config.toml")},
		{"codex", "Codex", filepath.Join(s.variable("CODEX_HOME", ".codex"), "config.toml")},
		{"opencode", "opencode", filepath.Join(dir, "opencode.json")},
		{"opencode", "opencode", filepath.Join(dir, "opencode.jsonc")},
		{"opencode", "opencode", filepath.Join(xdg, "opencode", "opencode.json")},
		{"opencode", "opencode", filepath.Join(xdg, "opencode", "opencode.jsonc")},
		{"goose", "goose", filepath.Join(xdg, "goose", "config.yaml")},
		{"goose", "goose", filepath.Join(config, "Block", "goose", "config", "config.yaml")}, // on Windows
		{"claude-code", "Claude Code", filepath.Join(s.variable("CLAUDE_CONFIG_DIR"), ".claude.json")},
		{"windsurf", "Windsurf", filepath.Join(home, ".codeium", "windsurf", "mcp_config.json")},
		{"gemini", "Gemini CLI", filepath.Join(dir, ".gemini", "settings.json")},
		{"gemini", "Gemini CLI", filepath.Join(home, ".gemini", "settings.json")},
		{"antigravity", "Antigravity", filepath.Join(home, ".gemini", "antigravity", "mcp_config.json")},
		{"qwen", "Qwen Code", filepath.Join(dir, ".qwen", "settings.json")},
		{"qwen", "Qwen Code", filepath.Join(home, ".qwen", "settings.json")},
		{"copilot", "Copilot CLI", filepath.Join(home, ".copilot", "mcp-config.json")},
		{"kiro", "Kiro", filepath.Join(dir, ".kiro", "settings", "mcp.json")},
		{"kiro", "Kiro", filepath.Join(home, ".kiro", "settings", "mcp.json")},
		{"droid", "Droid", filepath.Join(dir, ".factory", "mcp.json")},
		{"droid", "Droid", filepath.Join(home, ".factory", "mcp.json")},
		{"cline", "Cline", filepath.Join(storage, "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")},
		{"cline", "Cline", filepath.Join(home, ".cline", "data", "settings", "cline_mcp_settings.json")},
		{"roo", "Roo Code", filepath.Join(dir, ".roo", "mcp.json")},
		{"roo", "Roo Code", filepath.Join(storage, "rooveterinaryinc.roo-cline", "settings", "mcp_settings.json")},
		{"zed", "Zed", filepath.Join(xdg, "zed", "settings.json")},
		{"amp", "Amp", filepath.Join(home, ".config", "amp", "settings.json")},
		{"lmstudio", "LM Studio", filepath.Join(home, ".lmstudio", "mcp.json")},
	}
}

// ClaudeSettings lists the files in which Claude Code may switch servers off.
func (s Surroundings) ClaudeSettings() []string {
	user := s.variable("CLAUDE_CONFIG_DIR", ".claude")
	return []string{
		filepath.Join(s.variable("CLAUDE_CONFIG_DIR"), ".claude.json"), filepath.Join(user, "settings.json"),
		filepath.Join(s.Dir, ".claude", "settings.json"), filepath.Join(s.Dir, ".claude", "settings.local.json"),
	}
}

// SwitchedOff returns the names of the servers that a file of ClaudeSettings switches off in a workspace: those of the project's .mcp.json,
// and the user's. A file that cannot be read switches nothing off.
func SwitchedOff(file []byte, workspace string) (project, user []string) {
	top, err := membersAt(Plain(file), 0)
	if err != nil {
		return nil, nil
	}
	for _, path := range [][]string{nil, {"projects", workspace}} {
		list, _, err := below(top, path)
		if err != nil {
			continue
		}
		e := entry{members: list}
		for key, names := range map[string]*[]string{"disabledMcpjsonServers": &project, "disabledMcpServers": &user} {
			if m := e.get(key); m != nil {
				more, _ := texts(m) // anything else names no server
				*names = append(*names, more...)
			}
		}
	}
	return project, user
}

// Elsewhere counts the servers that Claude Code's own file has for projects other than a workspace, without those that toolvet runs, and
// those projects. A file that cannot be read has none.
func Elsewhere(file []byte, workspace string) (servers int, projects []string) {
	top, err := membersAt(Plain(file), 0)
	if err != nil {
		return 0, nil
	}
	all, _, err := below(top, []string{"projects"})
	if err != nil {
		return 0, nil
	}
	for _, project := range all {
		if project.Key == workspace {
			continue
		}
		list, _, err := below(all, []string{project.Key, "mcpServers"})
		if err != nil {
			continue
		}
		before := servers
		for _, m := range list {
			e := entry{name: m.Key, plain: m.Raw}
			if e.members, err = membersAt(m.Raw, 0); err == nil && !isToolvet(e) {
				servers++
			}
		}
		if servers > before {
			projects = append(projects, project.Key)
		}
	}
	return servers, projects
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
