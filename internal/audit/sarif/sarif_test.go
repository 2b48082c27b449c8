// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sarif_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/class"
	"github.com/toolvet/toolvet/internal/audit/sarif"
	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
)

const code = `import os
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("demo")

@mcp.tool()
def read(path: str, mode: str) -> str:
    return open(path, mode).read()


@mcp.tool()
def ping(host: str) -> str:
    os.system("ping -c 1 " + host)
    a, b = "😀", helper(host)
`

// server is a directory with code, and the knowledge of it.
func server(t testing.TB) sarif.Server {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.py": code, "helper file.py": "import x\nget(url)\nget(one)\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return sarif.Server{
		Code: root, Prefix: "server",
		Tools: []source.Tool{
			{Name: "ping", Params: []string{"/host"}, Handler: audit.Place{File: "main.py", Line: 12}, End: 14},
			{Name: "read", Params: []string{"/mode", "/path"}, Handler: audit.Place{File: "main.py", Line: 7}, End: 8},
		},
		Facts: []audit.Fact{{Cell: audit.Cell{Tool: "fetch", Param: "/url", Class: audit.URL}, Method: audit.Static, Verdict: audit.Guarded, Flow: []audit.Place{{File: "helper file.py", Line: 3}}}},
	}
}

// inShort is a suspicion in a line.
func inShort(f audit.Fact) string {
	s := fmt.Sprintf("%s %s %s by %s", f.Cell, f.Confidence, f.Kind, f.Engine)
	for _, p := range f.Flow {
		s += " " + p.String()
	}
	return s
}

