// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/class"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestDraftProven drafts policies from weaknesses: each proven one of an argument has a demand, whatever its name, and
// other weaknesses have none.
func TestDraftProven(t *testing.T) {
	t.Parallel()
	properties := ""
	for _, name := range []string{"path", "url", "page", "title", "both", "host", "a b", "guessed", "sql", "read", "command", "script", "code"} {
		properties += `,"` + name + `":{"type":"string"}`
	}
	tool, err := call.DecodeTool([]byte(`{"name":"t","inputSchema":{"type":"object","properties":{`+properties[1:]+`}}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	tools := call.NewCatalog([]*call.Tool{tool})
	weakness := func(c audit.Class, param string, sure audit.Confidence, kinds ...string) audit.Weakness {
		return audit.Weakness{Cell: audit.Cell{Tool: "t", Param: param, Class: c}, Kinds: kinds, Confidence: sure, Severity: class.High}
	}
	anything := func(param string) audit.Weakness {
		w := weakness(audit.Command, param, audit.Metadata, "command-by-design")
		w.Severity, w.Evidence = class.Info, []audit.Fact{{Proof: &audit.Proof{}}}
		return w
	}
	program := anything("/code")
	program.Kinds = []string{"code-by-design"}
	checks := enforce.Checks(suite.Default())
	d := &drafting{
		checks: checks, command: []string{"node", "server.js", "{ROOT}"}, listed: map[string]*call.Catalog{pin.Tools: tools}, walls: `{network: {allow: ["*"]}}`,
		worked: []audit.Cell{{Tool: "t", Param: "/page", Class: audit.URL}},
		found: []audit.Weakness{
			weakness(audit.Path, "/path", audit.Proven, "absolute"), weakness(audit.Command, "/path", audit.Proven, "shell"), weakness(audit.URL, "/page", audit.Proven, "ssrf-dns"),
			weakness(audit.Path, "/title", audit.Proven, "dot-dot"), weakness(audit.Path, "/both", audit.Proven, "dot-dot"), weakness(audit.URL, "/both", audit.Proven, "ssrf-private"),
			weakness(audit.Command, "/a b", audit.Proven, "argument-split"), weakness(audit.Path, "/guessed", audit.Suspected, "traversal"), weakness(audit.Output, "", audit.Proven, "invisible", "unbounded", "unhidden-text"),
			weakness(audit.Command, "/sql", audit.Proven, "sql-write"), weakness(audit.Command, "/read", audit.Proven, "sql-write"), anything("/command"), anything("/script"), program,
		},
	}
	p, err := policy.Parse("drafted.yaml", d.text(), checks.Demands()...)
	if err == nil {
		err = p.Validate(checks)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, d.text())
	}
	got := map[string][]string{}
	for _, a := range p.Servers[0].Tools[0].Arguments {
		for _, demand := range a.Demands {
			got[a.Address] = append(got[a.Address], demand.Kind.Name)
		}
		slices.Sort(got[a.Address])
	}
	want := map[string][]string{"/path": {"path", "text"}, "/url": {"url"}, "/page": {"url"}, "/title": {"path"}, "/a b": {"text"}, "/sql": {"sql"}, "/read": {"sql"}, "/command": {"command"}, "/script": {"command"}}
	delete(got, "/host") // of init's own guesses
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, d.text())
	}
	if n := strings.Count(string(d.text()), designedOptions); n != 2 {
		t.Errorf("%d commands are bound to listed programs, not 2:\n%s", n, d.text())
	}
	for _, want := range []string{"any public host passes, as policy lint will say", `hosts: ["*"], resolve: true, bare: true`, "contain alone holds this: keep it", "without contain, commands and code reach", "this stays open: no demand bounds the size of a result", "this stays open: no demand can tell it from visible text", "it passes on characters that nobody sees; a result with such is withheld"} {
		if !strings.Contains(string(d.text()), want) {
			t.Errorf("the draft does not say %q:\n%s", want, d.text())
		}
	}
	if len(p.Servers[0].Tools[0].Output) != 1 || p.Servers[0].Contain == nil || p.Servers[0].Command != nil {
		t.Errorf("got\n%s", d.text())
	}
}

// TestByWalls holds that a place which the demands leave open is said to be guarded by the walls alone.
func TestByWalls(t *testing.T) {
	t.Parallel()
	fact := func(param string, v audit.Verdict) audit.Fact {
		f := audit.Fact{Cell: audit.Cell{Tool: "t", Param: param, Class: audit.Path}, Method: audit.Dynamic, Verdict: v, Why: "seen"}
		if v == audit.Vulnerable {
			f.Confidence, f.Kind = audit.Proven, "absolute"
		}
		return f
	}
	bare := audit.New(audit.Input{Facts: []audit.Fact{fact("/walls", audit.Vulnerable), fact("/demand", audit.Guarded), fact("/open", audit.Vulnerable)}})
	walled := audit.New(audit.Input{Facts: []audit.Fact{fact("/walls", audit.Guarded), fact("/demand", audit.Guarded), fact("/open", audit.Vulnerable)}})
	byWalls(bare, walled)
	got := map[string]bool{}
	for _, a := range walled.Cells {
		got[a.Param] = strings.HasPrefix(a.Why, "guarded by the walls alone: ")
	}
	if diff := cmp.Diff(map[string]bool{"/walls": true, "/demand": false, "/open": false}, got); diff != "" {
		t.Error(diff)
	}
}

// TestPlainText holds which texts pass the demand on texts that become part of a command.
func TestPlainText(t *testing.T) {
	t.Parallel()
	_, quotedPattern, _ := strings.Cut(plainText, "'")
	written, _, _ := strings.Cut(quotedPattern, "'")
	pattern, err := regexp.Compile(strings.ReplaceAll(written, "$$", "$"))
	if err != nil {
		t.Fatal(err)
	}
	for _, good := range []string{"audit", "www.example.com", "feature/login", "/srv/data/a.txt", "größe", "a@b.example", "v1.2-rc1"} {
		if !pattern.MatchString(good) {
			t.Errorf("%q is refused", good)
		}
	}
	for _, bad := range []string{"", "-x", "--upload-pack=x", "a b", "a;b", "a|b", "a&b", "$(a)", "`a`", "a\nb", "a\n", "a'b", `a"b`, `a\b`, "a>b", "a*b", "~a", "a\x00b", "a\u2028b"} {
		if pattern.MatchString(bad) {
			t.Errorf("%q passes", bad)
		}
	}
}
