// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package infer_test

import (
	"fmt"
	"log"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/infer"
)

func ExampleTool() {
	tool, err := call.DecodeTool([]byte(`{
		"name": "import_page",
		"inputSchema": {
			"properties": {
				"source": {"type": "string", "format": "uri"},
				"outputPath": {"type": "string"},
				"title": {"type": "string"}
			}
		}
	}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range infer.Tool(tool) {
		fmt.Printf("%s is a %s: %s\n", g.Address, g.Kind, g.Reason)
	}
	// Output:
	// /outputPath is a path: it is named "outputPath"
	// /source is a url: its format is "uri"
}
