// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolvet/toolvet/call"
)

const testsText = `version: 1
policy: toolvet.yaml
tools:
  files: tools.json
  web: [{name: fetch, inputSchema: {type: object, properties: {n: {maximum: 1.50}}}}]
session: {subject: "${USER}", roots: [/srv/], claims: {team: ops, level: 3}}
runtime: true
cases:
  - name: every kind of value
    call:
      tool: web:fetch
      arguments: {s: "${IFS}\0\u202e", "é<": yes, n: 1.50, big: 123456789012345678901, neg: -0, t: true, z: null, l: [1, [], {}], d: 2026-11-21}
    go: true
  - call: {tool: read_file}
    session: {transport: http, client_address: 192.0.2.1}
    go: false
    check: path
    rule: own
    pointer: ""
    message: |-
      leads
      out
`

func TestParseTests(t *testing.T) {
	t.Setenv("USER", "expanded")
	got, err := ParseTests("t.yaml", []byte(testsText))
	if err != nil {
		t.Fatal(err)
	}
	session := &call.Session{Subject: "${USER}", Roots: []string{"/srv"}, Transport: "stdio",
		Claims: map[string]any{"team": "ops", "level": json.Number("3")}}
	want := &Tests{
		Policy: "toolvet.yaml", Runtime: true,
		Tools: []TestTools{
			{Server: "files", File: "tools.json"},
			{Server: "web", List: json.RawMessage(`[{"name":"fetch","inputSchema":{"type":"object","properties":{"n":{"maximum":1.50}}}}]`)},
		},
		Cases: []Case{
			{Name: "every kind of value", Tool: "web:fetch", Session: session, Want: Want{Go: true}, Line: 9,
				Arguments: json.RawMessage(`{"s":"${IFS}\u0000` + "\u202e" + `","é\u003c":"yes","n":1.50,"big":123456789012345678901,"neg":-0,"t":true,"z":null,"l":[1,[],{}],"d":"2026-11-21"}`)},
			{Name: "read_file", Tool: "read_file", Arguments: json.RawMessage("{}"), Line: 14,
				Session: &call.Session{Transport: "http", ClientAddress: "192.0.2.1"},
				Want:    Want{Check: "path", Rule: "own", Pointer: new(string), Message: "leads\nout"}},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Case{}, "Origin"), cmpopts.IgnoreFields(TestTools{}, "Origin")); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	if err := got.Cases[1].Errorf("rule", 1, 1, "x"); err.Line != 18 || err.Column != 11 {
		t.Errorf("the rule stands in %d:%d", err.Line, err.Column)
	}
	if !got.Cases[0].Want.Anything() || got.Cases[1].Want.Anything() {
		t.Error("Anything is wrong")
	}
}

// TestParseTestsErrors holds the texts of errors, as TestParseErrors does for policies.
func TestParseTestsErrors(t *testing.T) {
	t.Parallel()
	const name = "testdata/tests/errors.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	renewed := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		label, is := strings.CutPrefix(f.Name, "yaml ")
		if !is {
			continue
		}
		tests, err := ParseTests("t.yaml", f.Data)
		if err == nil {
			t.Errorf("%s: accepted as %+v, want errors", label, tests)
			continue
		}
		renewed.Files = append(renewed.Files, f, txtar.File{Name: "want " + label, Data: []byte(err.Error() + "\n")})
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(renewed), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(renewed))); diff != "" || len(renewed.Files) == 0 {
		t.Errorf("go test ./policy -update rewrites (-want +got):\n%s", diff)
	}
}

// FuzzParseTests holds that the calls and tools that ParseTests returns are JSON, that there are
// cases, and that errors have places.
func FuzzParseTests(f *testing.F) {
	f.Add([]byte(testsText))
	archive, err := txtar.ParseFile(filepath.Join("testdata", "tests", "errors.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		if strings.HasPrefix(file.Name, "yaml ") {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tests, err := ParseTests("t.yaml", data)
		if (tests == nil) == (err == nil) {
			t.Fatalf("got %v and the error %v", tests, err)
		}
		if err != nil {
			checkPlaces(t, err, data)
			return
		}
		if len(tests.Cases) == 0 || tests.Policy == "" || len(tests.Tools) == 0 {
			t.Errorf("something is missing: %+v", tests)
		}
		for _, c := range tests.Cases {
			var object map[string]any
			if err := json.Unmarshal(c.Arguments, &object); err != nil && !strings.Contains(err.Error(), "exceeded max depth") || c.Tool == "" || c.Line < 1 {
				t.Errorf("the case %+v: %v", c, err)
			}
		}
		for _, tools := range tests.Tools {
			if (tools.File == "") != json.Valid(tools.List) {
				t.Errorf("tools of %q: %q, %s", tools.Server, tools.File, tools.List)
			}
		}
	})
}
