// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"time"
)

// As an MCP server, toolvet is the gateway: all servers of a policy behind one endpoint, with the validate tool. It needs the
// policy's file and nothing else.

// policyHelp tells what to choose, in forms of clients.
const policyHelp = "The policy that names your MCP servers, and what they may do (toolvet.yaml). 'toolvet import' writes one from a client's configuration."

// serverJSON returns the entry of the MCP Registry. MCPB bundles are not in it: an entry names no architecture, and a client
// would take any.
func (c *config) serverJSON() ([]byte, error) {
	type object = map[string]any
	type list = []any
	policy := object{"type": "named", "name": "--policy", "description": policyHelp, "format": "filepath", "isRequired": true, "placeholder": "toolvet.yaml"}
	serve := func(policy object) list {
		return list{object{"type": "positional", "value": "serve"}, object{"type": "positional", "value": "--stdio"}, policy}
	}
	inside := object{"type": "named", "name": "--policy", "value": "/toolvet.yaml"}
	mount := object{"type": "named", "name": "--mount", "value": "type=bind,src={policy},dst=/toolvet.yaml,ro", "isRequired": true,
		"variables": object{"policy": object{"description": policyHelp + " It must name servers by url: the image has no other programs.", "format": "filepath", "isRequired": true}}}
	return indented(object{
		"$schema":     "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":        c.Registry,
		"title":       c.Title,
		"description": c.Summary,
		"version":     c.version,
		"websiteUrl":  c.Repository,
		"repository":  object{"url": c.Repository, "source": "github"},
		"packages": list{
			object{"registryType": "npm", "identifier": c.NPM.Name, "version": c.version, "runtimeHint": "npx",
				"transport": object{"type": "stdio"}, "packageArguments": serve(policy)},
			object{"registryType": "oci", "identifier": c.Image + ":" + c.version, "runtimeHint": "docker",
				"transport": object{"type": "stdio"}, "runtimeArguments": list{mount}, "packageArguments": serve(inside)},
		},
	})
}

// bundle returns the MCPB bundle of a target, for clients such as Claude Desktop. A bundle names its system but no
// architecture, so there is one for each.
func (c *config) bundle(b *build, at time.Time) ([]byte, error) {
	type object = map[string]any
	program := "server/" + c.Name + b.exe()
	about, err := indented(object{
		"$schema":          "https://raw.githubusercontent.com/modelcontextprotocol/mcpb/main/schemas/mcpb-manifest-v0.4.schema.json",
		"manifest_version": "0.4",
		"name":             c.Name,
		"display_name":     c.Title,
		"version":          c.version,
		"description":      c.Summary,
		"long_description": c.Description,
		"author":           object{"name": c.Maintainer, "url": c.Repository},
		"repository":       object{"type": "git", "url": c.Repository},
		"homepage":         c.Repository,
		"documentation":    c.Repository + "/blob/main/docs/gateway.md",
		"license":          c.Licence,
		"server": object{"type": "binary", "entry_point": program, "mcp_config": object{
			"command": "${__dirname}/" + program,
			"args":    []string{"serve", "--stdio", "--policy", "${user_config.policy}"},
		}},
		"tools_generated":   true,
		"prompts_generated": true,
		"user_config":       object{"policy": object{"type": "file", "title": "Policy", "description": policyHelp, "required": true}},
		"compatibility":     object{"platforms": []string{npmSystems[b.os]}},
	})
	if err != nil {
		return nil, err
	}
	return zipped(append([]file{{"manifest.json", 0o644, about}, {program, 0o755, b.program}}, b.texts...), at)
}
