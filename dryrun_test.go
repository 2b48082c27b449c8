// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
)

func dryCall(t *testing.T, arguments string) *call.Call {
	t.Helper()
	tool, err := call.DecodeTool([]byte(`{"name":"read","inputSchema":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c := &call.Call{Name: "read", Tool: tool, Raw: []byte(arguments)}
	if c.Arguments, err = call.DecodeArguments(c.Raw, call.Limits{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDryRun holds that a dry run that looks at everything finds what Judge finds.
func TestDryRun(t *testing.T) {
	t.Parallel()
	gate, err := toolvet.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, arguments := range []string{`{"path":"a"}`, `{}`, `{"path":7,"Path":"b","n":12345678901234567890123}`} {
		c := dryCall(t, arguments)
		want := gate.Judge(t.Context(), c, toolvet.PointValidate)
		steps := 0
		got, basis := inside.Of(gate).DryRun(t.Context(), c, engine.DryRun{Progress: func(p engine.Progress) {
			if steps++; p.Done != steps || p.Done > p.Total || p.Check == "" {
				t.Errorf("step %d: %+v", steps, p)
			}
		}})
		inside.Of(gate).Peek(t.Context(), c, &got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-judge +dry run):\n%s", arguments, diff)
		}
		if basis.Fleeting() || basis.Runtime || basis.Files() > 0 || steps == 0 {
			t.Errorf("%s: %d steps, basis %+v", arguments, steps, basis)
		}
	}
	unfit := dryCall(t, `{}`)
	unfit.Tool = nil
	if v, _ := inside.Of(gate).DryRun(t.Context(), unfit, engine.DryRun{Levels: []check.Level{check.RuntimeLevel}}); v.Go {
		t.Errorf("an unknown tool: %v", v)
	}
	if v, basis := inside.Of(gate).DryRun(t.Context(), nil, engine.DryRun{}); v.Go || basis == nil {
		t.Errorf("no call: %v", v)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, basis := inside.Of(gate).DryRun(gone, dryCall(t, `{"path":"a"}`), engine.DryRun{}); !basis.Fleeting() {
		t.Error("a dry run that was stopped can be kept")
	}
}

// A check of level runtime and what breaks are told of by the basis.
func TestBasis(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		level    check.Level
		err      error
		levels   []check.Level
		runtime  bool
		fleeting bool
	}{
		"semantic":                    {level: check.SemanticLevel},
		"runtime":                     {level: check.RuntimeLevel, runtime: true},
		"runtime, but not asked for":  {level: check.RuntimeLevel, levels: []check.Level{check.SemanticLevel}},
		"broken":                      {level: check.SemanticLevel, err: errors.New("broken"), fleeting: true},
		"broken, but not asked for":   {level: check.SemanticLevel, err: errors.New("broken"), levels: []check.Level{check.RuntimeLevel}},
		"broken in a look at runtime": {level: check.RuntimeLevel, err: errors.New("broken"), runtime: true, fleeting: true},
	} {
		gate, err := toolvet.New(toolvet.WithMoreChecks(&check.Check{Name: "own", Doc: "# own\n\nA test.\n", Stage: check.Semantic, Level: tt.level,
			Run: func(context.Context, *check.Pass) error { return tt.err }}))
		if err != nil {
			t.Fatal(err)
		}
		_, basis := inside.Of(gate).DryRun(t.Context(), dryCall(t, `{"path":"a"}`), engine.DryRun{Levels: tt.levels})
		if basis.Runtime != tt.runtime || basis.Fleeting() != tt.fleeting {
			t.Errorf("%s: runtime %t, fleeting %t", name, basis.Runtime, basis.Fleeting())
		}
	}
}
