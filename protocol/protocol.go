// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package protocol is the validation protocol 1.0 on the wire: the capability that
// announces it, the validate tool, its result, and the result of a refused call.
//
// docs/protocol.md is its text, the JSON Schemas beside this file its grammar.
// Everything here is bytes: no transport and no SDK is known, so that every door
// (proxy, middleware, command line) says the same thing in the same words.
package protocol

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
)

const (
	// Version is the version of the validation protocol.
	Version = "1.0"
	// ToolName is the usual name of the validate tool. The name that is in force is
	// the capability's Method.
	ToolName = "validate"
	// OtherToolName is the name of the validate tool where the server has a tool
	// called validate of its own.
	OtherToolName = "toolvet_validate"
	// Experimental is the capability's key in capabilities.experimental.
	Experimental = "toolValidation"
	// Extension is the capability's key in capabilities.extensions.
	Extension = "io.github.toolvet/tool-validation"
	// VerdictKey is the key of the verdict in the _meta of a refused call's result.
	VerdictKey = "io.github.toolvet/verdict"
)

// The grammar of the protocol, as JSON Schemas. InputSchema and ResultSchema travel
// in tools/list to clients of every age, some of which compile them with a draft-07
// validator and fail on another $schema: they use what all dialects share.
var (
	//go:embed capability.schema.json
	CapabilitySchema []byte
	//go:embed validate-input.schema.json
	InputSchema []byte
	//go:embed validate-result.schema.json
	ResultSchema []byte
)

// annotations are the validate tool's hints: it changes nothing, and asks nobody
// but the server and, for runtime checks, what the operator configured.
const annotations = `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`

// Description tells a model what the validate tool is for.
const Description = "Dry run of another tool of this server: judges the call that you describe and answers " +
	"{valid, errors, warnings, suggestions} without running it and without side effects. Use it before a call " +
	"that is costly, destructive or scheduled for later."

// A Tool is the definition of the validate tool as tools/list gives it.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
}

// NewTool defines the validate tool under a name.
func NewTool(name string) Tool {
	return Tool{
		Name:         name,
		Title:        "Validate a tool call",
		Description:  Description,
		InputSchema:  compact(InputSchema),
		OutputSchema: compact(ResultSchema),
		Annotations:  json.RawMessage(annotations),
	}
}

// Encode writes t as JSON, the same bytes each time.
func (t Tool) Encode() (json.RawMessage, error) { return json.Marshal(t) }

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// ValidName reports whether a tool may be called name (MCP, server/tools, Tool Names).
func ValidName(name string) bool { return toolName.MatchString(name) }

// FreeName is the name of the validate tool beside a server's own tools: first, or the
// next that is not taken.
func FreeName(first string, taken func(name string) bool) string {
	name := first
	for n := 1; taken(name); n++ {
		name = OtherToolName
		if n > 1 {
			name = fmt.Sprintf("%s_%d", OtherToolName, n)
		}
	}
	return name
}
