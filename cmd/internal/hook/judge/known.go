// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/clientconfig"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/internal/regular"
	"github.com/toolvet/toolvet/internal/subpath"
)

// maxConfiguration bounds a client's configuration: some have the history of all projects.
const maxConfiguration = 256 << 20

// configured reports whether a client's configuration names the MCP server of a call, as hosts write the name into those of tools.
// It returns the directories that the user's own files give the server. A file of the project may come from a stranger, so what it gives does not count.
func configured(server string, e hook.Event, r *link.Request) (granted []string, known bool) {
	if e.Host == "claude-code" && e.Tool == "mcp__ide__getDiagnostics" { // of the editor that the host runs in
		return nil, true
	}
	home := r.Getenv("HOME")
	if home == "" {
		home = r.Getenv("USERPROFILE")
	}
	config := r.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	// A name may have the two strokes, too, that stand between it and the tool's.
	called := func(name string) bool {
		return name == server || strings.HasPrefix(server+"__"+e.MCPTool, hook.Plain(name)+"__")
	}
	taken := false // a file of the project gives the name to a server of its own, which the host may start instead
	dirs := append([]string{e.Dir}, e.Roots...)
	for _, dir := range dirs {
		places := clientconfig.Surroundings{Dir: dir, Home: home, Config: config, Getenv: r.Getenv}
		for _, place := range serverPlaces(places) {
			text, err := regular.Read(place.File, maxConfiguration)
			if err != nil {
				continue
			}
			commands, _ := clientconfig.Commands(text, place.ID, dir) // a broken file names none
			theirs := slices.ContainsFunc(dirs, func(dir string) bool { return subpath.In(place.File, dir) && !subpath.In(home, dir) })
			for name, command := range commands {
				if !called(name) {
					continue
				}
				if known, taken = true, taken || theirs; !theirs {
					granted = append(granted, given(command, home)...)
				}
			}
			known = known || place.ID == "claude-code" && e.Host == place.ID && connected(text, server)
		}
		for _, file := range places.ClaudeSettings() {
			text, err := regular.Read(file, maxConfiguration)
			known = known || err == nil && e.Host == "claude-code" && enabled(text, server)
		}
	}
	if taken {
		granted = nil
	}
	return granted, known
}

// given returns the directories in a server's command, as in "npx @x/server-filesystem ~/papers". A home directory, what is above it, and what is
// hidden in it, is nobody's to give: programs keep their settings there.
func given(command []string, home string) []string {
	if len(command) > 0 && strings.TrimSuffix(filepath.Base(command[0]), ".exe") == "toolvet" { // the server stands behind it
		command = command[slices.Index(command, "--")+1:]
	}
	return slices.DeleteFunc(preset.World(command).Roots, func(dir string) bool {
		return home == "" || subpath.In(home, dir) || strings.Contains(filepath.ToSlash(dir), "/.")
	})
}

// connected reports whether a configuration of Claude Code has a server among the connectors of the user's account.
func connected(text []byte, server string) bool {
	var file struct {
		Names []string `json:"claudeAiMcpEverConnected"`
	}
	return json.Unmarshal(text, &file) == nil && slices.ContainsFunc(file.Names, func(name string) bool {
		return strings.Join(strings.FieldsFunc(hook.Plain(name), func(c rune) bool { return c == '_' }), "_") == server
	})
}

// enabled reports whether settings of Claude Code switch on the plugin that brings a server.
func enabled(text []byte, server string) bool {
	var file struct {
		Plugins map[string]any `json:"enabledPlugins"`
	}
	if json.Unmarshal(text, &file) != nil {
		return false
	}
	for plugin, on := range file.Plugins {
		name, _, _ := strings.Cut(plugin, "@")
		if on != false && strings.HasPrefix(server, "plugin_"+hook.Plain(name)+"_") {
			return true
		}
	}
	return false
}

// serverPlaces are the files in which hosts have their MCP servers.
func serverPlaces(s clientconfig.Surroundings) []clientconfig.Place {
	settings := func(dir string) clientconfig.Place {
		return clientconfig.Place{ID: "claude-code", File: filepath.Join(dir, ".claude", "settings.json")}
	}
	return append(s.Places(), settings(s.Home), settings(s.Dir))
}
