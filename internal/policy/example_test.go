// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"log"

	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/internal/policy"
)

func ExampleParse() {
	p, err := policy.Parse("toolvet.yaml", []byte(`version: 1
checks:
  unknown-argument: {severity: error}
servers:
  files:
    tools:
      "read_*":
        arguments:
          path: {path: {within: [/srv/data]}}
`), path.Demand)
	if err != nil {
		log.Fatal(err)
	}
	argument := p.Server("files").Tools[0].Arguments[0]
	fmt.Println(argument.Address, argument.Demands[0].Kind.Name)
	fmt.Println(*p.Check("unknown-argument").Severity)
	// Output:
	// /path path
	// error
}
