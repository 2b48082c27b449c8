// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"encoding/json"
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/hook/builtin"
)

// catalog returns the tools of a call's server. An unlisted tool, of an MCP server or of a later version of the host, gets a schema from the call's
// own arguments, so that their names and looks are judged.
func catalog(host string, c *call.Call, own bool) (*call.Catalog, error) {
	if own {
		tools, err := builtin.Catalog(host)
		if err != nil || tools.Tool(c.Name) != nil {
			return tools, err
		}
	}
	schema := schemaOf(c.Arguments, 0)
	schema["type"] = "object"
	// Nobody says what the tool does, so a "command" may be a shell's.
	raw, err := json.Marshal(map[string]any{"name": c.Name, "description": "It may run shell commands.", "inputSchema": schema})
	if err != nil {
		return nil, err
	}
	tool, err := call.DecodeTool(raw, call.Limits{})
	if err != nil {
		return nil, err
	}
	return call.NewCatalog([]*call.Tool{tool}), nil
}

// maxDepth bounds how deep arguments are described: as deep as presets read them.
const maxDepth = 7

// deeper reports whether arguments are nested deeper than they are described, so that nobody has looked at all of them.
func deeper(v any, depth int) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0 && depth == maxDepth || slices.ContainsFunc(v, func(one any) bool { return deeper(one, depth+1) })
	case map[string]any:
		if len(v) > 0 && depth == maxDepth {
			return true
		}
		for _, one := range v {
			if deeper(one, depth+1) {
				return true
			}
		}
	}
	return false
}

// schemaOf describes a value by itself.
func schemaOf(v any, depth int) map[string]any {
	switch v := v.(type) {
	case string:
		return map[string]any{"type": "string"}
	case []any:
		if len(v) == 0 || depth == maxDepth {
			return map[string]any{"type": "array"}
		}
		items := schemaOf(v[0], depth+1)
		for _, one := range v[1:] {
			items = merged(items, schemaOf(one, depth+1))
		}
		return map[string]any{"type": "array", "items": items}
	case map[string]any:
		if depth == maxDepth {
			return map[string]any{"type": "object"}
		}
		properties := map[string]any{}
		for name, value := range v {
			properties[name] = schemaOf(value, depth+1)
		}
		return map[string]any{"type": "object", "properties": properties}
	}
	return map[string]any{}
}

// anyType is the type of values that a string may be among. An array can be compared.
var anyType = [...]string{"string", "number", "boolean", "null", "array", "object"}

// merged returns a schema for the values of two. Where their types differ, any type fits, and what either says of members holds.
func merged(a, b map[string]any) map[string]any {
	out := map[string]any{}
	switch kind := a["type"]; {
	case kind == anyType || b["type"] == anyType, kind != b["type"] && (kind == "string" || b["type"] == "string"):
		out["type"] = anyType
	case kind != nil && kind == b["type"]:
		out["type"] = kind
	}
	if properties := union(a["properties"], b["properties"]); len(properties) > 0 {
		out["properties"] = properties
	}
	x, isList := a["items"].(map[string]any)
	y, isAlso := b["items"].(map[string]any)
	switch {
	case isList && isAlso:
		out["items"] = merged(x, y)
	case isList:
		out["items"] = x
	case isAlso:
		out["items"] = y
	}
	return out
}

func union(a, b any) map[string]any {
	out := map[string]any{}
	for _, from := range []any{a, b} {
		properties, _ := from.(map[string]any)
		for name, schema := range properties {
			one, _ := schema.(map[string]any)
			if old, both := out[name].(map[string]any); both {
				one = merged(old, one)
			}
			out[name] = one
		}
	}
	return out
}
