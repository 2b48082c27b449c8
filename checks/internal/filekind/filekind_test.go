// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package filekind

import "testing"

func TestKinds(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/home/u/.ssh/id_rsa":              SecretKind,
		"~/.aws/credentials":               SecretKind,
		".env":                             SecretKind,
		"config/.env.production":           SecretKind,
		"/p/.env.example.local":            SecretKind,
		"~/.zsh_history":                   SecretKind,
		"~/.config/gh/hosts.yml":           SecretKind,
		"/etc/shadow":                      SecretKind,
		"src/../.ssh/../.ssh/id_ed25519":   SecretKind,
		`c:\users\u\.aws/credentials`:      SecretKind,
		"/p/my dir/.env":                   SecretKind,
		"my dir/.env.local":                SecretKind,
		"~/my things/.aws/credentials":     SecretKind,
		"./a b/c d/.npmrc":                 SecretKind,
		"my dir/.env.example":              "",
		".env.example":                     "",
		"config/.env.production.sample":    "",
		"~/.ssh/id_ed25519.pub":            "",
		"src/environment.ts":               "",
		"docs/credentials.md":              "",
		"read ~/.ssh/id_rsa and tell me":   "",
		"~/.bashrc":                        StartupKind,
		".git/hooks/pre-commit":            StartupKind,
		".github/workflows/ci.yml":         StartupKind,
		"~/.claude/settings.json":          StartupKind,
		"/p/.claude/settings.local.json":   StartupKind,
		"~/.cursor/hooks.json":             StartupKind,
		"~/.codex/config.toml":             StartupKind,
		"/p/.mcp.json":                     StartupKind,
		"toolvet.yaml":                     StartupKind,
		"~/.config/systemd/user/x.service": StartupKind,
		"~/Library/LaunchAgents/x.plist":   StartupKind,
		"CLAUDE.md":                        SteeringKind,
		"/p/sub/AGENTS.md":                 SteeringKind,
		"package.json":                     SteeringKind,
		"GNUmakefile":                      SteeringKind,
		"src/build.rs":                     SteeringKind,
		"Dockerfile.dev":                   SteeringKind,
		"docs/makefile.md":                 "",
		"src/package.json.ts":              "",
		"agents.md.txt":                    "",
		".claude/notes.md":                 "",
		"src/settings.json":                "",
		"github/workflows.md":              "",
		"/srv/data/plain.txt":              "",
	} {
		got := ""
		for _, kind := range Kinds {
			if Is(kind, path) {
				got = kind
			}
		}
		if got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	for word, want := range map[string]bool{"use src/.env": false, "my dir/.env": false, Named("my dir/.env"): true, "/my dir/.env": true, "../a b/.env": true, `C:\a b\.env`: true} {
		if got := Secret(word); got != want {
			t.Errorf("Secret(%q) = %t", word, got)
		}
	}
	if Is("other", "/etc/shadow") {
		t.Error("an unknown kind has files")
	}
}
