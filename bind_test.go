// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/policy"
)

func TestFind(t *testing.T) {
	t.Parallel()
	var arguments any
	if err := json.Unmarshal([]byte(`{"path":"p","Path":"q","paths":["a","b"],"jobs":[{"cwd":"c"},{"cwd":"d","x":1}],"m":{"k/1":"e","k~2":["f"]}}`), &arguments); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		address string
		lists   bool
		want    []string
	}{
		{"/path", false, []string{"/Path=q", "/path=p"}}, // some servers take the one for the other
		{"/paths", false, []string{"/paths/0=a", "/paths/1=b"}},
		{"/paths", true, []string{"/paths=[a b]"}},
		{"/paths/*", false, []string{"/paths/0=a", "/paths/1=b"}},
		{"/paths/1", false, []string{"/paths/1=b"}},
		{"/jobs/*/cwd", false, []string{"/jobs/0/cwd=c", "/jobs/1/cwd=d"}},
		{"/m/*", false, []string{"/m/k~11=e", "/m/k~02/0=f"}},
		{"/m/k~11", false, []string{"/m/k~11=e"}},
		{"/absent", false, nil},
		{"/path/deeper", false, nil},
	} {
		var got []string
		find(arguments, tt.address, "", tt.lists, func(pointer string, v any) { got = append(got, fmt.Sprintf("%s=%v", pointer, v)) })
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("find(%q) (-want +got):\n%s", tt.address, diff)
		}
	}
}

// TestRules holds that a check with a rule sees what the policy demands, and what is
// inferred only where the policy is silent.
func TestRules(t *testing.T) {
	t.Parallel()
	rule := &check.Rule{Name: "fake", Options: func() any { return new(string) }}
	var seen []check.Target
	looks := &check.Check{Name: "fake", Doc: "# fake\n\nLooks.\n", Stage: check.Semantic, Level: check.RuntimeLevel, Rule: rule,
		Run: func(_ context.Context, pass *check.Pass) error {
			seen = pass.Targets
			for _, target := range pass.Targets {
				if pass.World.Base != "/srv" {
					return fmt.Errorf("world: %+v", pass.World)
				}
				pass.Reportf(target.Pointer, "is looked at")
			}
			return nil
		}}
	always := &check.Check{Name: "always", Doc: "# always\n\nLooks.\n", Stage: check.Schema, Level: check.SyntaxLevel, Bounded: true,
		Run: func(context.Context, *check.Pass) error { return nil }}
	p := &policy.Policy{
		Servers: []*policy.Server{{Name: "files", World: check.World{Base: "/srv"}, Tools: []policy.Tool{
			{Pattern: "read_*", Arguments: []policy.Argument{{Address: "/path", Demands: []policy.Demand{{Rule: rule, Options: "policy"}}}}},
		}}},
		Infer: func(*call.Tool) []policy.Argument {
			return []policy.Argument{
				{Address: "/path", Demands: []policy.Demand{{Rule: rule, Options: "inferred"}}, Inferred: "named"},
				{Address: "/dir", Demands: []policy.Demand{{Rule: rule, Options: "inferred"}}, Inferred: "named"},
			}
		},
	}
	g, err := New(WithChecks(always, looks), WithPolicy(p))
	if err != nil {
		t.Fatal(err)
	}
	judge := func(name, arguments string) (*call.Call, Verdict) {
		seen = nil
		c, err := call.DecodeParams(fmt.Appendf(nil, `{"name":%q,"arguments":%s}`, name, arguments), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		c.Server, c.Tool = "files", &call.Tool{Name: name, InputSchema: []byte(`{"type":"object"}`)}
		return c, g.Judge(t.Context(), c, PointValidate)
	}
	c, v := judge("read_file", `{"path":"p","dir":"d"}`)
	want := []check.Target{
		{Pointer: "/path", Value: "p", Options: "policy"},
		{Pointer: "/dir", Value: "d", Options: "inferred", Inferred: "named"},
	}
	if diff := cmp.Diff(want, seen); diff != "" || v.Go || !g.Waits(c) {
		t.Errorf("go %v, waits %v, targets (-want +got):\n%s", v.Go, g.Waits(c), diff)
	}
	if c, v := judge("write", `{"dir":"d"}`); len(seen) != 1 || seen[0].Options != "inferred" || !g.Waits(c) {
		t.Errorf("a tool that the policy does not speak of: %+v, %v", seen, v)
	}
	if c, v := judge("read_file", `{"other":1}`); seen != nil || !v.Go || g.Waits(c) || len(v.Levels) != 1 {
		t.Errorf("nothing to look at: %+v, %v", seen, v)
	}
}

// TestInferencePanics holds that a broken inference refuses the call.
func TestInferencePanics(t *testing.T) {
	t.Parallel()
	g, err := New(WithPolicy(&policy.Policy{Infer: func(*call.Tool) []policy.Argument { panic("secret") }}))
	if err != nil {
		t.Fatal(err)
	}
	c := &call.Call{Name: "x", Tool: &call.Tool{Name: "x", InputSchema: []byte(`{"type":"object"}`)}, Arguments: map[string]any{}}
	if v := g.Judge(t.Context(), c, PointProxy); v.Go || len(v.Errors()) != 1 || g.Waits(c) {
		t.Errorf("verdict: %v", v)
	}
}
