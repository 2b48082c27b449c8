// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
	"github.com/toolvet/toolvet/cmd/internal/hook/semantics"
)

var update = flag.Bool("update", false, "write the golden files")

// token looks like a secret. No scanner of source code finds it in this file.
var token = "ghp_" + "x7Kq9mW2pL4vR8tY1nB6cD3fG5hJ0sA2eZ9u"

// TestSessions holds what each host is told in a session: calls that run, are refused and asked about, outputs with a secret in them, and every
// other event of which there is a golden payload.
func TestSessions(t *testing.T) {
	t.Parallel()
	for _, h := range hook.Hosts() {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			j := newJudge(t)
			var got bytes.Buffer
			say := func(name string, payload []byte, env map[string]string) {
				reply := j.Answer(t.Context(), &link.Request{Host: h.Name, Dir: "/repo", Env: env, Payload: payload})
				fmt.Fprintf(&got, "-- %s --\nexit %d\n%s%s", name, reply.Exit, reply.Stdout, reply.Stderr)
			}
			for _, line := range []string{"git status", "cat ~/.ssh/id_ed25519", "git push --force origin main"} {
				payload, env := semantics.Payload(h.Name, "/repo", line)
				say(line, payload, variables(env))
			}
			given, err := txtar.ParseFile(filepath.Join("..", "testdata", h.Name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{}
			for _, f := range given.Files {
				files[f.Name] = f.Data
			}
			for _, name := range slices.Sorted(maps.Keys(files)) {
				name, isInput := strings.CutSuffix(name, "/input.json")
				if !isInput || files[name+"/error"] != nil {
					continue
				}
				env := variables(strings.Fields(string(files[name+"/env"])))
				payload := files[name+"/input.json"]
				e, err := h.Decode(payload, func(v string) string { return env[v] })
				if err != nil {
					t.Fatal(err)
				}
				if e.Kind == hook.AfterTool {
					payload = leaking(t, payload, e.Output)
				}
				say(name, payload, env)
				if e.Kind == hook.AfterTool && h.ReplacesOutput && bytes.Contains(got.Bytes(), []byte(token)) {
					t.Errorf("%s: the secret is shown", name)
				}
			}
			golden := filepath.Join("testdata", h.Name+".txtar")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("replies differ; go test -update accepts them:\n%s", diff)
			}
		})
	}
}

