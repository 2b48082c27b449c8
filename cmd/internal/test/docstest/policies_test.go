// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package docstest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/cmd/internal/cli"
)

// remarks are those of lint on policies in documents that show how to loosen a check.
var remarks = map[string]string{
	"checks/outputschema/README.md": "output-schema only warns",
	"docs/checks.md":                "output-schema only warns",
}

var (
	yamlBlock   = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")
	wholePolicy = regexp.MustCompile(`(?m)^version: 1$`)
)

// TestPolicies holds that lint finds nothing in the policies that readers copy from documents.
func TestPolicies(t *testing.T) {
	for _, name := range []string{"SHOP_PASSWORD", "API_SECRET"} {
		t.Setenv(name, "a-value-of-the-test")
	}
	found := 0
	for _, document := range documents(t) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range yamlBlock.FindAllSubmatchIndex(text, -1) {
			policy := text[m[2]:m[3]]
			if !wholePolicy.Match(policy) {
				continue
			}
			found++
			file := filepath.Join(t.TempDir(), "toolvet.yaml")
			if err := os.WriteFile(file, policy, 0o600); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			code := cli.Main(t.Context(), suite.Default(), []string{"policy", "lint", "--policy", file}, strings.NewReader(""), &said, &said)
			if remark := remarks[strings.TrimPrefix(filepath.ToSlash(document), moduleRoot+"/")]; code == 1 && remark != "" && strings.Count(said.String(), "\n") == 1 && strings.Contains(said.String(), remark) {
				continue
			}
			if code != 0 || strings.Contains(said.String(), "note:") {
				t.Errorf("%s:%d: lint exits with %d:\n%s", document, 1+bytes.Count(text[:m[0]], []byte("\n")), code, said.String())
			}
		}
	}
	if found < 8 {
		t.Errorf("found %d policies: the search is broken", found)
	}
}
