// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// servedPolicy writes a policy with the demo's server.
func servedPolicy(t *testing.T, program string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "toolvet.yaml")
	place(t, name, fmt.Appendf(nil, "version: 1\nservers:\n  demo: {command: [%q, demo-server, %q]}\n", program, t.TempDir()), 0o600)
	return name
}

// serves holds that a command is an MCP server with the tools of the policy's server, and the validate tool.
func serves(t *testing.T, dir string, env []string, command ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"demo__schedule_backup"`) || !strings.Contains(string(out), `"validate"`) {
		t.Errorf("%q: %v\n%s", command, err, out)
	}
}

// TestBundle starts this machine's bundle as its manifest says.
func TestBundle(t *testing.T) {
	t.Parallel()
	c, files, program := unpacked(t)
	dir := t.TempDir()
	unpack(t, "x.mcpb", files[c.base(here)+".mcpb"], dir)
	var m struct {
		Version string
		Server  struct {
			EntryPoint string `json:"entry_point"`
			MCPConfig  struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
		Compatibility struct{ Platforms []string }
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if m.Version != c.version || len(m.Compatibility.Platforms) != 1 || m.Compatibility.Platforms[0] != npmSystems[runtime.GOOS] {
		t.Errorf("the manifest is %+v", m)
	}
	if _, err := os.Stat(filepath.Join(dir, m.Server.EntryPoint)); err != nil {
		t.Error(err)
	}
	values := strings.NewReplacer("${__dirname}", dir, "${user_config.policy}", servedPolicy(t, program))
	command := []string{values.Replace(m.Server.MCPConfig.Command)}
	for _, a := range m.Server.MCPConfig.Args {
		command = append(command, values.Replace(a))
	}
	serves(t, t.TempDir(), nil, command...)
}

// TestRegistryEntry starts the npm package's program with the arguments of server.json.
func TestRegistryEntry(t *testing.T) {
	t.Parallel()
	c, files, program := unpacked(t)
	var entry struct {
		Name, Version string
		Packages      []struct {
			RegistryType, Identifier, Version string
			PackageArguments                  []struct{ Type, Name, Value string }
		}
	}
	if err := json.Unmarshal(files["server.json"], &entry); err != nil {
		t.Fatal(err)
	}
	if entry.Name != c.Registry || entry.Version != c.version || len(entry.Packages) != 2 {
		t.Fatalf("the entry is %+v", entry)
	}
	npm := entry.Packages[0]
	if npm.Identifier != c.NPM.Name || npm.Version != c.version || entry.Packages[1].Identifier != c.Image+":"+c.version {
		t.Errorf("the packages are %+v", entry.Packages)
	}
	command := []string{program}
	for _, a := range npm.PackageArguments {
		if a.Type == "named" {
			command = append(command, a.Name, servedPolicy(t, program))
		} else {
			command = append(command, a.Value)
		}
	}
	serves(t, t.TempDir(), nil, command...)
	dir := t.TempDir()
	unpack(t, "x.tgz", files["npm/"+c.NPM.Name+"-"+c.version+".tgz"], dir)
	text, err := os.ReadFile(filepath.Join(dir, "package", "package.json"))
	if err != nil || !strings.Contains(string(text), fmt.Sprintf("%q: %q", "mcpName", c.Registry)) {
		t.Errorf("package.json must have the name in the MCP Registry: %v\n%s", err, text)
	}
}

// A hookLine is what Claude Code runs at an event.
type hookLine struct {
	Command   string
	Args      []string
	OnFailure string `json:"onFailure"`
}

// TestPlugin holds that the repository has the plugin of this tree, and runs its hook and its server.
func TestPlugin(t *testing.T) {
	t.Parallel()
	c, files, program := unpacked(t)
	if runtime.GOOS == "windows" {
		t.Skip("the plugin is written on Linux and macOS")
	}
	want, err := c.plugin(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range want {
		if got, err := os.ReadFile(filepath.Join(root, f.name)); err != nil || string(got) != string(f.data) {
			t.Errorf("%s is out of date (%v): go run ./release plugin", f.name, err)
		}
	}
	dir := t.TempDir()
	unpack(t, "x.zip", files[fmt.Sprintf("%s_%s_claude-code-plugin.zip", c.Name, c.version)], dir)
	var hooks, newer struct {
		Hooks map[string][]struct{ Hooks []hookLine }
	}
	var servers struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	for name, value := range map[string]any{"hooks/hooks.json": &hooks, "hooks/newer.json": &newer, ".mcp.json": &servers} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, value); err != nil {
			t.Fatal(err)
		}
	}
	before := hooks.Hooks["PreToolUse"][0].Hooks[0]
	if before.OnFailure != "block" || len(hooks.Hooks) < 5 || len(newer.Hooks) != len(newerEvents) {
		t.Errorf("the hooks are %+v, %+v", hooks, newer)
	}
	state, project := t.TempDir(), t.TempDir()
	with := func(path string) []string {
		return append(os.Environ(), "PATH="+path, "HOME="+state, "TOOLVET_HOOK_DIR="+filepath.Join(state, "h"))
	}
	call := func(env []string, command string) (code int, out string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), before.Command, before.Args...)
		cmd.Dir, cmd.Env = project, env
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q}}`, project, command))
		data, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return code, string(data)
	}
	path := filepath.Dir(program) + string(os.PathListSeparator) + os.Getenv("PATH")
	if code, out := call(with(path), "cat ~/.ssh/id_rsa"); code != 0 || !strings.Contains(out, `"permissionDecision":"deny"`) {
		t.Errorf("a key is read: %d %s", code, out)
	}
	if code, out := call(with(path), "ls"); code != 0 || strings.Contains(out, `"deny"`) {
		t.Errorf("ls: %d %s", code, out)
	}
	if code, out := call(with("/nowhere"), "ls"); code != 2 || !strings.Contains(out, "refuses this call") {
		t.Errorf("without toolvet: %d %s", code, out)
	}
	server := servers.MCPServers[c.Name]
	text, err := os.ReadFile(servedPolicy(t, program))
	if err != nil {
		t.Fatal(err)
	}
	place(t, filepath.Join(project, "toolvet.yaml"), text, 0o600)
	command := []string{program}
	for _, a := range server.Args {
		command = append(command, strings.ReplaceAll(a, "${user_config.policy}", "toolvet.yaml"))
	}
	if server.Command != c.Name {
		t.Errorf("the server's command is %q", server.Command)
	}
	serves(t, project, nil, command...)
}
