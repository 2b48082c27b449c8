// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/call"
)

//go:embed tools.json
var toolsJSON []byte

const jobSchema = `{"type": "object", "required": ["job"], "additionalProperties": false, "properties": {
	"job": {"type": "string", "minLength": 1, "maxLength": 128, "description": "id or name of the job"}}}`

// Tools are the scheduler's own tools, in the form of a tool list.
func Tools() (*call.Catalog, error) {
	list, err := definitions()
	if err != nil {
		return nil, err
	}
	var tools []*call.Tool
	for _, t := range list {
		text, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		tool, err := call.DecodeTool(text, call.Limits{})
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool)
	}
	return call.NewCatalog(tools), nil
}

// definitions are the tools of tools.json.
func definitions() ([]*mcp.Tool, error) {
	var list []struct {
		Name, Title, Description   string
		InputSchema                json.RawMessage
		Job, ReadOnly, Destructive bool
	}
	if err := json.Unmarshal(toolsJSON, &list); err != nil {
		return nil, fmt.Errorf("reading the scheduler's tools: %w", err)
	}
	tools := make([]*mcp.Tool, len(list))
	for i, t := range list {
		switch {
		case t.Job:
			t.InputSchema = json.RawMessage(jobSchema)
		case t.Name == "update": // create comes before it
			text, err := changeSchema(list[0].InputSchema, t.InputSchema)
			if err != nil {
				return nil, fmt.Errorf("reading the scheduler's tools: %w", err)
			}
			t.InputSchema = text
		}
		no := false
		tools[i] = &mcp.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.ReadOnly, DestructiveHint: &t.Destructive, OpenWorldHint: &no},
		}
	}
	return tools, nil
}

// changeSchema makes the schema of update. Its changes are fields of create.
func changeSchema(create, update json.RawMessage) (text json.RawMessage, err error) {
	var from, into struct {
		Type                 string                     `json:"type"`
		Required             []string                   `json:"required"`
		AdditionalProperties bool                       `json:"additionalProperties"`
		Properties           map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(create, &from); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(update, &into); err != nil {
		return nil, err
	}
	for name := range into.Properties { // the fields of How are not fields of the job
		delete(from.Properties, name)
	}
	from.Properties["end_date"] = json.RawMessage(`{"type": ["string", "null"], "format": "date-time", "description": "no run after it; null: no end"}`)
	into.Properties["changes"], err = json.Marshal(map[string]any{
		"type": "object", "minProperties": 1, "additionalProperties": false, "properties": from.Properties,
		"description": "the fields that change",
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(into)
}
