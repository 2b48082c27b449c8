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
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestRules holds that a check with a demand sees what the policy demands, and what is
// inferred only where the policy is silent.
func TestRules(t *testing.T) {
	t.Parallel()
	demand := &check.Demand{Name: "fake", Options: func() any { return new(struct{}) }}
	var seen []check.Target
	looks := &check.Check{Name: "fake", Doc: "# fake\n\nLooks.\n", Stage: check.Semantic, Level: check.RuntimeLevel, Demand: demand,
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
	always := &check.Check{Name: "always", Doc: "# always\n\nLooks.\n", Stage: check.Schema, Level: check.SyntaxLevel, Bounded: bounded.Promised(),
		Run: func(context.Context, *check.Pass) error { return nil }}
	p := &policy.Policy{
		Servers: []*policy.Server{{Name: "files", World: check.World{Base: "/srv"}, Tools: []policy.Tool{
			{Pattern: "read_*", Arguments: []policy.Argument{{Address: "/path", Demands: []policy.Demand{{Kind: demand, Options: "policy"}}}}},
		}}},
		Infer: func(*call.Tool) []policy.Argument {
			return []policy.Argument{
				{Address: "/path", Demands: []policy.Demand{{Kind: demand, Options: "inferred"}}, Inferred: "named"},
				{Address: "/dir", Demands: []policy.Demand{{Kind: demand, Options: "inferred"}}, Inferred: "named"},
			}
		},
	}
	g, err := New(WithChecks(always, looks), WithPolicy(policy.Seal(p)))
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
		{Pointer: "/dir", Value: "d", Options: "inferred"},
	}
	if diff := cmp.Diff(want, seen); diff != "" || v.Go || !(innerGate{g}).Waits(c) {
		t.Errorf("go %v, waits %v, targets (-want +got):\n%s", v.Go, (innerGate{g}).Waits(c), diff)
	}
	if c, v := judge("write", `{"dir":"d"}`); len(seen) != 1 || seen[0].Options != "inferred" || !(innerGate{g}).Waits(c) {
		t.Errorf("a tool that the policy does not speak of: %+v, %v", seen, v)
	}
	if _, v := judge("write", `{"path":null,"dir":["d",7,null,["x"]]}`); len(seen) != 1 || seen[0].Pointer != "/dir/0" {
		t.Errorf("values that are none of what was guessed: %+v, %v", seen, v)
	}
	if c, v := judge("read_file", `{"other":1}`); seen != nil || !v.Go || (innerGate{g}).Waits(c) || len(v.Levels) != 1 {
		t.Errorf("nothing to look at: %+v, %v", seen, v)
	}
}

// TestSeverity holds that a demand's severity is the worst that comes of it, whatever the
// policy says of the check, and that what is an error elsewhere is not told again.
func TestSeverity(t *testing.T) {
	t.Parallel()
	demand := &check.Demand{Name: "fake", Options: func() any { return new(struct{}) }}
	finds := &check.Check{Name: "fake", Doc: "# fake\n\nFinds.\n", Stage: check.Semantic, Level: check.SyntaxLevel, Bounded: bounded.Promised(), Demand: demand,
		Run: func(_ context.Context, pass *check.Pass) error {
			for _, target := range pass.Targets {
				pass.Report(check.Finding{Pointer: target.Pointer, Message: target.Options.(string)})
				if target.Pointer == "/both" {
					pass.Skipf("not looked further")
				}
			}
			return nil
		}}
	severity := check.Error
	g, err := New(WithChecks(finds), WithPolicy(policy.Seal(&policy.Policy{
		Checks: map[string]policy.Check{"fake": {Severity: &severity}},
		Infer: func(*call.Tool) []policy.Argument {
			return []policy.Argument{
				{Address: "/both", Demands: []policy.Demand{
					{Kind: demand, Options: "same"}, {Kind: demand, Options: "same", Severity: check.Warning}, {Kind: demand, Options: "more", Severity: check.Warning},
				}},
				{Address: "/guess", Demands: []policy.Demand{{Kind: demand, Options: "same", Severity: check.Warning}}},
			}
		},
	})))
	if err != nil {
		t.Fatal(err)
	}
	judge := func(arguments map[string]any) Verdict {
		c := &call.Call{Name: "x", Tool: &call.Tool{Name: "x", InputSchema: []byte(`{"type":"object"}`)}, Arguments: arguments}
		return g.Judge(t.Context(), c, PointProxy)
	}
	if v := judge(map[string]any{"guess": json.Number("1")}); !v.Go || len(v.Warnings()) != 1 {
		t.Errorf("a guess: %+v", v)
	}
	v := judge(map[string]any{"both": json.Number("1"), "guess": json.Number("1")})
	var got []string
	for _, f := range v.Findings {
		got = append(got, f.Severity.String()+" "+f.String())
	}
	want := []string{"error /both: same", "warning /both: more", "warning /guess: same"}
	if diff := cmp.Diff(want, got); diff != "" || v.Go || len(v.Skipped) != 1 {
		t.Errorf("go %v, skipped %v, findings (-want +got):\n%s", v.Go, v.Skipped, diff)
	}
}

