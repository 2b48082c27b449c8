// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestMisnamed holds that a demand made in code for a tool or an argument that the server does not have
// refuses every call, live and dry.
func TestMisnamed(t *testing.T) {
	t.Parallel()
	tools := call.NewCatalog([]*call.Tool{
		{Name: "read_file", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
		{Name: "query", InputSchema: json.RawMessage(`{"type":"object","allOf":[{"properties":{"sql":{"type":"string"}}}]}`)},
	})
	demand := toolvet.Require(path.Demand, func(*path.Options) {})
	for name, tt := range map[string]struct {
		option toolvet.Option
		want   []string
	}{
		"right":                {toolvet.WithTool("read_file", toolvet.Argument("path", demand)), nil},
		"a tool":               {toolvet.WithTool("raed_file", toolvet.Argument("path", demand)), []string{`WithTool "raed_file": the server has no such tool: did you mean "read_file"?`}},
		"an argument":          {toolvet.WithTool("read_file", toolvet.Argument("pth", demand)), []string{`WithTool "read_file", argument "pth": the tool declares no such argument: did you mean "path"?`}},
		"a place":              {toolvet.WithTool("read_file", toolvet.Argument("/pth/*", demand)), []string{`WithTool "read_file", argument "pth": the tool declares no such argument: did you mean "path"?`}},
		"declared elsewhere":   {toolvet.WithTool("query", toolvet.Argument("file", demand)), nil},
		"every element":        {toolvet.WithTool("read_file", toolvet.Argument("/*", demand)), nil},
		"no argument":          {toolvet.WithTool("read_file"), nil},
		"a pattern that holds": {toolvet.WithTool("read_*", toolvet.Argument("path", demand)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := toolvet.New(tt.option)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, g.Unmatched(tools)); diff != "" {
				t.Errorf("unmatched (-want +got):\n%s", diff)
			}
			c, err := call.DecodeParams([]byte(`{"name":"read_file","arguments":{"path":"a"}}`), call.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			c.Resolve(tools)
			if v := g.Judge(t.Context(), c, toolvet.PointLibrary); v.Go != (tt.want == nil) {
				t.Errorf("live: %v", v)
			}
			if v, _ := inside.Of(g).DryRun(t.Context(), c, engine.DryRun{}); v.Go != (tt.want == nil) {
				t.Errorf("dry: %v", v)
			}
		})
	}
}

// TestUnmatched holds that tests learn of each demand, rule and limit of a policy that no tool answers to.
func TestUnmatched(t *testing.T) {
	t.Parallel()
	tools := call.NewCatalog([]*call.Tool{{Name: "read_file", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}})
	demand := policy.Demand{Kind: path.Demand, Options: new(path.Options)}
	g, err := toolvet.New(toolvet.WithServer("shop"), toolvet.WithTool("wr*"), toolvet.WithInside(engine.Parts{Limiter: brokenLimiter(nil)}), toolvet.WithMoreChecks(idle("rule")), toolvet.WithPolicy(policy.Seal(&policy.Policy{
		Servers: []*policy.Server{{Name: "shop", Tools: []policy.Tool{
			{Pattern: "read_file", Arguments: []policy.Argument{{Address: "/pth", Demands: []policy.Demand{demand}}}}, {Pattern: "mv_*"}}}},
		Rules:  []policy.Rule{{Name: "all"}, {Name: "reads", Tools: []string{"shop:read_*"}}, {Name: "raeds", Tools: []string{"shop:raed_file"}}, {Name: "prompts", Requests: []string{"*:prompts/*"}}},
		Limits: []limit.Limit{{Name: "some", Tools: []string{"*:read_file"}}, {Name: "none", Tools: []string{"other:*"}}},
	})))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`WithTool "wr*": the server has no such tool`,
		`the policy's tool "read_file", argument "pth": the tool declares no such argument: did you mean "path"?`,
		`the policy's tool "mv_*": the server has no such tool`,
		`rule "raeds": no tool matches shop:raed_file: did you mean "read_file"?`,
		`limit "none": no tool matches other:*`,
	}
	if diff := cmp.Diff(want, g.Unmatched(tools)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// idle returns a check that finds nothing.
func idle(name string) *check.Check {
	return &check.Check{Name: name, Doc: "# " + name + "\n\nA test.\n", Stage: check.Policy, Level: check.SecurityLevel, Bounded: bounded.Promised(),
		Run: func(context.Context, *check.Pass) error { return nil }}
}
