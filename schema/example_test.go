// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"errors"
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
	ev, err := s.Evaluate(map[string]any{"pth": "a.txt", "mode": "Read", "limit": 0})
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

func ExampleSchema_Validate() {
	s, err := schema.Compile([]byte(`{
		"type": "object",
		"properties": {"path": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
		"required": ["path"]
	}`), schema.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	type arguments struct {
		Path  string `json:"path"`
		Limit int    `json:"limit"`
	}
	fmt.Println(s.Validate(arguments{Path: "a.txt", Limit: 10}))
	err = s.Validate(arguments{Path: "a.txt"})
	if invalid, ok := errors.AsType[*schema.InvalidError](err); ok {
		fmt.Println(invalid.Violations[0].Pointer, invalid.Violations[0].Message)
	}
	// Output:
	// <nil>
	// /limit expected a number of at least 1
}
