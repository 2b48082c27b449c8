// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/nulchar"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/regex"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/checks/text"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestWithToolRefuses holds that a demand that would not be looked at is an error.
func TestWithToolRefuses(t *testing.T) {
	t.Parallel()
	exists := func(o *path.Options) { o.Exists = new(true) }
	for name, tt := range map[string]struct {
		options []Option
		want    string // "" for a good one
	}{
		"good":              {[]Option{WithTool("a", Argument("x", Require(path.Demand, exists)))}, ""},
		"no kind":           {[]Option{WithTool("a", Argument("x", Require(nil, exists)))}, `the tool "a", argument "/x": a demand without a kind`},
		"another's options": {[]Option{WithTool("a", Argument("x", Require(text.Demand, exists)))}, `the options are not those of the demand "text"`},
		"no options":        {[]Option{WithTool("a", Argument("x", Demand{policy.Demand{Kind: path.Demand}}))}, `the options are not those of the demand "path"`},
		"wrong options": {[]Option{WithTool("a", Argument("x", Require(path.Demand, func(o *path.Options) { o.Within = []string{"relative"} })))},
			`the demand "path": within`},
		"no check": {[]Option{WithChecks(suite.Default()[:6]...), WithTool("a", Argument("x", Require(path.Demand, exists)))},
			`no check that runs answers the demand "path"`},
		"check is off": {[]Option{WithPolicy(policy.Seal(&policy.Policy{Checks: map[string]policy.Check{"regex": {Off: true}}})),
			WithTool("a", Argument("x", Require(regex.Demand, func(*regex.Options) {})))}, `no check that runs answers the demand "regex"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := New(tt.options...)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestNUL holds that no argument holds U+0000, whatever its name and with or without a preset, unless
// the policy allows it there.
func TestNUL(t *testing.T) {
	t.Parallel()
	allow := WithTool("a", Argument("data", Require(nulchar.Demand, func(o *nulchar.Options) { o.Allow = true })))
	for name, tt := range map[string]struct {
		arguments map[string]any
		options   []Option
		refused   string // the place
	}{
		"no policy":      {map[string]any{"note": "a\x00"}, nil, "/note"},
		"deep":           {map[string]any{"x": []any{map[string]any{"y": "\x00"}}}, nil, "/x/0/y"},
		"another place":  {map[string]any{"data": "\x00", "note": "a\x00"}, []Option{allow}, "/note"},
		"allowed":        {map[string]any{"data": "\x00"}, []Option{allow}, ""},
		"allowed below":  {map[string]any{"data": map[string]any{"x": "\x00"}}, []Option{allow}, ""},
		"allowed in all": {map[string]any{"note": "\x00"}, []Option{WithPolicy(policy.Seal(&policy.Policy{Checks: map[string]policy.Check{"nul": {Off: true}}}))}, ""},
		"only written":   {map[string]any{"note": `\u0000`}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate, err := New(tt.options...)
			if err != nil {
				t.Fatal(err)
			}
			tool := &call.Tool{Name: "a", InputSchema: []byte(`{"type":"object"}`)}
			v := gate.Judge(t.Context(), &call.Call{Name: "a", Tool: tool, Arguments: tt.arguments}, PointLibrary)
			var places []string
			for _, f := range v.Findings {
				if f.Check == "nul" {
					places = append(places, f.Pointer)
				}
			}
			if v.Go != (tt.refused == "") || strings.Join(places, " ") != tt.refused {
				t.Errorf("go %v, with NUL at %q, want it at %q", v.Go, places, tt.refused)
			}
		})
	}
}

// TestNamedArgument holds that nobody is told to remove an argument that the policy names and the tool's schema does not, while a
// policy that refuses undeclared arguments still does.
func TestNamedArgument(t *testing.T) {
	t.Parallel()
	worst := check.Error
	named := WithTool("a", Argument("path", Require(path.Demand, func(o *path.Options) { o.Within = []string{"/srv"} })))
	strict := WithPolicy(policy.Seal(&policy.Policy{Checks: map[string]policy.Check{"unknown-argument": {Severity: &worst}}}))
	for name, tt := range map[string]struct {
		options []Option
		want    string
	}{
		"none named": {nil, "/note /path"},
		"named":      {[]Option{named}, "/note"},
		"strict":     {[]Option{named, strict}, "/note /path"},
	} {
		gate, err := New(tt.options...)
		if err != nil {
			t.Fatal(err)
		}
		var places []string
		for _, f := range gate.Judge(t.Context(), &call.Call{Name: "a", Tool: &call.Tool{Name: "a", InputSchema: []byte(`{"type":"object"}`)}, Arguments: map[string]any{"path": "/etc/passwd", "note": "x"}}, PointLibrary).Findings {
			if f.Check == "unknown-argument" {
				places = append(places, f.Pointer)
			}
		}
		if got := strings.Join(places, " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
