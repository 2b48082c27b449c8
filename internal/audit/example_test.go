// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"fmt"

	"github.com/toolvet/toolvet/internal/audit"
)

// Facts about the same cell, from the server and from its code, become one weakness.
func ExampleNew() {
	cell := audit.Cell{Tool: "read_file", Param: "/path", Class: audit.Path}
	report := audit.New(audit.Input{
		Target: audit.Target{Name: "./server", Methods: []audit.Method{audit.Dynamic, audit.Static}},
		Tools:  []string{"read_file"},
		Facts: []audit.Fact{
			{
				Cell: cell, Method: audit.Dynamic, Verdict: audit.Vulnerable, Confidence: audit.Proven,
				Kind: "traversal", Why: "a file outside the root was read",
			},
			{
				Cell: cell, Method: audit.Static, Verdict: audit.Vulnerable, Confidence: audit.Traced,
				Kind: "traversal", Why: "path reaches open", Flow: []audit.Place{{File: "server.py", Line: 12}},
			},
		},
	})
	fmt.Println(report.Summary())
	for _, p := range report.Grade.Points {
		fmt.Println(p.Points, p.Why)
	}
	for _, f := range report.Weaknesses {
		fmt.Println(f.Name(), f.Severity, f.Confidence, "both:", f.Both)
	}
	// Output:
	// grade C, 85 of 100 (at most C: a weakness of high severity is proven or traced); 100% of 1 relevant place assessed
	// -15 missing: path-traversal guard on tools that touch files (1 weakness)
	// path: tool read_file, parameter path high proven both: true
}
