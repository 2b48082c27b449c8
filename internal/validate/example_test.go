// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/validate"
)

// A door answers a call of the validate tool.
func ExampleValidator_Answer() {
	gate, err := toolvet.New()
	if err != nil {
		log.Fatal(err)
	}
	validator, err := validate.New(validate.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer validator.Close()
	tool, err := call.DecodeTool([]byte(`{"name":"read","inputSchema":{"type":"object","required":["path"]}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c, err := call.DecodeParams([]byte(`{"name":"validate","arguments":{"tool":"read","arguments":{},"levels":["syntax"]}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	if !validator.Answers(c.Name, "validate") {
		log.Fatal("the call is the server's")
	}
	answer := validator.Answer(context.Background(), &validate.Request{
		Call: c, Method: "validate", Tools: call.NewCatalog([]*call.Tool{tool}), Gate: gate,
	})
	var result struct {
		StructuredContent struct {
			Valid  bool
			Errors []string
		}
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.StructuredContent.Valid, result.StructuredContent.Errors)
	// Output: false [/path: required property is missing]
}
