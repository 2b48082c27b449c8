// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/probe"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestDraftGit holds that a draft for a server with git shows it git's settings, read-only and without secrets.
func TestDraftGit(t *testing.T) {
	home, config := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		home + "/.gitconfig":         "[user]\n\tname = Ada\n\temail = ada@example.org\n[credential]\n\thelper = store\n",
		config + "/git/config":       "[url \"https://ada:hunter2xyzQ9@git.example.com/\"]\n\tinsteadOf = https://git.example.com/\n",
		config + "/git/ignore":       "*.swp\n",
		config + "/git/credentials":  "https://ada:hunter2xyzQ9@git.example.com\n",
		home + "/.config/git/ignore": "*.orig\n",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", config)
	shell := []audit.Weakness{{Cell: audit.Cell{Tool: "run"}, Kinds: []string{designed}, Evidence: []audit.Fact{{Proof: &audit.Proof{}}}}}
	program := []audit.Weakness{{Cell: audit.Cell{Tool: "run"}, Kinds: []string{code}, Evidence: []audit.Fact{{Proof: &audit.Proof{}}}}}
	checks := enforce.Checks(suite.Default())
	settings := []string{home + "/.gitconfig", config + "/git/ignore"}
	for _, tt := range []struct {
		name, tool string
		command    []string
		found      []audit.Weakness
		place      *drawnPlace
		want       *policy.Containment
	}{
		{"its tools", "git_commit", nil, nil, &drawnPlace{writes: true}, &policy.Containment{Write: []string{"."}, Read: settings}},
		{"its name", "commit", []string{"npx", "git-mcp-server"}, nil, &drawnPlace{}, &policy.Containment{Read: append([]string{"."}, settings...)}},
		{"camel", "gitCommit", nil, nil, nil, &policy.Containment{Read: settings}},
		{"commands", "run", nil, shell, nil, &policy.Containment{Read: settings}},
		{"code", "run", nil, program, nil, &policy.Containment{}},
		{"another", "github_digit_legit", nil, nil, nil, &policy.Containment{}},
	} {
		command := tt.command
		if command == nil {
			command = []string{"node", "s.js"}
		}
		tools := oneTool(t, `{"name":"`+tt.tool+`","inputSchema":{"type":"object"}}`)
		alone := &probe.Result{Catalog: tools}
		p := &proxied{server: command}
		git, err := p.gitFor(alone, tt.found)
		if err != nil {
			t.Fatal(err)
		}
		d := &drafting{checks: checks, command: command, listed: map[string]*call.Catalog{pin.Tools: tools}, found: tt.found, place: tt.place, git: git}
		d.walls = wallsFor(alone, false, tt.place, git.shown)
		text := string(d.text())
		all, err := policy.Parse("p", []byte(text), checks.Demands()...)
		if err != nil {
			t.Fatalf("%s: %v\n%s", tt.name, err, text)
		}
		if diff := cmp.Diff(tt.want, all.Servers[0].Contain); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
		if told := strings.Contains(text, config+"/git/config may hold a secret"); told != (len(tt.want.Read) > 0) {
			t.Errorf("%s: what is left out is told: %v\n%s", tt.name, told, text)
		}
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	git, err := (&proxied{server: []string{"mcp-server-git"}}).gitFor(&probe.Result{}, nil)
	if diff := cmp.Diff([]string{home + "/.gitconfig", home + "/.config/git/ignore"}, git.shown); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
