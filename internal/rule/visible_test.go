// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/rule"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	allow := func(tools, when string) rule.Rule {
		return rule.Rule{Name: "a", Effect: rule.Allow, Tools: []string{tools}, When: when}
	}
	deny := func(when string) rule.Rule { return rule.Rule{Name: "d", When: when} }
	for name, tt := range map[string]struct {
		rules []rule.Rule
		want  bool
	}{
		"no rules":                    {nil, true},
		"denied":                      {[]rule.Rule{deny("")}, false},
		"denied to another":           {[]rule.Rule{deny(`session.subject == "bob"`)}, true},
		"denied to ann":               {[]rule.Rule{deny(`session.subject == "ann"`)}, false},
		"denied by arguments":         {[]rule.Rule{deny(`args.path == "x"`)}, true},
		"denied before arguments":     {[]rule.Rule{deny(`session.subject == "ann" || args.path == "x"`)}, false},
		"only observed":               {[]rule.Rule{{Name: "d", Observe: true}}, true},
		"allowed":                     {[]rule.Rule{allow("s:read", "")}, true},
		"another tool is allowed":     {[]rule.Rule{allow("s:write", "")}, false},
		"allowed by arguments":        {[]rule.Rule{allow("s:read", `args.path == "x"`)}, true},
		"allowed to another":          {[]rule.Rule{allow("s:read", `session.subject == "bob"`)}, false},
		"not with any arguments":      {[]rule.Rule{allow("s:read", `session.subject == "bob" && args.path == "x"`)}, false},
		"allowed and denied":          {[]rule.Rule{allow("s:read", ""), deny("true")}, false},
		"cannot be evaluated":         {[]rule.Rule{allow("s:read", `session.claims.team == "x"`)}, true},
		"allowed, and denied by time": {[]rule.Rule{allow("s:*", ""), deny(`now < timestamp("2020-01-01T00:00:00Z")`)}, true},
	} {
		set, err := rule.Compile(tt.rules, rule.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tool := &call.Tool{Name: "read", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}
		in := rule.Input{Session: &call.Session{Subject: "ann"}, Server: "s", Tool: "read", Now: time.Unix(1.8e9, 0)}
		if got := set.ForTool("s", tool).Visible(t.Context(), in); got != tt.want {
			t.Errorf("%s: visible %v", name, got)
		}
	}
}
