// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package schema is the class of arguments that break the published schema and reach the handler.
package schema

import (
	_ "embed"

	"github.com/toolvet/toolvet/audit/class"
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
		{Name: "raw-arguments", Doc: "In the code, arguments are used as they were sent: neither a parser nor a check of types is on the way"},
		{Name: "depth", Doc: "An argument that is nested 2,000 deep ends the server, or has it answer no more"},
		{Name: "size", Doc: "An argument of 4 MB ends the server"},
		{Name: "batch", Doc: "A batch of JSON-RPC ends the server, or has it answer no more"},
	},
	Fix: class.Fix{
		Any:        "check the arguments against the schema that the tool publishes, before the handler runs, and answer with an error that says what is wrong",
		TypeScript: "register the tool with a zod schema (server.registerTool(…, {inputSchema})), or parse the arguments with one first: schema.parse(request.params.arguments)",
		Python:     "give the handler typed parameters (FastMCP checks them with pydantic), or validate arguments with a model first",
		Go:         "use mcp.AddTool[In, Out] of the official SDK, which checks arguments, or RequireString and its like in the place of GetString",
	},
}
