// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"encoding/json"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/jsonpointer"
)

// Reading returns the arguments with which a tool reads the file at a path. It returns nil for a tool that may do more than
// read, whose parameter for the path is not known, or that needs other arguments as well.
func Reading(t *call.Tool, path string) json.RawMessage {
	var schema struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Items json.RawMessage `json:"items"`
		} `json:"properties"`
	}
	if json.Unmarshal(t.InputSchema, &schema) != nil {
		return nil
	}
	for _, g := range infer.Tool(t) {
		if g.Kind != infer.Path || !reads(t.Name, g.Address) {
			continue
		}
		name, _ := strings.CutSuffix(strings.TrimPrefix(g.Address, "/"), "/*")
		if strings.Contains(name, "/") { // deeper, or * itself
			continue
		}
		name = jsonpointer.Unescape(name)
		if len(schema.Required) > 1 || len(schema.Required) == 1 && schema.Required[0] != name {
			continue
		}
		var value any = path
		if schema.Properties[name].Items != nil { // a list of paths
			value = []string{path}
		}
		raw, err := json.Marshal(map[string]any{name: value})
		if err != nil {
			return nil
		}
		return raw
	}
	return nil
}
