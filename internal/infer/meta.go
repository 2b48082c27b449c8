// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/toolvet/toolvet/call"
)

// A Meta is a guess that a tool makes calls of other tools, which its arguments describe.
type Meta struct {
	Tool      string // the argument that names the other tool
	Arguments string // the argument that holds its arguments
}

// The usual names, in lower case and without other characters than letters, the likeliest first.
var (
	metaVerbs     = []string{"call", "execute", "exec", "invoke", "run", "use", "dispatch"}
	metaTools     = []string{"toolname", "tool", "toolid", "functionname"}
	metaArguments = []string{"arguments", "args", "toolarguments", "toolargs", "toolinput", "params", "parameters", "toolparams", "input", "kwargs"}
)

// MetaTool guesses whether a tool is a meta-tool, such as call_tool of servers with progressive
// discovery. The shape of its arguments tells, or its name and an argument "name".
func MetaTool(t *call.Tool) (Meta, bool) {
	var schema struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(t.InputSchema, &schema) != nil {
		return Meta{}, false
	}
	find := func(names []string, types ...string) string {
		for _, name := range names {
			var found []string
			for key, p := range schema.Properties {
				var kind string
				_ = json.Unmarshal(p.Type, &kind) // a list of types: any
				if letters(key) == name && (kind == "" || slices.Contains(types, kind)) {
					found = append(found, key)
				}
			}
			if len(found) > 0 {
				return slices.Min(found)
			}
		}
		return ""
	}
	tools := metaTools
	if calls(t.Name) {
		tools = append(slices.Clone(metaTools), "name", "function", "id")
	}
	m := Meta{Tool: find(tools, "string"), Arguments: find(metaArguments, "object", "string")}
	return m, m.Tool != "" && m.Arguments != ""
}

// calls reports whether a tool's name is one as call_tool or executeMcpTool.
func calls(name string) bool {
	name = letters(name)
	return strings.Contains(name, "tool") && slices.ContainsFunc(metaVerbs, func(verb string) bool {
		return strings.HasPrefix(name, verb) || strings.HasSuffix(name, verb)
	})
}

func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
