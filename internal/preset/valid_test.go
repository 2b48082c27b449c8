// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/test/corpora"
)

type realSchema struct {
	ID     string
	Tools  []string
	Schema json.RawMessage
}

type realCase struct {
	Schema    string
	Arguments json.RawMessage
	Valid     bool
}

// TestValidCalls runs the calls of real tools that are valid by their schemas through standard.
// Their values are made up, and most do not fit their arguments: no guessed demand may refuse a
// call that nobody would call an attack. Where the server's directories are known, a path is held
// to them.
func TestValidCalls(t *testing.T) {
	t.Parallel()
	tools := map[string]*call.Tool{}
	for _, s := range corpora.Read[realSchema](t, "schemas") {
		_, name, _ := strings.Cut(s.Tools[0], "#")
		tools[s.ID] = &call.Tool{Name: name, InputSchema: s.Schema}
	}
	cases := corpora.Read[realCase](t, "schema_cases")
	for name, tt := range map[string]struct {
		world     check.World
		explained map[string]int // what is refused on purpose, and how often
	}{
		"roots unknown": {check.World{}, map[string]int{}},
		"roots known": {check.World{Base: "/workspace", Roots: []string{"/workspace"}}, map[string]int{
			"path: is a URL; a path is wanted":                                  124,
			"path: leads out of the allowed directories: allowed is /workspace": 8,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules := slices.DeleteFunc(suite.Default(), func(c *check.Check) bool { return c.Demand == nil }) // the schema is not asked again
			d := openWith(t, rules, "standard", tt.world)
			refused, judged := map[string]int{}, 0
			for _, c := range cases {
				arguments, err := call.DecodeArguments(c.Arguments, call.Limits{})
				if !c.Valid || err != nil {
					continue // a schema that is not an object, or can be read in two ways, meets no preset
				}
				judged++
				tool := tools[c.Schema]
				v := d.gate.Judge(t.Context(), &call.Call{Name: tool.Name, Tool: tool, Arguments: arguments, Raw: c.Arguments}, toolvet.PointValidate)
				for _, f := range v.Errors() {
					if f.Foreseen {
						continue // the files are made up: a dry run misses them, and a live call only has a warning
					}
					refused[f.Check+": "+f.Message]++
					t.Logf("%s, %s: %s", c.Schema, tool.Name, f)
				}
			}
			if judged < 15_000 {
				t.Errorf("only %d calls were judged", judged)
			}
			if diff := gocmp.Diff(tt.explained, refused); diff != "" {
				t.Errorf("refused (-explained +refused):\n%s", diff)
			}
		})
	}
}
