// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"testing"

	"github.com/toolvet/toolvet"
)

// issueTool declares ten properties, three of them nested.
const issueTool = `{
	"name": "create_issue",
	"inputSchema": {
		"type": "object",
		"properties": {
			"owner": {"type": "string", "minLength": 1},
			"repo": {"type": "string", "minLength": 1},
			"title": {"type": "string", "maxLength": 256},
			"body": {"type": "string"},
			"labels": {"type": "array", "items": {"type": "string"}},
			"priority": {"type": "string", "enum": ["low", "normal", "high"]},
			"due": {"type": "string", "format": "date"},
			"assignee": {"type": "object", "properties": {"login": {"type": "string"}, "notify": {"type": "boolean"}}, "required": ["login"]},
			"estimate": {"type": "object", "properties": {"hours": {"type": "number", "minimum": 0}, "by": {"type": "object", "properties": {"login": {"type": "string"}}}}},
			"checklist": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}, "done": {"type": "boolean"}}, "required": ["text"]}}
		},
		"required": ["owner", "repo", "title"],
		"additionalProperties": false
	}
}`

const issueParams = `{"name": "create_issue", "arguments": {
	"owner": "toolvet", "repo": "toolvet", "title": "The build fails", "body": "It fails on Windows.",
	"labels": ["bug", "windows"], "priority": "high", "due": "2026-11-30",
	"assignee": {"login": "ada", "notify": true},
	"estimate": {"hours": 2.5, "by": {"login": "ada"}},
	"checklist": [{"text": "reproduce", "done": true}, {"text": "mend"}]
}}`

// BenchmarkJudge measures the default suite on a valid call of ten properties, whose
// schema is compiled already.
func BenchmarkJudge(b *testing.B) {
	g := newGate(b)
	c := newCall(b, issueParams, issueTool)
	b.ReportAllocs()
	for b.Loop() {
		if v := g.Judge(b.Context(), c, toolvet.PointProxy); !v.Go || len(v.Findings) > 0 {
			b.Fatal(v)
		}
	}
}