// TestInferencePanics holds that a broken inference refuses the call.
func TestInferencePanics(t *testing.T) {
	t.Parallel()
	g, err := New(WithPolicy(policy.Seal(&policy.Policy{Infer: func(*call.Tool) []policy.Argument { panic("secret") }})))
	if err != nil {
		t.Fatal(err)
	}
	c := &call.Call{Name: "x", Tool: &call.Tool{Name: "x", InputSchema: []byte(`{"type":"object"}`)}, Arguments: map[string]any{}}
	if v := g.Judge(t.Context(), c, PointProxy); v.Go || len(v.Errors()) != 1 || (innerGate{g}).Waits(c) {
		t.Errorf("verdict: %v", v)
	}
}

// TestTooManyTargets holds that a call with absurdly many values to look at is refused, and
// that a check which only warns only warns.
func TestTooManyTargets(t *testing.T) {
	t.Parallel()
	demand := &check.Demand{Name: "fake", Options: func() any { return new(struct{}) }}
	for _, severity := range []check.Severity{check.Error, check.Warning} {
		looked := 0
		looks := &check.Check{Name: "fake", Doc: "# fake\n\nLooks.\n", Stage: check.Semantic, Level: check.SemanticLevel, Severity: severity, Demand: demand,
			Run: func(_ context.Context, pass *check.Pass) error { looked = len(pass.Targets); return nil }}
		p := &policy.Policy{Infer: func(*call.Tool) []policy.Argument {
			return []policy.Argument{{Address: "/list/*/v", Demands: []policy.Demand{{Kind: demand}}}, {Address: "/more", Demands: []policy.Demand{{Kind: demand}}}}
		}}
		always := &check.Check{Name: "always", Doc: "# always\n\nLooks.\n", Stage: check.Schema, Level: check.SyntaxLevel,
			Run: func(context.Context, *check.Pass) error { return nil }}
		g, err := New(WithChecks(always, looks), WithPolicy(policy.Seal(p)))
		if err != nil {
			t.Fatal(err)
		}
		list := make([]any, maxTargets)
		for i := range list {
			list[i] = map[string]any{"v": "x"}
		}
		c := &call.Call{Name: "x", Tool: &call.Tool{Name: "x", InputSchema: []byte(`{"type":"object"}`)}, Arguments: map[string]any{"list": list}}
		if v := g.Judge(t.Context(), c, PointProxy); !v.Go || looked != maxTargets {
			t.Errorf("%d values: looked at %d, %v", maxTargets, looked, v)
		}
		looked = 0
		c.Arguments["more"] = "x"
		v := g.Judge(t.Context(), c, PointProxy)
		want := `the check "fake" did not run over more than 10000 values, so nothing is known of what it looks for`
		if len(v.Findings) != 1 || v.Findings[0].Message != want || v.Findings[0].Suggestion == "" || looked != 0 || v.Go != (severity == check.Warning) {
			t.Errorf("one more: looked at %d, %v", looked, v)
		}
	}
}
