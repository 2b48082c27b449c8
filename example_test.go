// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"context"
	"fmt"
	"log"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/text"
	"github.com/toolvet/toolvet/schema"
)

func ExampleGate_Judge() {
	tool, err := call.DecodeTool([]byte(`{
		"name": "read_text_file",
		"inputSchema": {
			"type": "object",
			"properties": {"path": {"type": "string"}, "head": {"type": "integer"}},
			"required": ["path"]
		}
	}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c, err := call.DecodeParams([]byte(`{"name": "read_text_file", "arguments": {"pth": "notes.txt", "head": "10"}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c.Resolve(call.NewCatalog([]*call.Tool{tool}))

	gate, err := toolvet.New()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(gate.Judge(context.Background(), c, toolvet.PointValidate))
	// Output:
	// no-go
	//  - /head: expected integer [input-schema]
	//  - /path: required property is missing; expected string [input-schema]
	//  - /pth: the tool does not declare this property, and may ignore it; declared: "path" and "head" [unknown-argument]
}

// What a tool's arguments must be stands next to the tool.
func ExampleWithTool() {
	gate, err := toolvet.New(
		toolvet.WithTool("save_note",
			toolvet.Argument("path", toolvet.Require(path.Demand, func(o *path.Options) {
				o.Within, o.Extensions = []string{"/srv/notes"}, []string{".md"}
			})),
			toolvet.Argument("/tags/*", toolvet.Require(text.Demand, func(o *text.Options) { o.MaxLength = 20 })),
		))
	if err != nil {
		log.Fatal(err)
	}

	tool, err := call.DecodeTool([]byte(`{"name": "save_note", "inputSchema": {"properties": {"path": {}, "tags": {}}}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c, err := call.DecodeParams([]byte(`{"name": "save_note", "arguments": {"path": "/srv/notes/../../etc/cron.d/x", "tags": ["a"]}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c.Resolve(call.NewCatalog([]*call.Tool{tool}))
	fmt.Println(gate.Judge(context.Background(), c, toolvet.PointValidate))
	// Output:
	// no-go
	//  - /path: leads out of the allowed directories: allowed is /srv/notes [path]
}

// Of what is wrong with a call, only the beginning is told.
func ExampleWithSchemaLimits() {
	gate, err := toolvet.New(toolvet.WithSchemaLimits(schema.Limits{Violations: 1}))
	if err != nil {
		log.Fatal(err)
	}
	tool, err := call.DecodeTool([]byte(`{"name": "move", "inputSchema": {"properties": {"x": {"type": "number"}, "y": {"type": "number"}, "z": {"type": "number"}}}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c, err := call.DecodeParams([]byte(`{"name": "move", "arguments": {"x": "1", "y": "2", "z": "3"}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c.Resolve(call.NewCatalog([]*call.Tool{tool}))
	fmt.Println(gate.Judge(context.Background(), c, toolvet.PointLibrary))
	// Output:
	// no-go
	//  - /x: expected number [input-schema]
	//  - and 2 more [input-schema]
}
