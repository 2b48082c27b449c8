// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
)

// BenchmarkEvaluate decides about one call by 1 to 10,000 rules: of the tool itself, of all tools of
// the server, and of other tools. Their guards answer for all but one.
func BenchmarkEvaluate(b *testing.B) {
	for _, n := range []int{1, 100, 1000, 10_000} {
		for name, pattern := range map[string]string{"typed": "files:read", "dynamic": "files:*", "other": "files:other%d"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				s := manyRules(b, n, pattern)
				p := s.ForTool("files", readTool(b))
				in := Input{Session: ann, Server: "files", Tool: "read", Args: decode(b, `{"path": "/srv/data/ann/notes.txt"}`), Now: time.Now()}
				b.ReportAllocs()
				for b.Loop() {
					if d := p.Evaluate(b.Context(), in); !d.Allowed {
						b.Fatal(d.Reasons)
					}
				}
			})
		}
	}
}

// BenchmarkUnguarded decides by 1,000 conditions that only CEL can answer.
func BenchmarkUnguarded(b *testing.B) {
	for _, when := range []string{`!args.path.startsWith("/srv/data/")`, `size(args.path) > 1000`, `within(args.path, "/srv/secret") && session.subject != "root"`} {
		b.Run(when, func(b *testing.B) {
			rules := []Rule{{Name: "allow", Effect: Allow}}
			for i := range 1000 {
				rules = append(rules, Rule{Name: fmt.Sprint("deny", i), When: when})
			}
			p := mustCompile(b, rules...).ForTool("files", readTool(b))
			in := Input{Session: ann, Server: "files", Tool: "read", Args: decode(b, `{"path": "/srv/data/ann/notes.txt"}`), Now: time.Now()}
			b.ReportAllocs()
			for b.Loop() {
				if d := p.Evaluate(b.Context(), in); !d.Allowed {
					b.Fatal(d.Reasons)
				}
			}
		})
	}
}

// manyRules are one rule to allow reading, and others to deny something else.
func manyRules(tb testing.TB, n int, pattern string) *Set {
	rules := []Rule{{Name: "allow", Effect: Allow, Tools: []string{"files:read"}, When: `within(args.path, "/srv/data/" + session.subject)`}}
	for i := 1; i < n; i++ {
		p := pattern
		if p == "files:other%d" {
			p = fmt.Sprintf(p, i)
		}
		rules = append(rules, Rule{Name: fmt.Sprint("deny", i), Tools: []string{p},
			When: fmt.Sprintf(`args.path.startsWith("/srv/secret%d/") && session.subject != "root"`, i)})
	}
	return mustCompile(tb, rules...)
}

// BenchmarkForTool makes the program of a tool: from memory, and anew.
func BenchmarkForTool(b *testing.B) {
	tool := readTool(b)
	b.Run("known", func(b *testing.B) {
		s := manyRules(b, 1000, "files:other%d")
		for b.Loop() {
			s.ForTool("files", tool)
		}
	})
	for _, pattern := range []string{"files:read", "files:other%d"} {
		b.Run("new/1000/"+pattern, func(b *testing.B) {
			s := manyRules(b, 1000, pattern)
			for b.Loop() {
				s.newProgram(programKey{"files", tool.Name, string(tool.InputSchema), ofTool})
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{1, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				manyRules(b, n, "files:*")
			}
		})
	}
}

var ann = &call.Session{Subject: "ann", Transport: "stdio", Roots: []string{"/home/ann"}, Claims: map[string]any{"role": "reader"}}

func readTool(tb testing.TB) *call.Tool {
	return tool(tb, `{"name": "read", "inputSchema": {"type": "object", "properties": {
		"path": {"type": "string"}, "head": {"type": "integer"}, "tail": {"type": "integer"}}, "required": ["path"]}}`)
}

func tool(tb testing.TB, definition string) *call.Tool {
	tb.Helper()
	t, err := call.DecodeTool([]byte(definition), call.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func decode(tb testing.TB, arguments string) map[string]any {
	tb.Helper()
	args, err := call.DecodeArguments([]byte(arguments), call.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return args
}

func mustCompile(tb testing.TB, rules ...Rule) *Set {
	tb.Helper()
	s, err := Compile(rules, Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