func variables(list []string) map[string]string {
	env := map[string]string{}
	for _, v := range list {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return env
}

// leaking puts a secret into the first text of an output.
func leaking(t *testing.T, payload []byte, output json.RawMessage) []byte {
	t.Helper()
	o, err := readOutput(output)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range o.texts {
		old, err := json.Marshal(*text)
		if err != nil {
			t.Fatal(err)
		}
		if changed := bytes.Replace(payload, old, fmt.Appendf(nil, "%q", "token "+token), 1); *text != "" && !bytes.Equal(changed, payload) {
			return changed
		}
	}
	return payload
}

// TestRefusals holds that what cannot be judged is refused, in words that say why.
func TestRefusals(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(broken, []byte("rules: [what"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := payload(t, "Bash", map[string]any{"command": "ls"}, "/repo")
	j := newJudge(t)
	for name, test := range map[string]struct {
		request link.Request
		want    string
	}{
		"no JSON":         {link.Request{Host: "claude-code", Payload: []byte("what")}, "cannot read"},
		"nothing":         {link.Request{Host: "claude-code"}, "cannot read"},
		"no policy":       {link.Request{Host: "claude-code", Policy: broken + ".missing", Payload: good}, "policy cannot be used"},
		"a broken policy": {link.Request{Host: "claude-code", Policy: broken, Payload: good}, "policy cannot be used"},
		"unknown preset":  {link.Request{Host: "claude-code", Preset: "lenient", Payload: good}, "unknown preset"},
		"unknown host":    {link.Request{Host: "nobody", Payload: good}, "unknown host"},
		"no arguments":    {link.Request{Host: "claude-code", Payload: payload(t, "Bash", map[string]any{}, "/repo")}, "command"},
		"a wrong type":    {link.Request{Host: "claude-code", Payload: payload(t, "Bash", map[string]any{"command": []any{"ls"}}, "/repo")}, "command"},
	} {
		if d, why := decision(t, j, &test.request); d != "deny" || !strings.Contains(why, test.want) {
			t.Errorf("%s: %q, %q", name, d, why)
		}
	}
}

// TestPolicy holds that a policy's demands and rules reach a host's own tools, under the host's name, and that a change of the file is in force at the
// next call.
func TestPolicy(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "toolvet.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j := newJudge(t)
	ask := func(tool string, input any) string {
		d, _ := decision(t, j, &link.Request{Host: "claude-code", Policy: file, Payload: payload(t, tool, input, "/repo")})
		return d
	}
	line := func(s string) map[string]any { return map[string]any{"command": s} }
	write("version: 1\nservers:\n  claude-code:\n    agent: true\n    tools:\n      Bash:\n        arguments:\n          command: {command: {programs: [ls]}}\n")
	if got := []string{ask("Bash", line("ls")), ask("Bash", line("make"))}; !slices.Equal(got, []string{"", "deny"}) {
		t.Errorf("by demands: %q", got)
	}
	write("version: 1\nrules:\n  - name: no-make\n    tools: [\"claude-code:Bash\"]\n    when: args.command.startsWith(\"make\")\n    effect: ask\n    message: Make takes long.\n")
	if got := []string{ask("Bash", line("ls")), ask("Bash", line("make")), ask("Bash", line("cat ~/.netrc"))}; !slices.Equal(got, []string{"", "ask", "deny"}) {
		t.Errorf("by rules: %q", got)
	}
	write("version: 1\nlimits:\n  - name: few\n    quota: 2/day\n    per: [session]\n")
	if got := []string{ask("Bash", line("ls")), ask("Bash", line("ls")), ask("Bash", line("ls"))}; !slices.Equal(got, []string{"", "", "deny"}) {
		t.Errorf("by limits: %q", got)
	}
}

// TestUnknown holds that a call is judged whose event has no known name, and what tools that find files are given.
func TestUnknown(t *testing.T) {
	t.Parallel()
	j := newJudge(t)
	for name, tt := range map[string]struct {
		host, payload, want string
	}{
		"a name with a blank": {"claude-code", `{"hook_event_name":"PreToolUse ","tool_name":"Bash","tool_input":{"command":"cat ~/.ssh/id_rsa"}}`, "deny"},
		"a later name":        {"claude-code", `{"hook_event_name":"ToolWillRun","tool_name":"Bash","tool_input":{"command":"cat ~/.ssh/id_rsa"}}`, "deny"},
		"a later name, calm":  {"claude-code", `{"hook_event_name":"ToolWillRun","tool_name":"Bash","tool_input":{"command":"ls"}}`, ""},
		"a glob":              {"claude-code", `{"hook_event_name":"PreToolUse","tool_name":"Glob","tool_input":{"pattern":"~/.ssh/*"}}`, "deny"},
		"a calm glob":         {"claude-code", `{"hook_event_name":"PreToolUse","tool_name":"Glob","tool_input":{"pattern":"**/*.{ts,tsx}"}}`, ""},
		"a denial told":       {"claude-code", `{"hook_event_name":"PermissionDenied","tool_name":"Bash","tool_input":{"command":"cat ~/.ssh/id_rsa"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, why := decision(t, j, &link.Request{Host: tt.host, Dir: t.TempDir(), Payload: []byte(tt.payload)}); got != tt.want {
				t.Errorf("%q, want %q: %s", got, tt.want, why)
			}
		})
	}
}

// TestServers holds that a call of an MCP server is judged, also behind the proxy and its policy, and that one of an unknown server is asked about.
func TestServers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := `{"mcpServers": {"behind": {"command": "toolvet", "args": ["proxy", "--", "x"]}, "ruled": {"command": "toolvet", "args": ["proxy", "--policy", "p.yaml", "--", "x"]}, "plain": {"command": "x"}}}`
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	j := newJudge(t)
	for name, want := range map[string]string{"behind": "deny", "plain": "deny", "ruled": "deny", "other": "deny"} {
		if d, _ := decision(t, j, &link.Request{Host: "claude-code", Payload: payload(t, "mcp__"+name+"__read", map[string]any{"path": "/home/u/.ssh/id_rsa"}, dir)}); d != want {
			t.Errorf("a secret by %s: %q, want %q", name, d, want)
		}
	}
	for _, tool := range []string{"Shell", "LaterTool", "mcp__plain__act"} { // no list has them
		if d, _ := decision(t, j, &link.Request{Host: "claude-code", Payload: payload(t, tool, map[string]any{"command": "cat ~/.ssh/id_rsa"}, dir)}); d != "deny" {
			t.Errorf("a secret by %s: %q", tool, d)
		}
	}
	for name, want := range map[string]string{"behind": "", "plain": "", "ruled": "", "other": "ask"} {
		if d, _ := decision(t, j, &link.Request{Host: "claude-code", Payload: payload(t, "mcp__"+name+"__read", map[string]any{"path": "README.md"}, dir)}); d != want {
			t.Errorf("a harmless call by %s: %q, want %q", name, d, want)
		}
	}
}

// TestGiven holds that a server may write into the directories that the user's own configuration gives it, and nowhere else outside the project.
func TestGiven(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} { // the directory for temporary files counts as one of the project
		t.Setenv(name, t.TempDir())
	}
	for _, name := range []string{"papers", "shared", ".config/autostart", "source"} {
		mkdir(t, filepath.Join(home, name))
	}
	server := func(words ...string) map[string]any { return map[string]any{"command": words[0], "args": words[1:]} }
	own, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"plain":   server("npx", "-y", "@x/server-filesystem", filepath.Join(home, "papers")),
		"behind":  server("toolvet", "proxy", "--log", home+"/shared", "--", "uv", "--directory", filepath.Join(home, "source"), "run", "server", filepath.Join(home, "papers")),
		"all":     server("npx", "@x/server-filesystem", home, "/", filepath.Join(home, ".config")),
		"project": server("npx", "@x/server-filesystem"),
		"taken":   server("npx", "@x/server-filesystem", filepath.Join(home, "papers")),
	}})
	theirs, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{"project": server("npx", "@x/server-filesystem", filepath.Join(home, "papers")), "taken": server("./evil")}})
	for file, text := range map[string][]byte{filepath.Join(home, ".claude.json"): own, filepath.Join(dir, ".mcp.json"): theirs} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j := newJudge(t)
	for _, c := range []struct{ server, path, want string }{
		{"plain", "papers/a.md", ""}, {"plain", "shared/a.md", "ask"}, {"plain", "papers/../shared/a.md", "ask"}, {"plain", "papers/.env", "deny"},
		{"behind", "papers/a.md", ""}, {"behind", "shared/a.md", "ask"}, {"behind", "source/server.py", "ask"},
		{"all", "papers/a.md", "ask"}, {"all", ".config/autostart/a.desktop", "ask"}, {"project", "papers/a.md", "ask"},
		{"taken", "papers/a.md", "ask"},
	} {
		r := &link.Request{Host: "claude-code", Env: map[string]string{"HOME": home}, Payload: payload(t, "mcp__"+c.server+"__write_file", map[string]any{"path": filepath.Join(home, c.path), "content": "x"}, dir)}
		if got, why := decision(t, j, r); got != c.want {
			t.Errorf("%s writes %s: %q, want %q: %s", c.server, c.path, got, c.want, why)
		}
	}
}
