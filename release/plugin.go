// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The plugin for Claude Code brings toolvet's hooks, and the gateway as a server. The hooks are those that "toolvet hook
// install" writes: a shell around each, which refuses the call if toolvet is missing or fails. The gateway serves the
// project's toolvet.yaml. The plugin has no program of its own: one for each system would be too large for a marketplace.

// pluginDir is where the repository keeps the plugin; the marketplace in its root names it.
const pluginDir = "plugins/claude-code"

// newerEvents are those that Claude Code 2.1.197 does not know. It refuses a whole file with such an event, and so would run
// without any hook of it; from another file it still takes the hooks. Tried with that version on 2026-11-29.
var newerEvents = []string{"PreSkillShellCommand"}

// plugin returns the files of the marketplace and of the plugin, by their places in the repository. The program must run on
// this machine.
func (c *config) plugin(ctx context.Context, program string) ([]file, error) {
	hooks, err := c.hooks(ctx, program)
	if err != nil {
		return nil, err
	}
	newer := map[string]json.RawMessage{}
	for _, event := range newerEvents {
		if hooks[event] == nil {
			return nil, fmt.Errorf("'hook install' has no hook for %s: take it off the list of newer events", event)
		}
		newer[event] = hooks[event]
		delete(hooks, event)
	}
	type object = map[string]any
	var list []file
	for _, f := range []struct {
		name  string
		value any
	}{
		{".claude-plugin/marketplace.json", object{
			"name": c.Name, "owner": object{"name": c.Maintainer},
			"metadata": object{"description": c.Summary},
			"plugins":  []object{{"name": c.Name, "source": "./" + pluginDir, "description": c.Summary}},
		}},
		{pluginDir + "/.claude-plugin/plugin.json", object{
			"name": c.Name, "version": c.version, "description": c.Summary,
			"author": object{"name": c.Maintainer}, "homepage": c.Repository, "repository": c.Repository, "license": c.Licence,
			"hooks": "./hooks/newer.json", // beside hooks.json
			"userConfig": object{"policy": object{
				"type": "string", "title": "Policy of your MCP servers", "default": "toolvet.yaml", "required": false,
				"description": "Path of the policy whose servers toolvet serves, from the project's directory. Without the file only the hooks work."}},
		}},
		{pluginDir + "/hooks/hooks.json", object{"description": "toolvet judges each call before it runs", "hooks": hooks}},
		{pluginDir + "/hooks/newer.json", object{"description": "The same at events that older versions of Claude Code do not know", "hooks": newer}},
		{pluginDir + "/.mcp.json", object{"mcpServers": object{c.Name: object{
			"command": c.Name, "args": []string{"serve", "--stdio", "--policy", "${user_config.policy}"}}}}},
	} {
		data, err := indented(f.value)
		if err != nil {
			return nil, err
		}
		list = append(list, file{f.name, 0o644, data})
	}
	return list, nil
}

// hooks returns, by event, the hooks that "toolvet hook install claude-code" writes on Linux and macOS.
func (c *config) hooks(ctx context.Context, program string) (map[string]json.RawMessage, error) {
	home, err := os.MkdirTemp("", "toolvet-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "CLAUDE_CONFIG_DIR=" + home}
	if _, err := run(ctx, home, env, program, "hook", "install", "claude-code", "--program", c.Name, "--yes"); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(home, "settings.json"))
	if err != nil {
		return nil, err
	}
	var settings struct{ Hooks map[string]json.RawMessage }
	if err := json.Unmarshal(text, &settings); err != nil {
		return nil, fmt.Errorf("what 'hook install' wrote: %w", err)
	}
	if len(settings.Hooks) == 0 {
		return nil, errors.New("'hook install' wrote no hooks")
	}
	return settings.Hooks, nil
}

// pluginZip returns the plugin as an archive, for "claude --plugin-dir" and marketplaces of others.
func (c *config) pluginZip(files []file, at time.Time) ([]byte, error) {
	var inside []file
	for _, f := range files {
		if rest, ok := bytes.CutPrefix([]byte(f.name), []byte(pluginDir+"/")); ok {
			inside = append(inside, file{string(rest), f.mode, f.data})
		}
	}
	return zipped(inside, at)
}
