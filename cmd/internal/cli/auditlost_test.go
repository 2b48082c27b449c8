// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/probe"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
)

// oneTool returns a catalog of one tool.
func oneTool(t *testing.T, text string) *call.Catalog {
	t.Helper()
	tool, err := call.DecodeTool([]byte(text), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return call.NewCatalog([]*call.Tool{tool})
}

// TestLost holds that a lost harmless call is told with the refusal and the key to change, and that a draft leaves out the demands on the form of a
// text that refuse harmless calls, and no others.
func TestLost(t *testing.T) {
	t.Parallel()
	checks := enforce.Checks(suite.Default())
	tools := oneTool(t, `{"name":"git_log","inputSchema":{"type":"object","properties":{
		"since":{"type":"string","format":"date-time"},"path":{"type":"string"},"author":{"type":"object","properties":{"email":{"type":"string"}}}}}}`)
	at := func(param string, c audit.Class) audit.Cell {
		return audit.Cell{Tool: "git_log", Param: param, Class: c}
	}
	since, path, other, ended, works := at("/since", audit.Command), at("/path", audit.Path), at("/x", audit.Path), at("/stdin", audit.Command), at("/works", audit.Path)
	alone := &probe.Result{Catalog: tools, Controls: []audit.Cell{since, path, other, works}}
	behind := &probe.Result{Controls: []audit.Cell{works}, Refused: map[audit.Cell]probe.Refusal{
		since: {Findings: []probe.Finding{{Pointer: "/since", Check: "time"}, {Pointer: "/author/email", Check: "email"}}},
		path:  {Findings: []probe.Finding{{Pointer: "/path/0", Check: "path-state"}, {Pointer: "/path", Check: "no-such-check"}, {Check: "time"}}},
		ended: {Lines: []string{"no"}, Ended: true},
		works: {Findings: []probe.Finding{{Pointer: "/path", Check: "time"}}},
	}}
	d := &drafting{checks: checks, command: []string{"node", "git.js"}, listed: map[string]*call.Catalog{pin.Tools: tools}}
	addresses := func() map[string]bool {
		p, err := policy.Parse("drafted.yaml", d.text(), checks.Demands()...)
		if err != nil {
			t.Fatalf("%v\n%s", err, d.text())
		}
		got := map[string]bool{}
		for _, a := range p.Servers[0].Tools[0].Arguments {
			got[a.Address] = true
		}
		return got
	}
	if diff := cmp.Diff(map[string]bool{"/since": true, "/path": true, "/author/email": true}, addresses()); diff != "" {
		t.Fatal(diff)
	}
	if !d.loosen(alone, behind) || d.loosen(alone, behind) {
		t.Error("the demands on forms are not left out, or twice")
	}
	if diff := cmp.Diff(map[string]bool{"/path": true}, addresses()); diff != "" {
		t.Errorf("%s\n%s", diff, d.text())
	}

	p := &proxied{app: &app{checks: checks}, flags: auditFlags{writePolicy: "p.yaml"}, name: "git", server: d.command}
	lost := []audit.Lost{{Cell: since}, {Cell: path}, {Cell: other}, {Cell: ended}}
	p.explainLost(lost, behind.Refused, true)
	want := [][]string{
		{"in p.yaml, delete time from servers.git.tools.git_log.arguments.since, or loosen its options", `in p.yaml, delete email from servers.git.tools.git_log.arguments."/author/email", or loosen its options`},
		{"in p.yaml, delete path from servers.git.tools.git_log.arguments.path, or loosen its options"},
		{"no demand refused it: under contain, name what it needs in read, write or network.allow (docs/contain.md)"},
		{"none, if the server ends in this call without toolvet, too: call it so; if it does not, name what it needs under contain (docs/contain.md)"},
	}
	for i, one := range lost {
		if diff := cmp.Diff(want[i], one.Change); diff != "" || len(one.Why) == 0 {
			t.Errorf("%s: %q %s", one.Cell, one.Why, diff)
		}
	}
}

// TestDraftWalls holds that a draft's walls show the directory of a server whose harmless calls need it, and let the server write there only if its
// tools do, and the policy lies elsewhere.
func TestDraftWalls(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(base, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	home, _ := os.UserHomeDir()
	read := oneTool(t, `{"name":"t","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}`)
	write := oneTool(t, `{"name":"t","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}`)
	files := []audit.Cell{{Tool: "t", Param: "/path", Class: audit.Path}}
	pages := []audit.Cell{{Tool: "t", Param: "/path", Class: audit.URL}}
	shell := []audit.Weakness{{Cell: audit.Cell{Tool: "t"}, Kinds: []string{"command-by-design"}, Evidence: []audit.Fact{{Proof: &audit.Proof{}}}}}
	program := []audit.Weakness{{Kinds: []string{"code-by-design"}, Evidence: []audit.Fact{{Proof: &audit.Proof{}}}}}
	outside, beside := filepath.Join(base, "p.yaml"), filepath.Join(project, "p.yaml")
	for _, tt := range []struct {
		name, dir, file string
		command         []string
		tools           *call.Catalog
		controls        []audit.Cell
		found           []audit.Weakness
		want, hint      string
	}{
		{"reads", project, beside, nil, read, files, nil, `{read: ["."]}`, `loosen: "." in write`},
		{"writes", project, outside, nil, write, files, nil, `{write: ["."]}`, `tighten: "." in read`},
		{"writes beside the policy", project, beside, nil, write, files, nil, `{read: ["."]}`, `loosen: "." in write`},
		{"no files", project, outside, nil, write, nil, nil, `{}`, "loosen: read: [/srv/data], write: [/srv/data]"},
		{"pages", project, outside, nil, write, pages, nil, `{network: {allow: ["*"]}}`, "tighten: network: {allow: [api.example.com]}; loosen: read"},
		{"commands", project, beside, nil, write, nil, shell, `{read: ["."]}`, "loosen"},
		{"files by commands", project, outside, nil, write, files, shell, `{read: ["."]}`, "loosen"},
		{"code", project, beside, nil, write, nil, program, `{}`, "loosen"},
		{"roots", project, outside, []string{"node", "s.js", "{ROOT}"}, write, files, nil, `{}`, "tighten: write: []"},
		{"home", home, filepath.Join(home, "p.yaml"), nil, write, files, nil, `{write: ["."]}`, "tighten"},
		{"everything", "/", outside, nil, write, files, nil, `{write: ["."]}`, "tighten"},
	} {
		command := tt.command
		if command == nil {
			command = []string{"node", "s.js"}
		}
		p := &proxied{flags: auditFlags{dir: tt.dir, writePolicy: tt.file}, server: command}
		alone := &probe.Result{Catalog: tt.tools, Controls: tt.controls}
		place := p.placeFor(alone, tt.found)
		got := wallsFor(alone, rooted(command), place, nil)
		options, hint, _ := strings.Cut(got, " # ")
		if options != tt.want || !strings.Contains(hint, tt.hint) {
			t.Errorf("%s: got %s", tt.name, got)
		}
		if later := strings.Contains(place.words(), "may run later"); later != strings.HasPrefix(tt.want, `{write: `) {
			t.Errorf("%s: %s", tt.name, place.words())
		}
		if held := strings.Contains(place.words(), "move the policy out"); held != (tt.name == "writes beside the policy") {
			t.Errorf("%s: %s", tt.name, place.words())
		}
	}
}

// TestNewPolicy holds that a draft has a place before an audit starts: its directory is made, and an existing file stays.
func TestNewPolicy(t *testing.T) {
	t.Parallel()
	flags := auditFlags{writePolicy: filepath.Join(t.TempDir(), "settings", "toolvet", "p.yaml")}
	if err := flags.checkNewPolicy(); err != nil {
		t.Fatal(err)
	}
	if err := writePolicy(flags.writePolicy, []byte("version: 1\n"), false); err != nil {
		t.Fatal(err)
	}
	if err := flags.checkNewPolicy(); err == nil || !strings.Contains(err.Error(), "is left as it is") {
		t.Error(err)
	}
	flags.writePolicy = filepath.Join(flags.writePolicy, "p.yaml")
	if err := flags.checkNewPolicy(); err == nil {
		t.Error("a directory below a file is made")
	}
}

// TestDraftUse holds the command with which a draft says to run the server: it works as printed, where the harmless calls of the audit worked.
func TestDraftUse(t *testing.T) {
	t.Parallel()
	tools := oneTool(t, `{"name":"t","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}`)
	pages := oneTool(t, `{"name":"t","inputSchema":{"type":"object","properties":{"url":{"type":"string"}}}}`)
	dir := t.TempDir()
	here, err := filepath.Abs("p.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, walls string
		command     []string
		tools       *call.Catalog
		place       *drawnPlace
		want        []string
		not         string
	}{
		{"a project", "{write: [x]}", []string{"npx", "-y", "git-server"}, tools, &drawnPlace{dir: "/srv/project"},
			[]string{"use it, in the project that the server is for, with\n  toolvet proxy --policy " + here + " --contain -- npx -y git-server\n", "the walls show the directory where this starts"}, "of yours"},
		{"a project with the policy", "{read: [x]}", []string{"npx", "git-server"}, tools, &drawnPlace{dir: "/srv/project", writes: true, held: true},
			[]string{"the server only read there", "--write-policy ~/.config/toolvet/git.yaml"}, "of yours"},
		{"no directory", "{}", []string{"npx", "-y", "a server"}, tools, nil, []string{"use it with\n  toolvet proxy --policy p.yaml --contain -- npx -y 'a server'\n", "name it in the policy under contain"}, "/srv/data"},
		{"a root", "", []string{"npx", "files", "{ROOT}"}, tools, nil, []string{"--policy p.yaml --contain -- npx files /srv/data\n", "in place of /srv/data"}, "{ROOT}"},
		{"a directory", "", []string{"node", "files.js", dir}, tools, nil, []string{"--contain -- node files.js " + dir + "\n"}, "in place"},
		{"hosts, without walls", "", []string{"node", "fetch.js"}, pages, nil, []string{"--policy p.yaml -- node fetch.js\n"}, "--contain"},
		{"hosts and a directory, without walls", "", []string{"node", "fetch.js", dir}, pages, nil, []string{"--policy p.yaml -- node fetch.js"}, "--contain"},
		{"hosts in walls", "{}", []string{"node", "fetch.js"}, pages, nil, []string{"--policy p.yaml --contain -- node fetch.js\n"}, "/srv/data"},
	} {
		p := &proxied{flags: auditFlags{writePolicy: "p.yaml"}, server: tt.command, name: serverName(tt.command), draft: &drafting{walls: tt.walls, place: tt.place, listed: map[string]*call.Catalog{pin.Tools: tt.tools}}}
		where, line, after := p.use()
		got := "use it" + where + " with\n  " + line + "\n" + after
		for _, want := range tt.want {
			if !strings.Contains(got, want) || strings.Contains(got, tt.not) {
				t.Errorf("%s: no %q, or %q, in %s", tt.name, want, tt.not, got)
			}
		}
	}
}
