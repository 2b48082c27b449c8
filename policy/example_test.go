// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"log"

	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/policy"
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

// All errors come at once, with their lines.
func ExampleErrors() {
	_, err := policy.Parse("toolvet.yaml", []byte(`version: 1
servers:
  files:
    location: far
    tools: {read_file: {arguments: {path: {path: {exist: true}}}}}
`), path.Demand)
	fmt.Println(err)
	// Output:
	// toolvet.yaml:4:15: "far" is not allowed here: must be "local" or "remote"
	//     4 |     location: far
	//       |               ^
	// toolvet.yaml:5:51: unknown key "exist": did you mean "exists"?
	//     5 |     tools: {read_file: {arguments: {path: {path: {exist: true}}}}}
	//       |                                                   ^
}
