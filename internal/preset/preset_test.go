// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
)

// A door judges calls as a proxy of a server without a policy does.
type door struct {
	gate  *toolvet.Gate
	tools map[string]*call.Tool
}

func open(t testing.TB, name string, world check.World, definitions ...string) *door {
	t.Helper()
	return openWith(t, suite.Default(), name, world, definitions...)
}

func openWith(t testing.TB, checks []*check.Check, name string, world check.World, definitions ...string) *door {
	t.Helper()
	p, err := preset.Apply(name, &policy.Policy{Servers: []*policy.Server{{World: world}}}, checks)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := toolvet.New(toolvet.WithPolicy(policy.Seal(p)), toolvet.WithChecks(checks...))
	if err != nil {
		t.Fatal(err)
	}
	d := &door{gate, map[string]*call.Tool{}}
	for _, definition := range definitions {
		tool, err := call.DecodeTool([]byte(definition), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		d.tools[tool.Name] = tool
	}
	return d
}

func (d *door) judge(t testing.TB, tool string, arguments map[string]any) toolvet.Verdict {
	t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	c := &call.Call{Name: tool, Raw: raw, Tool: d.tools[tool]}
	if c.Arguments, err = call.DecodeArguments(raw, call.Limits{}); err != nil {
		t.Fatal(err)
	}
	return d.gate.Judge(t.Context(), c, toolvet.PointProxy)
}

// definition makes a tool with one parameter, and more as given.
func definition(name, about, parameter, schema string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{%q:%s}}}`, name, about, parameter, schema)
}

const text = `{"type":"string"}`

var tools = []string{
	definition("read_text_file", "Reads a file.", "path", text),
	definition("write_file", "Writes a file.", "path", text),
	definition("read_files", "Reads files.", "paths", `{"type":"array","items":{"type":"string"}}`),
	definition("fetch", "Fetches a page from the web.", "url", text),
	definition("browser_navigate", "Opens a page.", "url", text),
	definition("run", "Executes a shell command.", "command", text),
	definition("query", "Runs an SQL query.", "sql", text),
	definition("checkout", "Checks out a branch.", "branch", text),
	definition("note", "Writes a note.", "content", text),
	definition("mail", "Sends a message.", "email", text),
	definition("plan", "Schedules a job.", "cron_expression", text),
	definition("search", "Searches files.", "regex", text),
	definition("find_files", "Finds files.", "glob", text),
}

// outcome tells a verdict in a few words: go or no-go, and the checks that found something.
func outcome(v toolvet.Verdict) string {
	words := []string{"no-go"}
	if v.Go {
		words[0] = "go"
	}
	for _, f := range v.Findings {
		if !slices.Contains(words[1:], f.Check) {
			words = append(words, f.Check)
		}
	}
	return strings.Join(words, " ")
}

// TestStandard holds the calls that are refused without any configuration, those with a warning,
// and those that pass.
func TestStandard(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	confined := open(t, "standard", check.World{Base: root, Roots: []string{root}}, tools...)
	unknown := open(t, "standard", check.World{}, tools...)
	for _, tt := range []struct {
		door      *door
		tool, key string
		value     any
		want      string
	}{
		{confined, "fetch", "url", "http://169.254.169.254/latest/meta-data/", "no-go url"},
		{confined, "fetch", "url", "http://0xa9fea9fe/", "no-go url"},
		{confined, "fetch", "url", "http://metadata.google.internal/", "no-go url"},
		{confined, "fetch", "url", "169.254.169.254/latest", "no-go url"},
		{confined, "fetch", "url", "file:///etc/passwd", "no-go url"},
		{confined, "fetch", "url", "https://example.org/$(id)", "no-go substitution"},
		{confined, "read_text_file", "path", "../../etc/passwd", "no-go path"},
		{confined, "read_text_file", "path", "/etc/passwd", "no-go path"},
		{confined, "read_files", "paths", []any{"a.txt", "../b"}, "no-go path"},
		{unknown, "read_text_file", "path", "%2e%2e/%2e%2e/etc/passwd", "no-go path"},
		{unknown, "read_text_file", "path", "a\x00.txt", "no-go nul path"},
		{unknown, "write_file", "path", "out-$(id).txt", "no-go path"},
		{unknown, "write_file", "path", "`id`", "no-go path"},
		{unknown, "checkout", "branch", "main$(curl x)", "no-go substitution"},
		{unknown, "checkout", "branch", "main\x00", "no-go nul substitution"},
		{unknown, "run", "command", "ls\x00", "no-go nul command"},
		{unknown, "query", "sql", "SELECT '\x00'", "no-go nul sql"},

		{confined, "fetch", "url", "http://localhost:3000/", "go url"},
		{confined, "fetch", "url", "http://192.168.1.10/", "go url"},
		{unknown, "query", "sql", "DROP TABLE users", "go sql"},
		{unknown, "run", "command", "rm -rf /", "go command"},
		{confined, "read_text_file", "path", "missing.txt", "go path-state"},
		{unknown, "mail", "email", "me", "go email"},
		{unknown, "plan", "cron_expression", "0 0 31 2 *", "go cron"},
		{unknown, "search", "regex", "(a+)+$", "go regex"},
		{unknown, "find_files", "glob", "../**/*.go", "go glob"},

		{confined, "read_text_file", "path", "a.txt", "go"},
		{confined, "write_file", "path", "new/sub/100%25.txt", "go"},
		{unknown, "read_text_file", "path", "/etc/hosts", "go"},
		{unknown, "write_file", "path", "../sibling/$id.tsx", "go"},
		{confined, "fetch", "url", "https://example.org/a?b=$c", "go"},
		{confined, "browser_navigate", "url", "about:blank", "go"},
		{unknown, "run", "command", "for f in *.go; do gofmt -l $(basename $f) | wc -l; done", "go"},
		{unknown, "query", "sql", "SELECT 1", "go"},
		{unknown, "checkout", "branch", "feature/a-b_c", "go"},
		{unknown, "note", "content", "Run `make` and then $(make install).", "go"},
		{unknown, "mail", "email", "me@example.org", "go"},
		{unknown, "plan", "cron_expression", "@daily", "go"},
	} {
		if got := outcome(tt.door.judge(t, tt.tool, map[string]any{tt.key: tt.value})); got != tt.want {
			t.Errorf("%s %q: got %q, want %q", tt.tool, tt.value, got, tt.want)
		}
	}
}

func TestObserve(t *testing.T) {
	t.Parallel()
	d := open(t, "observe", check.World{}, tools...)
	v := d.judge(t, "fetch", map[string]any{"url": "http://169.254.169.254/"})
	if !v.Go || len(v.Findings) == 0 || !v.Findings[0].Observed {
		t.Errorf("a metadata address: go %v, findings %v, want go and an observed one", v.Go, v.Findings)
	}
	if v := d.judge(t, "fetch", map[string]any{"url": 7}); !v.Go || len(v.Findings) == 0 {
		t.Errorf("a wrong type: go %v, findings %v, want go and a finding", v.Go, v.Findings)
	}
}

func TestStrict(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := open(t, "strict", check.World{Base: root, Roots: []string{root}}, append(tools,
		definition("day", "A day.", "day", `{"type":"string","format":"date"}`))...)
	for _, tt := range []struct {
		tool, key, value, want string
	}{
		{"read_text_file", "path", "missing.txt", "no-go path-state"},
		{"write_file", "path", "missing.txt", "go"},
		{"fetch", "url", "http://localhost/", "no-go url"},
		{"query", "sql", "SELECT 1", "go"},
		{"query", "sql", "DELETE FROM a", "no-go sql"},
		{"query", "sql", "SELECT '\x00'", "no-go nul sql"},
		{"run", "command", "ls | wc", "no-go command"},
		{"run", "command", "ls\x00", "no-go nul command"},
		{"note", "contents", "x", "no-go unknown-argument"},
		{"day", "day", "tomorrow", "no-go format"},
		{"checkout", "branch", "`id`", "no-go substitution"},
		{"fetch", "url", "https://example.org/", "go"},
	} {
		if got := outcome(d.judge(t, tt.tool, map[string]any{tt.key: tt.value})); got != tt.want {
			t.Errorf("%s %q: got %q, want %q", tt.tool, tt.value, got, tt.want)
		}
	}
}

// TestApply holds that a policy's own words on a check count before the preset's.
func TestApply(t *testing.T) {
	t.Parallel()
	warning := check.Warning
	own := &policy.Policy{Checks: map[string]policy.Check{"format": {Severity: &warning}, "url": {Off: true}}}
	checks := suite.Default()
	got, err := preset.Apply("strict", own, checks)
	if err != nil {
		t.Fatal(err)
	}
	if *got.Checks["format"].Severity != check.Warning || !got.Checks["url"].Off || *got.Checks["unknown-argument"].Severity != check.Error {
		t.Errorf("strict: %+v", got.Checks)
	}
	if own.Infer != nil || len(own.Checks) != 2 {
		t.Error("the policy was changed")
	}
	if got, err = preset.Apply("observe", own, checks); err != nil || !got.Checks["format"].Observe || !got.Checks["url"].Off {
		t.Errorf("observe: %+v, %v", got.Checks, err)
	}
	for _, name := range preset.Names() {
		if got, err := preset.Apply(name, nil, checks); err != nil || got.Infer == nil || got.Preset != name {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := preset.Apply("lax", nil, nil); err == nil || !strings.Contains(err.Error(), "observe, standard, strict") {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestOneArgumentAnAddress: a Gate takes the first of several.
func TestOneArgumentAnAddress(t *testing.T) {
	t.Parallel()
	d := open(t, "standard", check.World{}, tools...)
	for name, tool := range d.tools {
		for _, infer := range []func(*call.Tool) []policy.Argument{preset.Standard, preset.Strict, preset.Observe} {
			seen := map[string]bool{}
			for _, a := range infer(tool) {
				if seen[a.Address] || a.Inferred == "" || len(a.Demands) == 0 {
					t.Errorf("%s: %+v", name, a)
				}
				seen[a.Address] = true
			}
		}
	}
}

// FuzzInfer holds that no schema breaks the inference.
func FuzzInfer(f *testing.F) {
	for _, schema := range []string{
		`{"properties":{"path":{"type":"string"},"x":{"properties":{"id":{"type":["string","null"]}}}}}`,
		`{"properties":{"ids":{"type":"array","items":{"type":"string"}},"url":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`,
		`{"properties":{"a":true,"b":7,"c":{"type":"string","enum":["x"]}}}`, `{}`, `[]`, ``,
	} {
		f.Add(schema)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		for _, infer := range []func(*call.Tool) []policy.Argument{preset.Standard, preset.Strict} {
			seen := map[string]bool{}
			for _, a := range infer(&call.Tool{Name: "read_x", InputSchema: []byte(schema)}) {
				if seen[a.Address] || !strings.HasPrefix(a.Address, "/") {
					t.Errorf("address %q", a.Address)
				}
				seen[a.Address] = true
			}
		}
	})
}
