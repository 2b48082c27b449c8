// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package docstest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/cmd/internal/cli"
)

// remarks are those of lint that documents show or explain: how to loosen a check, what lint finds, policies whose server
// stands behind "--" on the command line.
var remarks = map[string]*regexp.Regexp{
	"checks/outputschema/README.md": regexp.MustCompile("output-schema only warns"),
	"docs/checks.md":                regexp.MustCompile("output-schema only warns"),
	"docs/policies.md":              regexp.MustCompile("limit writes: file:write_"),
	"docs/sessions.md":              regexp.MustCompile("any file: set within"),
}

var (
	yamlBlock   = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")
	shownFile   = regexp.MustCompile(`(?ms)^\$ cat \S+\.yaml\n(.*?)^(?:\$|\x60\x60\x60)`)
	wholePolicy = regexp.MustCompile(`(?m)^version: 1$`)

	// testOfPolicy matches files of "toolvet policy test".
	testOfPolicy = regexp.MustCompile(`(?m)^cases:`)

	// partOfPolicy matches blocks that begin with a key of a policy other than its version.
	partOfPolicy = regexp.MustCompile(`\A(?:#.*\n)*(?:servers|preset|checks|session|rules|errors|visibility|limits|shared|pinning|output|log|schedule|rehearsal|authorization):`)
)

// TestPolicies holds that lint finds nothing in the policies that readers copy from documents.
func TestPolicies(t *testing.T) {
	for _, name := range []string{"SHOP_PASSWORD", "API_SECRET", "SHOP_DB"} {
		t.Setenv(name, "a-value-of-the-test")
	}
	t.Setenv("DNS_SERVER", "127.0.0.1")
	programs := t.TempDir() // with the one server of the documents that is run by its name
	name := "shop-server"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.WriteFile(filepath.Join(programs, name), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	found := 0
	for _, document := range documents(t) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range slices.Concat(yamlBlock.FindAllSubmatchIndex(text, -1), shownFile.FindAllSubmatchIndex(text, -1)) {
			policy, part := text[m[2]:m[3]], false
			switch {
			case testOfPolicy.Match(policy):
				continue
			case partOfPolicy.Match(policy):
				policy, part = append([]byte("version: 1\n"), policy...), true
			case !wholePolicy.Match(policy):
				continue
			}
			found++
			file := filepath.Join(t.TempDir(), "toolvet.yaml")
			if err := os.WriteFile(file, policy, 0o600); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			code := cli.Main(t.Context(), suite.Default(), []string{"policy", "lint", "--policy", file}, strings.NewReader(""), &said, &said)
			remark := remarks[strings.TrimPrefix(filepath.ToSlash(document), moduleRoot+"/")]
			for line := range strings.Lines(said.String()) {
				switch {
				case strings.Contains(line, ": lint finds no gaps"), remark != nil && remark.MatchString(line):
				case part && (strings.Contains(line, "the policy has no such server") || strings.Contains(line, ": note: rules: no rule allows requests")):
				case m[0] > 0 && text[m[0]] == '$' && strings.Contains(line, ": note: "): // a session shows what it needs
				default:
					t.Errorf("%s:%d: lint exits with %d: %s", document, 1+bytes.Count(text[:m[0]], []byte("\n")), code, line)
				}
			}
			if code == 2 {
				t.Errorf("%s:%d: lint cannot read the policy", document, 1+bytes.Count(text[:m[0]], []byte("\n")))
			}
		}
	}
	if found < 30 {
		t.Errorf("found %d policies: the search is broken", found)
	}
}
