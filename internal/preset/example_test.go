// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset_test

import (
	"context"
	"fmt"
	"log"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
)

// Where no policy speaks, the strict preset goes by what parameters seem to hold.
func ExampleApply() {
	p, err := preset.Apply("strict", nil, suite.Default())
	if err != nil {
		log.Fatal(err)
	}
	gate, err := toolvet.New(toolvet.WithPolicy(policy.Seal(p)))
	if err != nil {
		log.Fatal(err)
	}
	tool, err := call.DecodeTool([]byte(`{"name": "notify", "inputSchema": {"properties": {"email": {"type": "string"}, "cron": {"type": "string"}}}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c, err := call.DecodeParams([]byte(`{"name": "notify", "arguments": {"email": "ann.example.org", "cron": "0 25 * * *"}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c.Resolve(call.NewCatalog([]*call.Tool{tool}))
	fmt.Println(gate.Judge(context.Background(), c, toolvet.PointLibrary))
	// Output:
	// no-go
	//  - /email: must be an e-mail address such as name@example.org [email]
	//  - /cron: the field of hours is wrong: allowed are 0-23, lists, ranges and steps [cron]
}
