// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/toolvet/toolvet/schema"
)

func ExampleSchema_Evaluate() {
	s, err := schema.Compile([]byte(`{
		"type": "object",
		"properties": {
			"path": {"type": "string"},
			"mode": {"enum": ["read", "write"]},
			"limit": {"type": "integer", "minimum": 1}
		},
		"required": ["path"]
	}`), schema.DefaultLimits())
	if err != nil {
		log.Fatal(err)
	}
	ev, err := s.Evaluate(map[string]any{"pth": "a.txt", "mode": "Read", "limit": json.Number("0")})
	if err != nil {
		log.Fatal(err) // it could not be judged: refuse
	}
	for _, v := range ev.Violations {
		fmt.Printf("%s: %s\n", v.Pointer, v.Message)
		if v.Suggestion != "" {
			fmt.Printf("  %s\n", v.Suggestion)
		}
	}
	for _, v := range ev.Unknown {
		fmt.Printf("warning: %s: %s\n", v.Pointer, v.Suggestion)
	}
	// Output:
	// /limit: expected a number of at least 1
	// /mode: expected one of "read", "write"
	//   did you mean "read"?
	// /path: required property is missing; expected string
	//   rename "pth" to "path"
	// warning: /pth: rename "pth" to "path"
}
