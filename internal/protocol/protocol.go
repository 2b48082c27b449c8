// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package protocol is the validation protocol 1.0 on the wire: the capability that
// announces it, the validate tool, its result, and the result of a refused call.
//
// docs/protocol.md is its text, the JSON Schemas beside this file its grammar.
// The package knows no transport and no SDK, so every door (proxy, middleware, command
// line) gives the same answers in the same words.
package protocol

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
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
	// ScheduleKey is the key, in the _meta of a call that the scheduler makes, of its job, run and time.
	ScheduleKey = "io.github.toolvet/scheduled"
)

// The grammar of the protocol, as JSON Schemas. Those of the tools travel
// in tools/list to clients of every age, some of which compile them with a draft-07
// validator and fail on another $schema: they use what all dialects share.
var (
	//go:embed capability.schema.json
	CapabilitySchema []byte
	//go:embed validate-input.schema.json
	InputSchema []byte
	//go:embed validate-result.schema.json
	ResultSchema []byte
	//go:embed validate-batch-input.schema.json
	BatchInputSchema []byte // without the most calls that a batch may have
	//go:embed validate-batch-result.schema.json
	BatchResultSchema []byte
)

// annotations are the validate tool's hints: it changes nothing, and asks nobody
// but the server and, for runtime checks, what the operator configured.
const annotations = `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`

// Description explains the validate tool to a model.
const Description = "Dry run of another tool of this server: judges the call that you describe and answers " +
	"{valid, errors, warnings, suggestions} without running it and without side effects. Use it before a call " +
	"that is costly, destructive or scheduled for later."

// A Tool is the definition of the validate tool as tools/list gives it.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
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

// BatchDescription explains the batch tool to a model.
const BatchDescription = "Dry run of several calls of tools of this server at once: judges each call by itself, as the " +
	"validate tool does, and answers {valid, errors, warnings, suggestions, results} with one result for each call, in " +
	"their order. Nothing is run."

// NewBatchTool defines the batch tool that stands beside the validate tool called method, for
// at most limit calls at once.
func NewBatchTool(method string, limit int) Tool {
	const calls = `"minItems":1,`
	input := strings.Replace(string(compact(BatchInputSchema)), calls, calls+fmt.Sprintf(`"maxItems":%d,`, limit), 1)
	t := NewTool(BatchName(method))
	t.Title, t.Description = "Validate several tool calls", BatchDescription
	t.InputSchema, t.OutputSchema = json.RawMessage(input), compact(BatchResultSchema)
	return t
}

// BatchName is the name of the batch tool beside a validate tool called method.
func BatchName(method string) string { return method + "_batch" }

// Encode writes t as JSON, the same bytes each time.
func (t Tool) Encode() (json.RawMessage, error) { return json.Marshal(t) }

var toolName = lazyregexp.New(`^[A-Za-z0-9_.-]{1,128}$`)

// ValidName reports whether a tool may be called name (MCP, server/tools, Tool Names).
func ValidName(name string) bool { return toolName.MatchString(name) }

// ValidMethod reports whether a validate tool may be called name, and its batch tool by
// [BatchName].
func ValidMethod(name string) bool { return ValidName(name) && ValidName(BatchName(name)) }

// DescribesCalls reports whether the arguments of a call are those of a validate tool or a batch tool, as well as they
// are spelt: they have "tool", "arguments" or "calls". A server may have a tool of the name that toolvet has announced
// before it knew the server's tools. A dry run under that name must not run the server's tool.
func DescribesCalls(arguments map[string]any) bool {
	for key := range arguments {
		if strings.EqualFold(key, "tool") || strings.EqualFold(key, "arguments") || strings.EqualFold(key, "calls") {
			return true
		}
	}
	return false
}

// FreeName is the name of the validate tool beside a server's own tools: first, or the
// next that is not taken, nor the name of its batch tool.
func FreeName(first string, taken func(name string) bool) string {
	name := first
	for n := 1; taken(name) || taken(BatchName(name)); n++ {
		name = OtherToolName
		if n > 1 {
			name = fmt.Sprintf("%s_%d", OtherToolName, n)
		}
	}
	return name
}
