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
				"../../etc/passwd\n":                       true, // a control character in a path
				".\t./.\t./ann/x":                          true, // a URL drops tabs
				"..%2f..%2fann":                            true,
				"．．／ann":                                   true,
				"../a\n../b":                               false, // lines
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

// TestCells holds that data in lists of lists are refused for a secret alone, and that names count there as elsewhere.
func TestCells(t *testing.T) {
	t.Parallel()
	const definition = `{"name":"x","inputSchema":{"type":"object","properties":{"rows":{"type":"array","items":{"type":"array","items":{"type":"string"}}},"paths":{"type":"array","items":{"type":"array","items":{"type":"string"}}}}}}`
	tool, err := call.DecodeTool([]byte(definition), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, "standard", check.World{Base: "/srv/data", Roots: []string{"/srv/data"}}, definition)
	for raw, want := range map[string]bool{
		`{"rows":[["a","/usr/bin/x"],["../b"]]}`:       true,
		`{"rows":[["a"],["b","/home/u/.ssh/id_rsa"]]}`: false,
		`{"paths":[["a.txt"],["/srv/data/b"]]}`:        true,
		`{"paths":[["a.txt"],["../b"]]}`:               false,
	} {
		var arguments map[string]any
		if err := json.Unmarshal([]byte(raw), &arguments); err != nil {
			t.Fatal(err)
		}
		if v := d.gate.Judge(t.Context(), &call.Call{Name: "x", Tool: tool, Arguments: arguments, Raw: []byte(raw)}, toolvet.PointValidate); v.Go != want {
			t.Errorf("%s: go is %t: %v", raw, v.Go, v)
		}
	}
}

// TestNames holds that the name of a thing is no option and leads nowhere, whatever the server's directories are.
func TestNames(t *testing.T) {
	t.Parallel()
	for tool, values := range map[string]map[string]bool{
		`{"name":"git_diff","inputSchema":{"type":"object","properties":{"branch":{"type":"string"}}}}`:                    {"--output=x": true, "-x": true, "x/../main": true, "feature/x": false, "": false},
		`{"name":"git_diff","inputSchema":{"type":"object","properties":{"target":{"type":"string"}}}}`:                    {"--output=x": true, "main..HEAD~1": false},
		`{"name":"aim","inputSchema":{"type":"object","properties":{"target":{"type":"string"}}}}`:                         {"--output=x": false},
		`{"name":"get","inputSchema":{"type":"object","properties":{"userId":{"type":"string"}}}}`:                         {"../admin": true, "..%2fadmin": true, "a/b": false, "-NxQ": false, "..": true},
		`{"name":"get","inputSchema":{"type":"object","properties":{"bucketName":{"type":"string"}}}}`:                     {"a/../b": true, "my.bucket-1": false},
		`{"name":"get","inputSchema":{"type":"object","properties":{"owner":{"type":"string"},"repo":{"type":"string"}}}}`: {"../../ann/x": true, ".\t./.\t./ann/x": true, "%2e%2e/ann": true, ".github": false, "octo.github.io": false},
		`{"name":"get","inputSchema":{"type":"object","properties":{"repo":{"type":"string"}}}}`:                           {"../other": false, "https://example.org/a/../b": false},
	} {
		definition, err := call.DecodeTool([]byte(tool), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(definition.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		d := open(t, "standard", check.World{}, tool)
		for value, bad := range values {
			for name := range schema.Properties {
				if name == "owner" {
					continue
				}
				arguments := map[string]any{name: value}
				raw, err := json.Marshal(arguments)
				if err != nil {
					t.Fatal(err)
				}
				v := d.gate.Judge(t.Context(), &call.Call{Name: definition.Name, Tool: definition, Arguments: arguments, Raw: raw}, toolvet.PointValidate)
				if v.Go == bad {
					t.Errorf("%s of %s: %q: go is %t: %v", name, definition.Name, value, v.Go, v)
				}
			}
		}
	}
}
