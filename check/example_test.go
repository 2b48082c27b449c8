// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"context"
	"fmt"
	"log"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// A check of one's own, beside those that toolvet has.
func ExampleCheck() {
	officeHours := &check.Check{
		Name:  "office-hours",
		Doc:   "# office-hours\n\nMessages to customers are sent between 8 and 18 o'clock.\n",
		Stage: check.Semantic,
		Level: check.SemanticLevel,
		Run: func(_ context.Context, pass *check.Pass) error {
			hour, ok := pass.Call.Arguments["hour"].(string)
			if ok && (hour < "08" || hour > "18") {
				pass.Reportf("/hour", "must be from 08 to 18")
			}
			return nil
		},
	}
	gate, err := toolvet.New(toolvet.WithMoreChecks(officeHours))
	if err != nil {
		log.Fatal(err)
	}
	tool, err := call.DecodeTool([]byte(`{"name": "send", "inputSchema": {"properties": {"hour": {"type": "string"}}}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c, err := call.DecodeParams([]byte(`{"name": "send", "arguments": {"hour": "23"}}`), call.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	c.Resolve(call.NewCatalog([]*call.Tool{tool}))
	fmt.Println(gate.Judge(context.Background(), c, toolvet.PointLibrary))
	// Output:
	// no-go
	//  - /hour: must be from 08 to 18 [office-hours]
}
