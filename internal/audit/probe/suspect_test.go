// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/audit"
)

// TestSuspect holds that suspected parameters are tried, in the place of others if there are too many, and first.
func TestSuspect(t *testing.T) {
	t.Parallel()
	var properties []string
	for i := range maxParameters + 5 {
		properties = append(properties, fmt.Sprintf(`"p%02d": {"type": "string"}`, i))
	}
	parsed, err := call.DecodeTool([]byte(`{"name": "x", "inputSchema": {"type": "object", "properties": {`+strings.Join(properties, ",")+`}}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	one := func(param string, c audit.Class) audit.Cell { return audit.Cell{Tool: "x", Param: param, Class: c} }
	for name, tt := range map[string]struct {
		cells []audit.Cell
		want  string // what is tried first, with its classes, and how many parameters are left out
	}{
		"none":         {nil, "5 left out"},
		"one":          {[]audit.Cell{one("/p07", audit.Path), one("/p07", audit.URL), one("/p07", audit.Path)}, "/p07 [path url], 5 left out"},
		"too many":     {[]audit.Cell{one("/p43", audit.Command), one("/p39", audit.Path)}, "/p43 [command], /p39 [path], 5 left out"},
		"another tool": {[]audit.Cell{{Tool: "y", Param: "/p07", Class: audit.Path}, {Class: audit.Path}}, "5 left out"},
	} {
		u := understand(parsed)
		u.suspect(tt.cells)
		u.suspect(tt.cells) // once more, as after a discovery
		list := inOrder(u.units())
		var got []string
		for _, p := range u.parameters {
			if len(p.suspected) > 0 {
				got = append(got, fmt.Sprintf("%s %v", p.pointer, p.suspected))
			}
		}
		for i, unit := range list {
			if first := unit.rank == suspected; first != (i < len(got)) {
				t.Errorf("%s: the unit %d is suspected: %v", name, i, first)
			}
		}
		got = append(got, fmt.Sprintf("%d left out", len(u.beyond)))
		if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" || len(u.parameters) != maxParameters {
			t.Errorf("%s: %s", name, diff)
		}
	}
	u := understand(parsed)
	if u.suspect([]audit.Cell{{Tool: "x", Class: audit.Path}}); !u.parameters[0].suspects(audit.Path) || !u.parameters[maxParameters-1].suspects(audit.Path) {
		t.Error("a suspicion about a tool is not about all of its parameters")
	}
}
