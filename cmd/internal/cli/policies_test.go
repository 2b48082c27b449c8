// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/test/corpora"
)

const policies = "../../../policy/samples"

// policyNames are the policies that users copy.
func policyNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(policies + "/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".yaml"); !strings.HasSuffix(name, ".test") {
			names = append(names, name)
		}
	}
	if len(names) < 30 {
		t.Fatalf("policies for %v, want at least 30", names)
	}
	return names
}

func loadPolicyTests(t *testing.T, name string) *loadedTests {
	t.Helper()
	a := &app{checks: suite.Default(), stdout: t.Output(), stderr: t.Output()}
	tests, err := a.loadTests(filepath.Join(policies, name+testSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// TestPolicies runs the tests of the policies, and holds that they test them: what is
// refused is refused by the policy and for a reason that is named.
func TestPolicies(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(policies + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range policyNames(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &app{checks: suite.Default(), stdout: t.Output(), stderr: t.Output()}
			tests := loadPolicyTests(t, name)
			if failed, err := a.runTests(t.Context(), tests, false); err != nil || failed > 0 {
				t.Errorf("%d cases failed: %v", failed, err)
			}
			if tests.Policy != name+".yaml" || !strings.Contains(string(readme), "["+name+"]("+name+".yaml)") {
				t.Errorf("the tests are of %s, or the README has no row for it", tests.Policy)
			}
			count := map[bool]int{}
			for _, c := range tests.cases {
				count[c.Want.Go]++
				if !c.Want.Go {
					byPolicy(t, c)
				}
			}
			if count[true] < 3 || count[false] < 3 {
				t.Errorf("%d calls that are permitted and %d that are refused, want 3 of each", count[true], count[false])
			}
		})
	}
}

// TestPoliciesOlder runs the tests of older versions, in files of their own beside those of the newest.
func TestPoliciesOlder(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(policies + "/*-older" + testSuffix)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), "-older"+testSuffix)
		tests := loadPolicyTests(t, name+"-older")
		a := &app{checks: suite.Default(), stdout: t.Output(), stderr: t.Output()}
		if failed, err := a.runTests(t.Context(), tests, false); err != nil || failed > 0 || tests.Policy != name+".yaml" {
			t.Errorf("%s: of %s: %d cases failed: %v", file, tests.Policy, failed, err)
		}
		for _, c := range tests.cases {
			if !c.Want.Go {
				byPolicy(t, c)
			}
		}
	}
}

