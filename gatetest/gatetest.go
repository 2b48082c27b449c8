// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package gatetest helps to test a gate: which calls it lets pass, which it refuses, and whether each of its
// demands, rules and limits matches a tool.
//
//	func TestPolicy(t *testing.T) {
//		file, err := policyfile.Open("toolvet.yaml", policyfile.Options{})
//		...
//		tools := gatetest.Tools(t, listed) // a saved result of tools/list
//		gatetest.Matched(t, file, tools)
//		gatetest.Go(t, file, tools, "read_file", map[string]any{"path": "notes.md"})
//		gatetest.NoGo(t, file, tools, "read_file", map[string]any{"path": "../../etc/passwd"}, "[path]")
//	}
package gatetest

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/inside"
)

// Tools reads the tools in a result of tools/list. A definition that cannot be read fails the test.
func Tools(t testing.TB, listed []byte) *call.Catalog {
	t.Helper()
	tools, next, faults, err := call.DecodeTools(listed, call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
	if next != "" {
		t.Error("the list of tools has further pages")
	}
	return call.NewCatalog(tools)
}

// Matched reports each demand, rule and limit that none of the tools answers to; see [toolvet.Gate.Unmatched].
func Matched(t testing.TB, source toolvet.Source, tools *call.Catalog) {
	t.Helper()
	for _, problem := range source.Current().Unmatched(tools) {
		t.Error(problem)
	}
}

// Go fails the test if the gate refuses a call. Arguments are as for [call.NewCall]. The call does not count
// against limits.
func Go(t testing.TB, source toolvet.Source, tools *call.Catalog, tool string, arguments any) {
	t.Helper()
	if v := judge(t, source, tools, tool, arguments); !v.Go {
		t.Errorf("%s: %v", tool, v)
	}
}

// NoGo fails the test unless the gate refuses a call for a reason that contains want, which is not empty. Reasons are
// those of [toolvet.Verdict.String].
func NoGo(t testing.TB, source toolvet.Source, tools *call.Catalog, tool string, arguments any, want string) {
	t.Helper()
	if want == "" {
		t.Errorf("%s: want is empty, so a refusal for any reason would do, such as that of a misspelt tool", tool)
	}
	if v := judge(t, source, tools, tool, arguments); v.Go || !strings.Contains(v.String(), want) {
		t.Errorf("%s: want a no-go with %q, got %v", tool, want, v)
	}
}

func judge(t testing.TB, source toolvet.Source, tools *call.Catalog, tool string, arguments any) toolvet.Verdict {
	t.Helper()
	definition := tools.Tool(tool)
	if definition == nil {
		definition = &call.Tool{Name: tool} // the Gate says what it misses
	}
	c, err := call.NewCall(definition, arguments)
	if err != nil {
		t.Fatal(err)
	}
	c.Resolve(tools)
	g := source.Current()
	who := inside.Of(g).Caller()
	c.Session = &who
	return g.Judge(t.Context(), c, toolvet.PointValidate)
}
