// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
)

// A stayer is a program that has something start later, by some of its commands: their first words, or an option.
type stayer struct {
	programs, commands, kind, what string
	inside                         bool // only where commands must stay in their place
}

// stayers are such programs, beside those whose only purpose it is.
var stayers = []stayer{
	{"git", "maintenance start|maintenance register|lfs install", startup, "has git start programs later", false},
	{"pre-commit prek", "install|init-templatedir", startup, "installs hooks, which git starts later", false},
	{"lefthook simple-git-hooks", "install|init|add|set", startup, "installs hooks, which git starts later", false},
	{"husky", "install|init|add|set|uninstall", startup, "installs hooks, which git starts later", true},
	{"pm2 pm2-runtime", "startup|save", later, "has programs start with the system", false},
	{"forever-service", "install", later, "has programs start with the system", false},
	{"brew", "services start|services restart", later, "has programs start with the system", false},
	{"watchman", "-- trigger|trigger|-j", later, "has a program start when files change, after the line", false},
	{"docker podman nerdctl", "update --restart", later, "has a container start with the system", false},
	{"copilot cursor-agent opencode droid amp kiro-cli kiro q auggie crush goose cline grok kimi windsurf", "mcp add|mcp add-json|mcp install|mcp enable|mcp import|mcp login|plugin install|plugin add|plugin enable|plugins install|extension install|extensions install|tools add|hooks add", setting,
		"adds a server or a plugin, which an agent starts later", false},
	{"claude codex gemini qwen", "mcp remove|mcp enable|mcp import|plugin enable|plugin update|extensions link|extensions enable|extensions update", setting, "changes the servers or plugins that an agent starts later", false},
	{"code code-insiders codium cursor windsurf", "--add-mcp", setting, "adds a server, which an agent starts later", false},
	{"code code-insiders codium vscodium cursor windsurf positron trae", "--install-extension", setting, "installs code into the editor", true},
	{"bind", "-x|-f", setting, "has a shell run lines at the press of a key", true},
	{"direnv", "allow|permit|grant", setting, "has a shell run a file of settings from now on", false},
	{"mise rtx", "trust", setting, "has a shell run a file of settings from now on", false},
}

// stayerNames are their names, and those of programs that run them.
const stayerNames = "git pre-commit prek lefthook simple-git-hooks pm2 pm2-runtime forever-service brew watchman docker podman nerdctl copilot cursor-agent opencode droid amp kiro-cli kiro q auggie crush goose cline grok kimi windsurf claude codex gemini qwen code code-insiders codium vscodium positron trae cursor husky bind direnv mise rtx npx bunx pnpm yarn npm"

// judgeStays refuses commands by which something starts later.
func judgeStays(j *judge, s simple, _ *grammar.Reading) {
	program := s.program()
	if among(program, "npx bunx pnpm yarn npm") { // the program that it runs
		i := slices.IndexFunc(s.words[1:], func(w string) bool { return among(w, "lefthook simple-git-hooks pm2 husky") })
		if i < 0 || i > 2 || anyWord(s.words[1:i+1], func(w string) bool { return !among(w, "exec dlx x -y --yes --") }) {
			return
		}
		if s.words[i+1] == "simple-git-hooks" {
			j.refuseWord(&s, i+1, startup, "installs hooks, which git starts later")
		}
		program, s.words, s.offset = s.words[i+1], s.words[i+1:], s.offset+i+1
	}
	if program == "husky" && len(s.words) == 1 && j.inside {
		j.refuseWord(&s, 0, startup, "installs hooks, which git starts later")
	}
	for _, one := range stayers {
		if one.inside && !j.inside || !among(program, one.programs) {
			continue
		}
		for _, command := range splitAt(one.commands, "|") {
			if at := s.begins(strings.Fields(command)); at > 0 {
				j.refuseWord(&s, at, one.kind, one.what)
				return
			}
		}
	}
}

// begins returns where a command of the program stands, with options before it and none between its words; 0 if it does not. An option may stand
// anywhere.
func (s *simple) begins(command []string) int {
	for i := 1; i < len(s.words); i++ {
		switch w := s.words[i]; {
		case startsWith(s.words[i:], command):
			return i
		case len(command) == 1 && hasPrefix(command[0], "--") && hasPrefix(w, command[0]+"="):
			return i
		case len(command) == 2 && w == command[0] && hasPrefix(command[1], "--"):
			if anyWord(s.words[i:], func(w string) bool { return w == command[1] || hasPrefix(w, command[1]+"=") }) {
				return i
			}
			return 0
		case hasPrefix(w, "-"), hasPrefix(command[0], "--"):
		default:
			if i > 1 && hasPrefix(s.words[i-1], "-") && !hasPrefix(command[0], "-") {
				continue // the value of an option
			}
			return 0
		}
	}
	return 0
}