func suspicions(t *testing.T, raw string, s sarif.Server) (facts, notes []string) {
	t.Helper()
	log, err := sarif.Read([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	list, notes := log.Suspicions(s)
	for _, f := range list {
		if f.Method != audit.Static || f.Verdict != audit.Vulnerable || f.Why == "" {
			t.Errorf("no suspicion: %+v", f)
		}
		facts = append(facts, inShort(f))
	}
	return facts, notes
}

// TestEngines holds what becomes of files in the form of four engines.
func TestEngines(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ facts, notes []string }{
		"codeql": {
			[]string{"path: tool read, parameter path suspected traversal by CodeQL main.py:7:10 main.py:8:17"},
			[]string{"1 result of rules that no class covers: py/unused-import"},
		},
		"semgrep": {
			[]string{
				"command: tool ping, parameter host suspected shell by Semgrep OSS main.py:13:5",
				"url: the server suspected ssrf by Semgrep OSS helper file.py:2:1",
			},
			[]string{"1 result of code of which no tool is known, so about the server: helper file.py"},
		},
		"bandit": {
			[]string{"command: tool ping, parameter host suspected shell by Bandit main.py:13:5"},
			[]string{"1 result at the level of a note, by the engine: B404"},
		},
		"gosec": {[]string{"path: tool read suspected traversal by gosec main.py:8:12"}, nil},
	} {
		raw, err := os.ReadFile(filepath.Join("testdata", name+".sarif"))
		if err != nil {
			t.Fatal(err)
		}
		facts, notes := suspicions(t, string(raw), server(t))
		if diff := cmp.Diff(want.facts, facts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(want.notes, notes); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestForm holds that the files of the tests have the form of SARIF 2.1.0, as the engines' have.
func TestForm(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../render/testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.Compile(raw, schema.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"codeql", "semgrep", "bandit", "gosec"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name+".sarif"))
		if err != nil {
			t.Fatal(err)
		}
		value, err := strictjson.Parse(raw, strictjson.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, err := compiled.Evaluate(value)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range e.Violations {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// of is a file with one result, of a rule.
func of(rule, result string) string {
	return `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "e", "rules": [` + rule + `]}}, "results": [` + result + `]}]}`
}

// at is a result of path traversal at a place.
func at(uri, region string) string {
	return of(`{"id": "r", "properties": {"tags": ["CWE-22"]}}`, `{"ruleId": "r", "locations": [{"physicalLocation": {"artifactLocation": `+uri+`, "region": `+region+`}}]}`)
}

// TestRules holds which rules are of a class.
func TestRules(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		`{"id": "r", "properties": {"tags": ["external/cwe/cwe-078", "external/cwe/cwe-088"]}}`:          "command shell suspected",
		`{"id": "r", "properties": {"tags": ["external/cwe/cwe-088"]}}`:                                  "command option-injection suspected",
		`{"id": "r", "properties": {"tags": ["CWE-89: SQL"]}}`:                                           "command sql metadata",
		`{"id": "r", "properties": {"cwe": ["CWE-95"]}}`:                                                 "command shell suspected",
		`{"id": "r", "properties": {"cwe": "CWE-918"}}`:                                                  "url ssrf suspected",
		`{"id": "r", "properties": {"tags": ["CWE-59"]}}`:                                                "path symlink suspected",
		`{"id": "r", "properties": {"tags": ["CWE-22", "CWE-918"]}}`:                                     "path traversal suspected, url ssrf suspected",
		`{"id": "r", "properties": {"tags": ["CWE-220", "CWE-1022", 22, null]}}`:                         "",
		`{"id": "r", "relationships": [{"target": {"id": "CWE-73", "toolComponent": {"name": "CWE"}}}]}`: "path traversal suspected",
		`{"id": "r", "relationships": [{"target": {"id": "22", "toolComponent": {"name": "OWASP"}}}]}`:   "",
		`{"id": "go/request-forgery"}`:                                                                   "url ssrf suspected",
		`{"id": "js/cross-site-request-forgery"}`:                                                        "",
		`{"id": "csrf"}`:            "",
		`{"id": "js/zipslip"}`:      "path traversal suspected",
		`{"id": "G107"}`:            "url ssrf suspected",
		`{"id": "x.eval-detected"}`: "command shell suspected",
		`{"id": "js/path-injection", "properties": {"tags": ["CWE-79"]}}`: "",
	} {
		id := strings.Split(rule, `"`)[3]
		log, err := sarif.Read([]byte(of(rule, `{"ruleId": "`+id+`"}`)))
		if err != nil {
			t.Errorf("%s: %v", rule, err)
			continue
		}
		facts, notes := log.Suspicions(sarif.Server{})
		var got []string
		for _, f := range facts {
			got = append(got, fmt.Sprintf("%s %s %s", f.Class, f.Kind, f.Confidence))
		}
		if s := strings.Join(got, ", "); s != want || len(notes) == 0 {
			t.Errorf("%s: got %q, want %q; notes %q", rule, s, want, notes)
		}
	}
}

// TestLevels holds that the engine's word for what is no fault is taken, and counted.
func TestLevels(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{"ruleId": "r", "level": "note"}`:                        "level of a note",
		`{"ruleId": "r", "kind": "pass"}`:                         "tell no fault",
		`{"ruleId": "r", "baselineState": "absent"}`:              "gone since",
		`{"ruleId": "r", "kind": "open"}`:                         "",
		`{"ruleId": "r"}`:                                         "",
		`{"ruleId": "r", "suppressions": [{"kind": "inSource"}]}`: "", // the server's own claim
	} {
		facts, notes := suspicions(t, of(`{"id": "r", "properties": {"tags": ["CWE-22"]}}`, result), server(t))
		if (len(facts) == 0) != (want != "") || !strings.Contains(strings.Join(notes, "\n"), want) {
			t.Errorf("%s: got %q, %q", result, facts, notes)
		}
	}
}

// TestPlaces holds what files and regions mean.
func TestPlaces(t *testing.T) {
	t.Parallel()
	s := server(t)
	here := (&url.URL{Scheme: "file", Path: s.Code.Name()}).String()
	read := "path: tool read, parameter path suspected traversal by e main.py:8:17"
	for name, tt := range map[string]struct{ uri, region, fact, note string }{
		"relative":              {`{"uri": "main.py"}`, `{"startLine": 8, "startColumn": 17, "endColumn": 21}`, read, ""},
		"below the current one": {`{"uri": "server/main.py"}`, `{"startLine": 8, "startColumn": 17, "endColumn": 21}`, read, ""},
		"absolute":              {`{"uri": "` + here + `/main.py"}`, `{"startLine": 8, "startColumn": 17, "endColumn": 21}`, read, ""},
		"percent-encoded":       {`{"uri": "helper%20file.py"}`, `{"startLine": 1}`, "path: the server suspected traversal by e helper file.py:1", "no tool is known"},
		"outside":               {`{"uri": "file:///etc/passwd"}`, `{"startLine": 1}`, "", "not in the audited directory: /etc/passwd"},
		"above":                 {`{"uri": "../main.py"}`, `{"startLine": 1}`, "", "not in the audited directory"},
		"encoded, above":        {`{"uri": "%2e%2e/main.py"}`, `{"startLine": 1}`, "", "not in the audited directory"},
		"no such file":          {`{"uri": "gone.py"}`, `{"startLine": 1}`, "", "not in the audited directory: gone.py"},
		"not a file":            {`{"uri": "https://example.org/main.py"}`, `{"startLine": 1}`, "path: the server suspected traversal by e", "without a line"},
		"no file":               {`{}`, `{"startLine": 1}`, "path: the server suspected traversal by e", "without a line"},
		"no region":             {`{"uri": "main.py"}`, `{}`, "path: the server suspected traversal by e", "without a line"},
		"line 0":                {`{"uri": "main.py"}`, `{"startLine": 0}`, "path: the server suspected traversal by e", "without a line"},
		"behind the end":        {`{"uri": "main.py"}`, `{"startLine": 9999999}`, "path: the server suspected traversal by e", "without a line"},
		"column 0":              {`{"uri": "main.py"}`, `{"startLine": 13, "startColumn": 0}`, "path: tool ping, parameter host suspected traversal by e main.py:13", ""},
		"two parameters":        {`{"uri": "main.py"}`, `{"startLine": 8}`, "path: tool read suspected traversal by e main.py:8", ""},
		"behind a wide letter":  {`{"uri": "main.py"}`, `{"startLine": 14, "startColumn": 25, "endColumn": 29}`, "path: tool ping, parameter host suspected traversal by e main.py:14:25", ""},
	} {
		facts, notes := suspicions(t, at(tt.uri, tt.region), s)
		if got := strings.Join(facts, "\n"); got != tt.fact || !strings.Contains(strings.Join(notes, "\n"), tt.note) || (tt.note == "") != (len(notes) == 0) {
			t.Errorf("%s: got %q, %q; want %q, %q", name, got, notes, tt.fact, tt.note)
		}
	}
	// With bases, of another machine, too, and by the index of an artifact.
	for bases, want := range map[string]string{
		`{"R": {"uri": "file:///home/runner/work/x/"}}`:                           "main.py:8:17",
		`{"R": {"uri": "` + here + `/"}}`:                                         "main.py:8:17",
		`{"R": {"uri": "server/", "uriBaseId": "Q"}, "Q": {"uri": "file:///x/"}}`: "main.py:8:17",
		`{"R": {"description": {"text": "not told"}}}`:                            "main.py:8:17",
	} {
		raw := `{"version": "2.1.0", "runs": [{"originalUriBaseIds": ` + bases + `, "artifacts": [{"location": {"uri": "main.py", "uriBaseId": "R"}}], "tool": {"driver": {"name": "e"}},
			"results": [{"ruleId": "path-traversal", "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}, "region": {"startLine": 8, "startColumn": 17, "endColumn": 21}}}]}]}]}`
		if facts, notes := suspicions(t, raw, s); len(facts) != 1 || !strings.HasSuffix(facts[0], want) {
			t.Errorf("%s: got %q, %q", bases, facts, notes)
		}
	}
	// A place that our own readers know, in no handler.
	raw := of(`{"id": "ssrf"}`, `{"ruleId": "ssrf", "locations": [{"physicalLocation": {"artifactLocation": {"uri": "helper%20file.py"}, "region": {"startLine": 3}}}]}`)
	if facts, _ := suspicions(t, raw, s); !slices.Equal(facts, []string{"url: tool fetch, parameter url suspected ssrf by e helper file.py:3"}) {
		t.Errorf("a known place: %q", facts)
	}
}

// TestManyOfOnePlace holds that a cell's suspicions are bounded, and counted.
func TestManyOfOnePlace(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"ruleId": "ssrf-x%d/ssrf"}`, i))
	}
	facts, notes := suspicions(t, of("", strings.Join(list, ",")), server(t))
	if len(facts) != 20 || !strings.Contains(strings.Join(notes, "\n"), "20 results about a place with many others") {
		t.Errorf("%d facts, %q", len(facts), notes)
	}
}

// TestRefused holds that a file at fault is refused, with the place and without its values.
func TestRefused(t *testing.T) {
	t.Parallel()
	circle := `{"version": "2.1.0", "runs": [{"originalUriBaseIds": {"R": {"uri": "secret/", "uriBaseId": "R"}}, "tool": {"driver": {"name": "e"}},
		"results": [{"ruleId": "path-traversal", "locations": [{"physicalLocation": {"artifactLocation": {"uri": "x", "uriBaseId": "R"}}}]}]}]}`
	for raw, want := range map[string]string{
		``:                                   "the file: ",
		`{"version": "2.1.0", "runs": [`:     "at byte",
		`[]`:                                 "the file: is not a JSON object",
		`{"version": "2.0.0", "runs": []}`:   "/version: must be 2.1.0",
		`{"runs": []}`:                       "/version: must be 2.1.0",
		`{"version": "2.1.0"}`:               "/runs: is missing",
		`{"version": "2.1.0", "runs": {}}`:   "/runs: is not a JSON array",
		`{"version": "2.1.0", "runs": [1]}`:  "/runs/0: is not a JSON object",
		`{"version": "2.1.0", "runs": [{}]}`: "/runs/0/tool/driver: is missing",
		of(`{"id": 17}`, ``):                 "/runs/0/tool/driver/rules/0/id: is of another type",
		of(``, `{"ruleId": "r", "ruleId": "secret"}`):          "/runs/0/results/0/ruleId: is given twice",
		of(``, `{"locations": {"secret": 1}}`):                 "/runs/0/results/0/locations: is of another type",
		at(`{"uri": "main.py"}`, `{"startLine": "secret"}`):    "startLine: is of another type",
		at(`{"uri": "main.py"}`, `{"startLine": 1.5}`):         "startLine: is of another type",
		at(`{"uri": "%zzsecret"}`, `{}`):                       "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri: is no URI",
		at(`{"index": 3}`, `{}`):                               "artifactLocation/index: the run has no such artifact",
		circle:                                                 "uri: has more than 16 bases",
		of(``, strings.Repeat(`{},`, 25_000)+`{}`):             "/runs/0/results: has 25001 elements, more than 25000",
		of(``, `{"ruleId": "`+strings.Repeat("x", 5<<20)+`"}`): "/runs/0/results/0: is larger than 4 MiB",
		strings.Repeat(" ", sarif.MaxBytes+1):                  "is larger than 64 MiB",
	} {
		_, err := sarif.Read([]byte(raw))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.80s: got %v, want %q", raw, err, want)
		}
	}
}

// FuzzRead holds that any file is refused or gives suspicions within bounds, twice the same, of documented kinds.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"codeql", "semgrep", "bandit", "gosec"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name+".sarif"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(at(`{"uri": "%2e%2e/x", "uriBaseId": "R"}`, `{"startLine": -1, "startColumn": 99999999999999}`)))
	s := server(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		log, err := sarif.Read(raw)
		if err != nil {
			return
		}
		facts, notes := log.Suspicions(s)
		for _, fact := range facts {
			known := slices.IndexFunc(audit.Classes(), func(c *class.Class) bool { return c.Name == string(fact.Class) && c.Kind(fact.Kind) != nil })
			if known < 0 || fact.Confidence != audit.Suspected && fact.Confidence != audit.Metadata {
				t.Errorf("%+v", fact)
			}
			for _, p := range fact.Flow {
				if !filepath.IsLocal(p.File) || p.Line < 1 || p.Col < 0 {
					t.Errorf("the place %+v is not in the directory", p)
				}
			}
		}
		again, notesAgain := log.Suspicions(s)
		if !cmp.Equal(facts, again) || !cmp.Equal(notes, notesAgain) {
			t.Error("the same file gives other suspicions")
		}
	})
}
