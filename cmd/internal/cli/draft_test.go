// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/rule"
)

// TestDraftHints copies what each comment of a draft has a person set into the demand below it. The policy still loads, and a list takes nothing
// away but in a hint to tighten.
func TestDraftHints(t *testing.T) {
	t.Parallel()
	tool, err := call.DecodeTool([]byte(`{"name":"run_query","description":"Runs SQL, and a shell command.","inputSchema":{"type":"object","properties":{
		"path":{"type":"string"},"url":{"type":"string"},"command":{"type":"string"},"sql":{"type":"string"},"glob":{"type":"string"},"cron":{"type":"string"},
		"since":{"type":"string","format":"date-time"},"until":{"type":"string","description":"ISO 8601, such as 2026-01-31"}}}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	checks := enforce.Checks(suite.Default())
	text := string((&drafting{checks: checks, command: []string{"s"}, listed: map[string]*call.Catalog{pin.Tools: call.NewCatalog([]*call.Tool{tool})}}).text())
	option := regexp.MustCompile(`([a-z]+): (\[[^]]*\]|[a-z.]+)`)
	lines, n := strings.Split(text, "\n"), 0
	for i, line := range lines {
		demand := regexp.MustCompile(`^( +[a-z]+: \{[a-z]+: \{)(.*)\}\}$`).FindStringSubmatch(lines[min(i+1, len(lines)-1)])
		for _, hint := range strings.Split(line, "; ") {
			words, set, ok := strings.Cut(hint, "set ")
			if !ok || demand == nil {
				continue
			}
			n++
			options := map[string]string{}
			for _, m := range append(option.FindAllStringSubmatch(demand[2], -1), option.FindAllStringSubmatch(set, -1)...) {
				for _, kept := range strings.Split(strings.Trim(options[m[1]], "[]"), ", ") {
					if kept != "" && m[2][0] == '[' && !strings.Contains(words, "tighten") && !regexp.MustCompile(`\b`+kept+`\b`).MatchString(m[2]) {
						t.Errorf("%q takes %s away", hint, kept)
					}
				}
				options[m[1]] = m[2]
			}
			var all []string
			for name, value := range options {
				all = append(all, name+": "+value)
			}
			changed := strings.Replace(text, demand[0], demand[1]+strings.Join(all, ", ")+"}}", 1)
			p, err := policy.Parse("drafted.yaml", []byte(changed), checks.Demands()...)
			if err == nil {
				err = p.Validate(checks)
			}
			if err != nil {
				t.Errorf("%q: %v", hint, err)
			}
		}
	}
	if n < 8 {
		t.Errorf("%d hints in\n%s", n, text)
	}
	if slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "until: {time") }) || !strings.Contains(text, "# until: no demand") {
		t.Errorf("a time in more forms than one has a demand:\n%s", text)
	}
}

// TestDraftJoins holds what may join commands in a draft: where it lists programs, whatever does, because each command is judged; or else only what
// attackers seldom use.
func TestDraftJoins(t *testing.T) {
	t.Parallel()
	open := judgeOf(t, true, "/workspace", `{"name":"run","description":"Runs a shell command.","inputSchema":{"type":"object","properties":{"command":{"type":"string"}}}}`)
	checks := enforce.Checks(suite.Default())
	p, err := policy.Parse("p.yaml", []byte("version: 1\npreset: none\nservers: {everyday: {tools: {run: {arguments: {command: {command: "+designedOptions+"}}}}}}\n"), checks.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	listed := &everydayGate{tools: open.tools}
	if listed.gate, err = toolvet.New(toolvet.WithPolicy(policy.Seal(p)), toolvet.WithChecks(checks...)); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][2]bool{ // open, listed
		"ls | ls": {true, true}, "ls && pwd": {true, true}, "ls > out.txt": {true, true}, "ls || pwd": {false, true}, "ls; pwd": {false, true}, "ls\npwd": {false, true},
		"ls && id": {true, false}, "ls; id": {false, false}, "ls || id": {false, false}, "ls\nid": {false, false}, "ls | sh": {false, false}, "ls & pwd": {false, false}, "ls $(pwd)": {false, false},
	} {
		for i, gate := range []*everydayGate{open, listed} {
			if v := gate.judge(t, "run", map[string]string{"command": line}); v.Go != want[i] {
				t.Errorf("%q, listed %t: %v", line, i == 1, v.Findings)
			}
		}
	}
}

// TestDraftUntried holds that an audit's draft loads for each name of a server, also one that YAML reads as true, and that what no audit tries is
// refused of the server by any name.
func TestDraftUntried(t *testing.T) {
	t.Parallel()
	checks := enforce.Checks(suite.Default())
	for _, name := range []string{"files", "yes", "on", "a-b"} {
		d := &drafting{checks: checks, command: []string{"npx", "-y", "mcp-server-" + name}, listed: map[string]*call.Catalog{pin.Tools: call.NewCatalog(nil)}, audited: true}
		text := d.text()
		p, err := policy.Parse("p", text, checks.Demands()...)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if p.Servers[0].Name != name {
			t.Errorf("the server is %s, want %s", p.Servers[0].Name, name)
		}
		untried := rule.Rule{Requests: p.Rules[0].Requests}
		for _, method := range call.RequestMethods() {
			tried := strings.HasPrefix(method, "tasks/") || method == "subscriptions/listen" || call.RequestOf(method).Implied
			if got := untried.CoversRequest("another", method); got == tried {
				t.Errorf("%s is refused: %t", method, got)
			}
		}
	}
}
