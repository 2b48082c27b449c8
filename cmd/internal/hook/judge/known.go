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
)

// maxConfiguration bounds a client's configuration: some have the history of all projects.
const maxConfiguration = 256 << 20

// configured reports whether a configuration file of a client names the MCP server of a call, in the way in which hosts write it into the names of tools.
func configured(server string, e hook.Event, r *link.Request) bool {
	if e.Host == "claude-code" && e.Tool == "mcp__ide__getDiagnostics" { // of the editor that the host runs in
		return true
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
	for _, dir := range append([]string{e.Dir}, e.Roots...) {
		places := clientconfig.Surroundings{Dir: dir, Home: home, Config: config, Getenv: r.Getenv}
		for _, place := range serverPlaces(places) {
			text, err := textUpTo(place.File, maxConfiguration)
			if err != nil {
				continue
			}
			if names, err := clientconfig.Names([]byte(text), place.ID, dir); err == nil && slices.ContainsFunc(names, called) {
				return true
			}
			if place.ID == "claude-code" && e.Host == place.ID && connected(text, server) {
				return true
			}
		}
		for _, file := range places.ClaudeSettings() {
			if text, err := textUpTo(file, maxConfiguration); err == nil && e.Host == "claude-code" && enabled(text, server) {
				return true
			}
		}
	}
	return false
}

// connected reports whether a configuration of Claude Code has a server among the connectors of the user's account.
func connected(text, server string) bool {
	var file struct {
		Names []string `json:"claudeAiMcpEverConnected"`
	}
	return json.Unmarshal([]byte(text), &file) == nil && slices.ContainsFunc(file.Names, func(name string) bool {
		return strings.Join(strings.FieldsFunc(hook.Plain(name), func(c rune) bool { return c == '_' }), "_") == server
	})
}

// enabled reports whether settings of Claude Code switch on the plugin that brings a server.
func enabled(text, server string) bool {
	var file struct {
		Plugins map[string]any `json:"enabledPlugins"`
	}
	if json.Unmarshal([]byte(text), &file) != nil {
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
	return append(s.AllPlaces(), settings(s.Home), settings(s.Dir))
}
