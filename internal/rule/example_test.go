// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"context"
	"fmt"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/rule"
)

// Ann may read below her own directory, and nobody else may.
func Example() {
	set, err := rule.Compile([]rule.Rule{{
		Name: "readers-read", Effect: rule.Allow, Tools: []string{"files:read"},
		When:    `session.subject in ["ann", "bob"] && within(args.path, "/srv/data/" + session.subject)`,
		Message: "only your own directory",
	}}, rule.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tool := &call.Tool{Name: "read", InputSchema: []byte(`{"properties": {"path": {"type": "string"}}}`)}
	program := set.ForTool("files", tool)
	for _, path := range []string{"/srv/data/ann/notes.txt", "/srv/data/ann/../bob/notes.txt"} {
		d := program.Evaluate(context.Background(), rule.Input{
			Session: &call.Session{Subject: "ann"}, Server: "files", Tool: "read", Args: map[string]any{"path": path},
		})
		fmt.Println(d.Allowed)
		for _, r := range d.Reasons {
			fmt.Println(r.Message)
		}
	}
	// Output:
	// true
	// false
	// the rule "readers-read" does not allow the call: only your own directory
}

// A misspelt argument is found when the rule meets the tool.
func ExampleProgram_Errors() {
	set, err := rule.Compile([]rule.Rule{{Name: "small", Effect: rule.Allow, Tools: []string{"files:read"}, When: `args.haed <= 100`}}, rule.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tool := &call.Tool{Name: "read", InputSchema: []byte(`{"properties": {"head": {"type": "integer"}}}`)}
	fmt.Println(set.ForTool("files", tool).Errors())
	// Output:
	// rule "small": when:1:5: undefined field 'haed': did you mean "head"?
	//  | args.haed <= 100
	//  | ....^
}
