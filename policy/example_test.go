// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"context"
	"fmt"
	"log"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/policy"
)

// A gate with the demands of a text.
func ExampleParse() {
	p, err := policy.Parse("toolvet.yaml", []byte(`version: 1
preset: none
servers:
  files:
    tools:
      read_*:
        arguments:
          path: {text: {max_length: 12}}
`))
	if err != nil {
		log.Fatal(err)
	}
	gate, err := toolvet.New(toolvet.WithPolicy(p))
	if err != nil {
		log.Fatal(err)
	}
	tool, err := call.DecodeTool([]byte(`{"name": "read_file", "inputSchema": {"properties": {"path": {"type": "string"}}}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c, err := call.NewCall(tool, map[string]any{"path": "the/name/of/a/file"})
	if err != nil {
		log.Fatal(err)
	}
	c.Server = "files"
	fmt.Println(gate.Judge(context.Background(), c, toolvet.PointLibrary))
	// Output:
	// no-go
	//  - /path: must have at most 12 characters [text]
}

// All faults come at once, with their places.
func ExampleFaults() {
	_, err := policy.Parse("toolvet.yaml", []byte(`version: 1
servers:
  files:
    location: far
    tools: {read_file: {arguments: {path: {path: {exist: true}}}}}
`))
	for _, fault := range policy.Faults(err) {
		fmt.Println(fault.Line, fault.Column, fault.Message)
	}
	fmt.Println(err)
	// Output:
	// 4 15 "far" is not allowed here: must be "local" or "remote"
	// 5 51 unknown key "exist": did you mean "exists"?
	// toolvet.yaml:4:15: "far" is not allowed here: must be "local" or "remote"
	//     4 |     location: far
	//       |               ^
	// toolvet.yaml:5:51: unknown key "exist": did you mean "exists"?
	//     5 |     tools: {read_file: {arguments: {path: {path: {exist: true}}}}}
	//       |                                                   ^
}
