// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
)

// TestOrdinaryArguments: a call that is made by hand with values that checks cannot read is refused, whatever the checks
// and the schema say; the same values through NewCall are judged.
func TestOrdinaryArguments(t *testing.T) {
	t.Parallel()
	tool, err := call.DecodeTool([]byte(`{"name": "read", "inputSchema": {"type": "object"}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	blind := &check.Check{Name: "blind", Doc: "# blind\n\nFinds nothing.\n", Stage: check.Schema, Level: check.SyntaxLevel, Run: fine}
	for name, option := range map[string]toolvet.Option{
		"own check": toolvet.WithChecks(blind),
		"paths":     toolvet.WithTool("read", toolvet.Argument("paths", toolvet.Require(path.Demand, func(o *path.Options) { o.Within = []string{"/srv"} }))),
	} {
		gate, err := toolvet.New(option)
		if err != nil {
			t.Fatal(err)
		}
		cycle := map[string]any{}
		cycle["again"] = cycle
		for kind, arguments := range map[string]map[string]any{
			"a []string": {"paths": []string{"../../etc/passwd"}},
			"a float64":  {"n": []any{map[string]any{"n": 1.5}}},
			"a int":      {"n": 1},
			"too deep":   cycle,
		} {
			c := &call.Call{Name: "read", Tool: tool, Arguments: arguments, Raw: json.RawMessage("{}")}
			if v := gate.Judge(t.Context(), c, toolvet.PointLibrary); v.Go || !strings.Contains(v.String(), kind) {
				t.Errorf("%s: %s by hand: %v", name, kind, v)
			}
		}
		c := &call.Call{Name: "read", Tool: tool, Arguments: map[string]any{}, Inputs: cycle, Raw: json.RawMessage("{}")}
		if v := gate.Judge(t.Context(), c, toolvet.PointLibrary); v.Go {
			t.Errorf("%s: endless inputs: %v", name, v)
		}
		if c, err = call.NewCall(tool, map[string]any{"n": 1, "x": []float64{1.5}}); err != nil {
			t.Fatal(err)
		}
		if v := gate.Judge(t.Context(), c, toolvet.PointLibrary); !v.Go {
			t.Errorf("%s: NewCall: %v", name, v)
		}
	}
}

func TestNilOption(t *testing.T) {
	t.Parallel()
	if g, err := toolvet.New(toolvet.WithTimeout(0), nil); g != nil || err == nil {
		t.Errorf("New returns %v, %v", g, err)
	}
}
