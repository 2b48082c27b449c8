// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset_test

import (
	"encoding/json"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// TestLooks holds that a value of an unknown kind is judged by its looks, and a text is not.
func TestLooks(t *testing.T) {
	t.Parallel()
	const definition = `{"name":"x","inputSchema":{"type":"object","properties":{"thing":{"type":"string"},"content":{"type":"string"}}}}`
	tool, err := call.DecodeTool([]byte(definition), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, world := range []check.World{{}, {Base: "/srv/data", Roots: []string{"/srv/data"}}} {
		confined := world.Roots != nil
		for _, preset := range []string{"standard", "strict"} {
			d := open(t, preset, world, definition)
			for value, bad := range map[string]bool{
				"http://169.254.169.254/latest/meta-data/": true,
				"https://example.org/x":                    false,
				"http://localhost:8080/x":                  false,
				"/etc/passwd":                              confined,
				"../../etc/passwd":                         confined,
				"a/%2e%2e/%2e%2e/%2e%2e/etc/passwd":        true, // hides where it leads
				"/srv/data/a.txt":                          false,
				"a/../b.txt":                               false,
				"/help":                                    false,
				"/etc/passwd is a file":                    false,
				"1/2":                                      false,
				"main..feature":                            false,
			} {
				for name, want := range map[string]bool{"thing": bad, "content": false} {
					arguments := map[string]any{name: value}
					raw, err := json.Marshal(arguments)
					if err != nil {
						t.Fatal(err)
					}
					v := d.gate.Judge(t.Context(), &call.Call{Name: "x", Tool: tool, Arguments: arguments, Raw: raw}, toolvet.PointValidate)
					if v.Go == want {
						t.Errorf("%s, confined %t: %s %q: go is %t: %v", preset, confined, name, value, v.Go, v)
					}
				}
			}
		}
	}
}
