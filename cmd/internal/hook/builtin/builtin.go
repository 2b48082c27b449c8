// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package builtin holds the tools that hosts of coding agents bring along, as catalogs of tools: the checks, rules and
// guesses that toolvet has for tools of MCP servers then hold for them, too.
//
// The catalog of Claude Code comes from its own declarations (npm @anthropic-ai/claude-agent-sdk 0.3.332), by
// cmd/internal/gen/toolschemas. Those of the other hosts are tables of the tools that run commands, read or write files,
// or fetch, with the parameters that the hosts' sources name. No schema is closed: the next version of a host has
// parameters that this one does not know.
package builtin

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/call"
)

//go:embed catalogs/claude-code.json
var claudeCode []byte

// Catalog returns the built-in tools of a host, under the names that its hooks tell; nil if none are known. A tool of an
// extension of goose has the name of both, such as "developer__shell". An error is a fault of this package.
func Catalog(host string) (*call.Catalog, error) {
	if read, ok := catalogs[host]; ok {
		return read()
	}
	return nil, nil
}

var catalogs = func() map[string]func() (*call.Catalog, error) {
	all := map[string]func() (*call.Catalog, error){
		"claude-code": sync.OnceValues(func() (*call.Catalog, error) {
			var definitions []json.RawMessage
			if err := json.Unmarshal(claudeCode, &definitions); err != nil {
				return nil, err
			}
			return catalog(definitions)
		}),
	}
	for host, table := range tables {
		all[host] = sync.OnceValues(func() (*call.Catalog, error) {
			definitions, err := define(table)
			if err != nil {
				return nil, err
			}
			return catalog(definitions)
		})
	}
	return all
}()

func catalog(definitions []json.RawMessage) (*call.Catalog, error) {
	tools := make([]*call.Tool, len(definitions))
	for i, d := range definitions {
		t, err := call.DecodeTool(d, call.Limits{})
		if err != nil {
			return nil, err
		}
		tools[i] = t
	}
	return call.NewCatalog(tools), nil
}

// A kind is what a parameter of a table holds. Its schema says so in words by which package infer knows it.
var kinds = map[string]map[string]any{
	"command": {"type": "string", "description": "The shell command to run."},
	"path":    {"type": "string", "format": "path", "description": "The path of a file or directory on disk."},
	"url":     {"type": "string", "format": "uri", "description": "The URL to fetch."},
	"glob":    {"type": "string", "description": "A glob of file names, such as **/*.go."},
	"regex":   {"type": "string", "description": "A regular expression."},
	"text":    {"type": "string"},
	"patch":   {"type": "string", "description": "A patch, with the names of its files inside."},
	"verb":    {"type": "string", "description": "The kind of change."},
	"any":     {},
}

// define reads a table. Each line is a tool, a colon, and its parameters as NAME=KIND; NAME! must be given, and
// NAME alone may hold anything. Names within objects stand behind a dot, and those of a list's elements behind "[]".
func define(table string) (all []json.RawMessage, err error) {
	for line := range strings.Lines(table) {
		name, parameters, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		root := map[string]any{"type": "object"}
		description := "A tool that the host brings along."
		for _, p := range strings.Fields(parameters) {
			address, kind, ok := strings.Cut(p, "=")
			if !ok {
				kind = "any"
			}
			schema, known := kinds[kind]
			if !known {
				return nil, fmt.Errorf("the tool %s has a parameter of the unknown kind %q", name, kind)
			}
			if kind == "command" {
				description = "Runs shell commands."
			}
			add(root, address, schema)
		}
		d, err := json.Marshal(map[string]any{"name": name, "description": description, "inputSchema": root})
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// add puts the schema of a parameter into that of an object.
func add(object map[string]any, address string, schema map[string]any) {
	name, rest, nested := strings.Cut(address, ".")
	name, must := strings.CutSuffix(name, "!")
	name, list := strings.CutSuffix(name, "[]")
	properties, ok := object["properties"].(map[string]any)
	if !ok {
		properties = map[string]any{}
		object["properties"] = properties
	}
	if must {
		required, _ := object["required"].([]string)
		object["required"] = slices.Compact(append(required, name))
	}
	inner := maps.Clone(schema)
	if nested {
		inner = map[string]any{"type": "object"}
	}
	outer := inner
	if list {
		outer = map[string]any{"type": "array", "items": inner}
	}
	if old, ok := properties[name].(map[string]any); ok {
		outer, inner = old, old
		if list {
			inner = old["items"].(map[string]any)
		}
	}
	properties[name] = outer
	if nested {
		add(inner, rest, schema)
	}
}
