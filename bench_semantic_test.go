// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/policy"
)

// typical are values as agents send them, with a demand as operators write it.
var typical = []struct {
	check, demand string
	value         any
}{
	{"path", "path: {within: [/srv/data], base: /srv/data, hidden: false}", "reports/2026/october.csv"},
	{"uri", "uri: {}", "note://team/2026/orders"},
	{"url", "url: {schemes: [https], hosts: ['*.example.org']}", "https://api.example.org/v1/orders?week=42&format=csv"},
	{"command", "command: {programs: [git]}", []any{"git", "log", "--oneline", "-n", "20", "--", "checks/command"}},
	{"text", "text: {max_length: 2000}", "The numbers of October are in, and they are better than those of September: 1,204 orders, of which 31 came back. Please tell Grace."},
	{"identifier", "identifier: {kind: git_ref}", "feature/semantic-layer"},
	{"cron", "cron: {timezone: Europe/Vienna}", "*/15 8-18 * * 1-5"},
	{"time", "time: {after: '2026-01-01', timezone_required: true}", "2026-11-30T09:30:00+01:00"},
	{"glob", "glob: {}", "src/**/*_test.{go,ts}"},
	{"regex", "regex: {}", `^[A-Z]{3}-\d{4,6}(\s|$)`},
	{"email", "email: {domains: [example.org]}", "ada.lovelace@example.org"},
	{"nul", "nul: {}", "src/**/*_test.{go,ts}"},
	{"substitution", "substitution: {}", "feature/semantic-layer"},
	{"sql", "sql: {dialect: postgres}", "SELECT id, total FROM orders WHERE day >= '2026-10-01' AND region = 'north' ORDER BY total DESC LIMIT 20"},
	{"json", "json: {type: object}", `{"week": 42, "orders": [1204, 1190], "by": {"name": "Ada"}}`},
}

// BenchmarkSemanticCheck measures what each check that needs no world does with one value.
// "go run ./bench -checks" makes a table of it.
func BenchmarkSemanticCheck(b *testing.B) {
	for _, c := range pure() {
		for _, v := range typical {
			if v.check != c.Name {
				continue
			}
			b.Run(c.Name, func(b *testing.B) {
				p := semanticPolicy(b, "v: {"+v.demand+"}")
				run := new(check.Run).Init(c, &call.Call{}, nil)
				run.Targets = []check.Target{{Pointer: "/v", Value: v.value, Options: p.Servers[0].Tools[0].Arguments[0].Demands[0].Options}}
				b.ReportAllocs()
				for b.Loop() {
					if err := run.Do(b.Context()); err != nil || len(run.Findings) > 0 {
						b.Fatal(err, run.Findings)
					}
				}
			})
		}
	}
}

// pure are the checks of values in the semantic layer that look at nothing but the call.
func pure() []*check.Check {
	var list []*check.Check
	for _, c := range suite.Default() {
		if c.Stage == check.Semantic && c.Level != check.RuntimeLevel && c.Demand != nil {
			list = append(list, c)
		}
	}
	return list
}

// TestTypical holds that every such check is measured.
func TestTypical(t *testing.T) {
	t.Parallel()
	measured := map[string]bool{}
	for _, v := range typical {
		measured[v.check] = true
	}
	for _, c := range pure() {
		if !measured[c.Name] {
			t.Errorf("the check %s is not measured: add a typical value", c.Name)
		}
	}
}

func semanticPolicy(tb testing.TB, arguments string) *policy.Policy {
	tb.Helper()
	text := "version: 1\nservers: {s: {tools: {publish_report: {arguments: {" + arguments + "}}}}}\n"
	p, err := policy.Parse("policy", []byte(text), suite.Demands()...)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

const reportTool = `{"name": "publish_report", "inputSchema": {"type": "object", "properties": {
	"path": {"type": "string"}, "url": {"type": "string"}, "note": {"type": "string"},
	"command": {"type": "array", "items": {"type": "string"}}}, "required": ["path", "url"], "additionalProperties": false}}`

// BenchmarkSemanticCall measures the whole semantic layer on a call with a path, a URL, a text
// and a command, without what asks the world; and, to compare, what else such a call costs.
func BenchmarkSemanticCall(b *testing.B) {
	demands, arguments := "", map[string]any{}
	for _, name := range []string{"path", "url", "command", "note"} {
		for _, v := range typical {
			if v.check == name || name == "note" && v.check == "text" {
				demands += fmt.Sprintf("%s: {%s}, ", name, v.demand)
				arguments[name] = v.value
			}
		}
	}
	raw, err := json.Marshal(map[string]any{"name": "publish_report", "arguments": arguments})
	if err != nil {
		b.Fatal(err)
	}
	c := newCall(b, string(raw), reportTool)
	c.Server = "s"
	var schema []*check.Check
	for _, c := range suite.Default() {
		if c.Stage == check.Schema {
			schema = append(schema, c)
		}
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := call.DecodeParams(raw, call.Limits{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, layer := range []struct {
		name   string
		checks []*check.Check
	}{{"schema", schema}, {"semantic", pure()}} {
		b.Run(layer.name, func(b *testing.B) {
			g := newGate(b, toolvet.WithChecks(layer.checks...), toolvet.WithPolicy(policy.Seal(semanticPolicy(b, demands))), toolvet.WithElsewhere("preset"))
			b.ReportAllocs()
			for b.Loop() {
				if v := g.Judge(b.Context(), c, toolvet.PointProxy); !v.Go || len(v.Findings) > 0 {
					b.Fatal(v)
				}
			}
		})
	}
}
