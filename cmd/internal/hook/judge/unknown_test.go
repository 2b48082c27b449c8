// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/cmd/internal/hook/link"
)

// TestUnknownNamed holds that the fix of a question about an unknown server works as it stands.
func TestUnknownNamed(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir, j := t.TempDir(), newJudge(t)
	answer := func(policy string) (string, string) {
		forgotten(j)
		return decision(t, j, &link.Request{Host: "claude-code", Policy: policy, Preset: "standard", Dir: dir, Payload: payload(t, "mcp__github__look", map[string]any{}, dir)})
	}
	got, why := answer("")
	_, servers, ok := strings.Cut(why, "in the hook's policy: ")
	if got != "ask" || !ok {
		t.Fatalf("%q: %s", got, why)
	}
	policy := filepath.Join(dir, "toolvet.yaml")
	if err := os.WriteFile(policy, []byte("version: 1\n"+servers+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, why := answer(policy); got != "" {
		t.Errorf("%q: %s", got, why)
	}
}

// TestNamed holds which servers a configuration of Claude Code names: in the way in which the names of tools have them, by plugins, and by the user's account.
func TestNamed(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	mkdir(t, filepath.Join(home, ".claude"))
	for file, text := range map[string]string{
		filepath.Join(dir, ".mcp.json"):                 `{"mcpServers": {"my_server": {"command": "x"}, "my.server two": {"command": "x"}, "a__b": {"command": "x"}, "end_": {"command": "x"}, "url": {"type": "http", "url": "https://x.example/mcp"}}}`,
		filepath.Join(home, ".claude.json"):             `{"claudeAiMcpEverConnected": ["claude.ai Google Calendar"]}`,
		filepath.Join(home, ".claude", "settings.json"): `{"enabledPlugins": {"tool-kit@market": true, "off@market": false}}`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j := newJudge(t)
	for tool, want := range map[string]string{
		"mcp__my_server__read": "", "mcp__my_server_two__read": "", "mcp__a__b__read": "", "mcp__end___read": "", "mcp__url__read": "",
		"mcp__plugin_tool-kit_search__find": "", "mcp__claude_ai_Google_Calendar__list": "", "mcp__ide__getDiagnostics": "",
		"mcp__my__read": "ask", "mcp__a__read": "ask", "mcp__end__read": "ask", "mcp__plugin_off_x__find": "ask", "mcp__plugin_tool_x__find": "ask", "mcp__claude_ai_Slack__send": "ask", "mcp__ide__executeCode": "ask",
	} {
		forgotten(j)
		got, why := decision(t, j, &link.Request{Host: "claude-code", Preset: "standard", Dir: dir, Env: map[string]string{"HOME": home}, Payload: payload(t, tool, map[string]any{"path": "README.md"}, dir)})
		if got != want {
			t.Errorf("%s: %q, want %q: %s", tool, got, want, why)
		}
	}
}
