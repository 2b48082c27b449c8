// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"log"
	"os"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/render"
)

func ExampleText() {
	report := audit.New(audit.Input{
		Target: audit.Target{Name: "./server", Methods: []audit.Method{audit.Static}},
		Tools:  []string{"read_file"},
		Facts: []audit.Fact{{
			Cell:   audit.Cell{Tool: "read_file", Param: "/path", Class: audit.Path},
			Method: audit.Static, Verdict: audit.Vulnerable, Confidence: audit.Traced,
			Kind: "traversal", Why: "path reaches open", Flow: []audit.Place{{File: "server.py", Line: 12, Note: "passed to open"}},
		}},
	})
	if err := render.Text(os.Stdout, report); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ./server: grade C?, 85 of 100 (at most C: a weakness of high severity is proven or traced); 50% of 2 relevant places assessed
	//    -15  path: missing: path-traversal guard on tools that touch files (1 weakness)
	//
	// high (traced)  path: tool read_file, parameter path  [dc980878e964]
	//   Path reaches open.
	//   kind:   audit/path/traversal
	//   code:   server.py:12  passed to open
	//   fix:    real = Path(root, value).resolve(); refuse it unless real.is_relative_to(Path(root).resolve()); open real, not value
	//
	// 'toolvet explain KIND' says what a kind means, and how to mend it in each language.
	//
	// Not known (1)
	//   output: tool read_file: skipped: only the running server shows what the tool passes on: let the audit start it
}
