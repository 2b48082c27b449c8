// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package schema is the class of arguments that break the published schema and reach the handler.
package schema

import (
	_ "embed"

	"github.com/toolvet/toolvet/internal/audit/class"
)

//go:embed README.md
var doc string

// Class is about the validation of arguments by the schema that a tool publishes.
var Class = &class.Class{
	Name:     "schema",
	Doc:      doc,
	Missing:  "schema validation of arguments",
	Severity: class.High,
	Minus:    10,
	Kinds: []class.Kind{
		{Name: "missing-required", Doc: "A call without a required argument reaches the handler"},
		{Name: "wrong-type", Doc: "A call with an argument of another type reaches the handler"},
		{Name: "raw-arguments", Doc: "In the code, arguments are used as sent, without a parser or a check of types"},
		{Name: "depth", Doc: "An argument nested 2,000 deep ends or silences the server"},
		{Name: "size", Doc: "An argument of 4 MB ends the server"},
		{Name: "batch", Doc: "A batch of JSON-RPC ends or silences the server"},
	},
	Fix: class.Fix{
		Any:        "check the arguments against the tool's published schema before the handler runs, and answer with an error that names the fault",
		TypeScript: "register the tool with a zod schema (server.registerTool(…, {inputSchema})), or parse the arguments with one first: schema.parse(request.params.arguments)",
		Python:     "give the handler typed parameters (FastMCP checks them with pydantic), or validate arguments with a model first",
		Go:         "use mcp.AddTool[In, Out] of the official SDK, which checks arguments, or RequireString and the like in place of GetString",
	},
}