// TestPlaywrightConfig holds that the file beside the policy, which its command names, turns downloads off.
func TestPlaywrightConfig(t *testing.T) {
	t.Parallel()
	policy, err := os.ReadFile(policies + "/playwright.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(policies + "/playwright.json")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Browser struct {
			ContextOptions struct {
				AcceptDownloads *bool `json:"acceptDownloads"`
			} `json:"contextOptions"`
		} `json:"browser"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	if accept := config.Browser.ContextOptions.AcceptDownloads; accept == nil || *accept || !strings.Contains(string(policy), "--config, /srv/playwright.json]") {
		t.Errorf("the server accepts downloads:\n%s", text)
	}
}

// TestPoliciesLinks holds that links and other spellings of their names lead nowhere, with files that are there.
func TestPoliciesLinks(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]map[string]bool{
		"filesystem": {
			"a.txt": true, "caf\u00e9.txt": true, "new": true, "docs/a": true,
			"link/config": false, "LINK/config": false, "LIN\u212a/config": false, "O\u0308l/config": false, "out/key": false, "o\u0308ut/key": false,
		},
		"git": {
			"a.txt": true, "docs/a": true, "gone": true,
			// directories and patterns, through which older servers walk
			"docs": false, "docs/": false, ".": false, "deep": false, "docs/*.md": false, "*.txt": false, "app/[id]/page": false,
			"link/config": false, "lin?/config": false, "*/config": false, "[l]ink/config": false, "deep/*/config": false, "lin?/": false,
			"out/key": false, "*/key": false,
			// directories that are called like a pattern, for which older servers take a file that is not there
			"deep/lin[k]/config": false, "app/[id]/key": false, "docs/[slug]/gone": false,
		},
	} {
		dir := t.TempDir()
		place := map[string]string{"filesystem": "/srv/data", "git": "/srv/repo"}[name]
		policy, err := os.ReadFile(filepath.Join(policies, name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		root := filepath.Join(dir, "root")
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range []string{"root/.git", "root/docs", "root/app/[id]", "root/docs/[slug]", "root/deep/lin[k]", "out"} {
			must(os.MkdirAll(filepath.Join(dir, d), 0o755))
		}
		for _, f := range []string{"root/a.txt", "root/.git/config", "root/docs/a", "root/app/[id]/page", "out/key"} {
			must(os.WriteFile(filepath.Join(dir, f), nil, 0o644))
		}
		for link, to := range map[string]string{"link": ".git", "LINK": ".git", "\u00d6l": ".git", "deep/link": "../.git", "app/i": "../../out", "out": "../out", "\u00f6ut": "../out"} {
			must(os.Symlink(to, filepath.Join(root, link)))
		}
		must(os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(strings.ReplaceAll(string(policy), place, root)), 0o644))
		type object = map[string]any
		var cases []object
		for path, goes := range want {
			c := object{"tool": "files:write_file", "arguments": object{"path": path, "content": ""}}
			if name == "git" {
				c = object{"tool": "git_add", "arguments": object{"repo_path": root, "files": []string{path}}}
			}
			cases = append(cases, object{"name": path, "call": c, "go": goes})
		}
		text, err := json.Marshal(object{"version": 1, "policy": name + ".yaml", "runtime": true, "cases": cases, "tools": []object{
			{"name": "write_file", "inputSchema": object{"type": "object", "properties": object{"path": object{"type": "string"}, "content": object{"type": "string"}}}},
			{"name": "git_add", "inputSchema": object{"type": "object", "properties": object{"repo_path": object{"type": "string"}, "files": object{"type": "array"}}}},
		}})
		must(err)
		file := filepath.Join(dir, name+testSuffix)
		must(os.WriteFile(file, text, 0o644))
		a := &app{checks: suite.Default(), stdout: t.Output(), stderr: t.Output()}
		tests, err := a.loadTests(file)
		must(err)
		if failed, err := a.runTests(t.Context(), tests, false); err != nil || failed > 0 {
			t.Errorf("%s: %d cases failed: %v", name, failed, err)
		}
	}
}

// TestPoliciesCheckout holds that git switches branches and is not given files, whose changes it would throw away.
func TestPoliciesCheckout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(root, "docs"), 0o755))
	must(os.WriteFile(filepath.Join(root, "docs", "a.md"), nil, 0o644))
	must(os.Symlink("docs", filepath.Join(root, "link")))
	must(os.Symlink("gone", filepath.Join(root, "nowhere")))
	policy, err := os.ReadFile(filepath.Join(policies, "git.yaml"))
	must(err)
	must(os.WriteFile(filepath.Join(dir, "git.yaml"), []byte(strings.ReplaceAll(string(policy), "/srv/repo", root)), 0o644))
	type object = map[string]any
	var cases []object
	for branch, goes := range map[string]bool{
		"main": true, "feature/docs": true, "fix-42": true, "docs/new": true,
		"docs": false, "docs/a.md": false, "link": false, "link/a.md": false,
		// files that a file or a link is in the way of: git removes it
		"docs/a.md/old": false, "link/old.md": false, "nowhere/old.md": false, "nowhere": false,
	} {
		arguments := object{"repo_path": root, "branch_name": branch}
		cases = append(cases, object{"name": branch, "call": object{"tool": "git_checkout", "arguments": arguments}, "go": goes})
		cases = append(cases, object{"name": "create " + branch, "call": object{"tool": "git_create_branch", "arguments": arguments}, "go": true})
	}
	schema := object{"type": "object", "properties": object{"repo_path": object{"type": "string"}, "branch_name": object{"type": "string"}}}
	text, err := json.Marshal(object{"version": 1, "policy": "git.yaml", "runtime": true, "cases": cases, "tools": []object{
		{"name": "git_checkout", "inputSchema": schema}, {"name": "git_create_branch", "inputSchema": schema},
	}})
	must(err)
	file := filepath.Join(dir, "git"+testSuffix)
	must(os.WriteFile(file, text, 0o644))
	a := &app{checks: suite.Default(), stdout: t.Output(), stderr: t.Output()}
	tests, err := a.loadTests(file)
	must(err)
	if failed, err := a.runTests(t.Context(), tests, false); err != nil || failed > 0 {
		t.Errorf("%d cases failed: %v", failed, err)
	}
}

func byPolicy(t *testing.T, c loadedCase) {
	t.Helper()
	v, err := c.gate.judge(t.Context(), c.tools, recordedCall{tool: c.tool, arguments: c.Arguments, session: c.Session, at: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	if c.Want.Anything() || slices.ContainsFunc(v.Errors(), func(f check.Finding) bool { return f.Stage == check.Schema }) {
		t.Errorf("%s: must name the reason, which must not be the tool's schema: %v", c.Name, v)
	}
}

// TestPoliciesLint holds that the policies leave nothing open, and speak of tools and
// arguments that there are.
func TestPoliciesLint(t *testing.T) {
	t.Parallel()
	for _, name := range policyNames(t) {
		tests := loadPolicyTests(t, name)
		l := &linter{known: suite.Default(), policy: tests.policy, tools: map[string]*call.Catalog{}}
		l.checks()
		for _, s := range tests.policy.Servers {
			l.tools[s.Name] = tests.tools[""]
			l.server(s, tests.tools[""])
		}
		l.access()
		for _, misfit := range l.misfits {
			t.Errorf("%s: lint tells: %v", name, misfit)
		}
		if diff := cmp.Diff([]string(nil), l.lines(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: lint tells (-want +got):\n%s", name, diff)
		}
	}
}

// TestPoliciesReal holds that the tools of older versions are called as real servers call them. TestPoliciesVersions knows the others.
func TestPoliciesReal(t *testing.T) {
	t.Parallel()
	real := realTools(t)
	for _, name := range []string{"kubernetes-older", "playwright-older"} { // no list of mcp-server-git is among the corpora
		tests := loadPolicyTests(t, name)
		for _, tool := range tests.tools[""].Names() {
			declared := properties(tests.tools[""].Tool(tool))
			if !slices.Contains(newer, tool) && !slices.ContainsFunc(real[tool], func(has []string) bool { return contains(has, declared) }) {
				t.Errorf("%s: no real server has a tool %s with the arguments %v; there are %v", name, tool, declared, real[tool])
			}
		}
	}
}

// newer are tools of playwright-older with arguments that are newer than those of the corpora, and one that stands for any that is not listed.
var newer = []string{"browser_take_screenshot", "browser_click", "browser_evaluate", "browser_snapshot", "browser_find", "browser_network_request", "browser_network_requests", "new_in_an_update"}

func contains(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// realTools are the arguments that real tools declare, by the tool's name.
func realTools(t *testing.T) map[string][][]string {
	t.Helper()
	real := map[string][][]string{}
	for _, server := range corpora.Read[struct{ Tools json.RawMessage }](t, "mcp_servers") {
		list, err := listResult(server.Tools)
		if err != nil {
			continue
		}
		tools, _, _, err := call.DecodeTools(list, call.Limits{})
		if err != nil {
			continue
		}
		for _, tool := range tools {
			real[tool.Name] = append(real[tool.Name], properties(tool))
		}
	}
	if len(real) < 1000 {
		t.Fatalf("only %d tools", len(real))
	}
	return real
}

// canonicalAttacks are attacks that a demand of each kind refuses, by the name of the corpus with others.
var canonicalAttacks = map[string][]string{
	"paths": {"/etc/passwd", "../../../../etc/passwd"},
	"urls":  {"http://169.254.169.254/latest/meta-data/", "http://127.0.0.1/"},
	"sql":   {"SELECT 1; DROP TABLE users", "COPY users TO PROGRAM 'id'", "CREATE TABLE x (a int)", "INSERT INTO a VALUES (1)", "DELETE FROM a"}, // of a demand that only reads
}

// looksLike reports whether an argument is one of the kind of a corpus. A path is one by its name.
func looksLike(corpus, name string, value any) bool {
	text, _ := value.(string)
	word, _, _ := strings.Cut(strings.ToLower(text), " ")
	switch corpus {
	case "urls":
		return strings.HasPrefix(word, "http:") || strings.HasPrefix(word, "https:")
	case "sql":
		return word == "select" || word == "with"
	}
	return slices.Contains([]string{"path", "paths", "files", "source", "destination", "repo_path", "filename"}, name)
}

var localhost = regexp.MustCompile(`(?i)^https?://(localhost|ｌｏｃａｌｈｏｓｔ)\.?(:\d+)?/?$`)

// onlyPostgres is a second statement that other databases do not see: theirs has # for a comment, and no COPY.
var onlyPostgres = regexp.MustCompile(`#>|;.*\ncopy \(`)

// TestPoliciesAttacked holds that no attack of the corpora passes a ready policy where a demand of its kind stands: each call that
// the policy's tests permit is made again with each attack in the place of each of its texts.
func TestPoliciesAttacked(t *testing.T) {
	t.Parallel()
	type row struct{ Input, Expect, Class, Dialect string }
	attacks := map[string][]row{}
	for corpus := range canonicalAttacks {
		list := slices.DeleteFunc(corpora.Read[row](t, corpus), func(r row) bool { return r.Expect != "reject" || strings.HasPrefix(r.Class, "inj-") })
		for i := 0; i < len(list); i += 1 + len(list)/300 { // of each source and class some
			attacks[corpus] = append(attacks[corpus], list[i])
		}
	}
	tried := map[string]int{}
	for _, name := range policyNames(t) {
		tests := loadPolicyTests(t, name)
		root := ""
		for _, s := range tests.policy.Servers {
			if len(s.World.Roots) > 0 {
				root = s.World.Roots[0]
			}
		}
		permits := func(c loadedCase, arguments map[string]any) bool {
			raw, err := json.Marshal(arguments)
			if err != nil {
				t.Fatal(err)
			}
			v, err := c.gate.judge(t.Context(), c.tools, recordedCall{tool: c.tool, arguments: raw, session: c.Session, at: c.Now})
			if err != nil {
				t.Fatal(err)
			}
			return v.Go
		}
		for _, c := range tests.cases {
			if !c.Want.Go {
				continue
			}
			var arguments map[string]any
			if err := json.Unmarshal(c.Arguments, &arguments); err != nil {
				t.Fatal(err)
			}
			for key, value := range arguments {
				with := func(text string) map[string]any {
					changed := maps.Clone(arguments)
					changed[key] = text
					if _, list := value.([]any); list {
						changed[key] = []any{text}
					}
					return changed
				}
				if _, list := value.([]any); !list {
					if _, text := value.(string); !text {
						continue
					}
				}
				for corpus, canonical := range canonicalAttacks {
					if slices.ContainsFunc(canonical, func(text string) bool { return permits(c, with(text)) }) || !looksLike(corpus, key, value) {
						continue
					}
					for _, r := range attacks[corpus] {
						text := r.Input
						if corpus == "paths" {
							text = strings.ReplaceAll(text, "/workspace", root)
						}
						if localhost.MatchString(text) && permits(c, with("http://localhost/")) {
							continue // the policies of browsers let them open a development server
						}
						if corpus == "sql" && key == "sql" && slices.Contains([]string{"mysql", "supabase"}, name) && r.Dialect == "postgres" && onlyPostgres.MatchString(text) {
							continue // MySQL, and ClickHouse behind Supabase's logs, run one statement of it
						}
						if tried[corpus]++; permits(c, with(text)) {
							t.Errorf("%s: %s, argument %s: passes: %s %q", name, c.Name, key, r.Class, text)
						}
					}
				}
			}
		}
	}
	t.Logf("attacks tried: %v", tried)
	for corpus := range canonicalAttacks {
		if tried[corpus] < 300 {
			t.Errorf("%d attacks of the corpus %s were tried", tried[corpus], corpus)
		}
	}
}
