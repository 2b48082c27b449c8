// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import "encoding/json"

// RehearseName is the name of the tool that rehearses a call, and the level that announces it.
const (
	RehearseName  = "rehearse"
	RehearseLevel = "rehearsal"
)

const rehearseInput = `{"type":"object","properties":{` +
	`"tool":{"type":"string","minLength":1,"description":"Name of the tool of this server that would be called"},` +
	`"arguments":{"type":"object","description":"The arguments that it would be called with; {} for none"}},` +
	`"required":["tool","arguments"],"additionalProperties":false}`

// NewRehearseTool defines the tool that rehearses a call.
func NewRehearseTool() Tool {
	return Tool{
		Name:  RehearseName,
		Title: "Rehearse a tool call",
		Description: "Runs another tool of this server in a sandbox and tells what the call would do: its result, the files that it would " +
			"create, change and delete, the programs that it would start and whom it would connect to. Nothing is changed for real.",
		InputSchema: json.RawMessage(rehearseInput),
		Annotations: json.RawMessage(annotations),
	}
}
