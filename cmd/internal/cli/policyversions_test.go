// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/rule"
)

// A serverVersion is the file of tools that a policy's tests name: what one version of the server lists.
type serverVersion struct {
	Server, Version string
	Tools           []struct{ Name string }
}

// versionOf reads the tools of the version that a policy is tested against.
func versionOf(t *testing.T, name string, tests *loadedTests) serverVersion {
	t.Helper()
	var v serverVersion
	if want := "tools/" + name + ".json"; len(tests.Tools) != 1 || tests.Tools[0].File != want {
		t.Fatalf("%s: the tests do not read the tools in %s", name, want)
	}
	text, err := os.ReadFile(tests.beside(tests.Tools[0].File))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPoliciesVersions holds that a policy decides on each tool of a named version of its server: a rule names each, and names no
// other. So no tool is refused only because nobody looked at it.
func TestPoliciesVersions(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(policies + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, name := range policyNames(t) {
		tests := loadPolicyTests(t, name)
		v := versionOf(t, name, tests)
		known++
		server := tests.policy.Servers[0]
		if v.Server == "" || v.Version == "" || !slices.ContainsFunc(server.Command, func(word string) bool { return word == v.Server || strings.HasPrefix(word, v.Server+"@") }) {
			t.Errorf("%s: the command %q does not start the server %q, version %q", name, server.Command, v.Server, v.Version)
		}
		if !strings.Contains(string(readme), "["+name+"]("+name+".yaml) | "+v.Server+" "+v.Version+" |") {
			t.Errorf("%s: the README has no row for %s %s", name, v.Server, v.Version)
		}
		if len(v.Tools) == 0 {
			t.Errorf("%s: no tools", name)
		}
		listed := map[string]bool{}
		for _, tool := range v.Tools {
			listed[server.Name+":"+tool.Name] = true
		}
		allowed, named := map[string]bool{}, map[string]bool{}
		for _, r := range access.RulesOf(tests.policy) {
			for _, pattern := range r.Tools {
				switch {
				case strings.Contains(pattern, "*"):
					if r.Effect == rule.Allow {
						t.Errorf("%s: %s: the pattern %s allows tools that an update brings", name, r.Name, pattern)
					}
					continue
				case !listed[pattern]:
					t.Errorf("%s: %s: version %s has no tool %s", name, r.Name, v.Version, pattern)
				case r.Effect == rule.Allow:
					allowed[pattern] = true
				case r.When == "" && allowed[pattern]:
					t.Errorf("%s: %s: the tool %s is allowed before, and always refused", name, r.Name, pattern)
				}
				named[pattern] = true
			}
		}
		if len(allowed) == 0 {
			t.Errorf("%s: no rule allows a tool, so that one of an update passes", name)
		}
		for tool := range listed {
			if !named[tool] {
				t.Errorf("%s: no rule names %s: allow it, or refuse it in a rule that says why", name, tool)
			}
		}
	}
	files, err := filepath.Glob(policies + "/tools/*.json")
	if err != nil || len(files) != known || known == 0 {
		t.Errorf("%d files of tools, and %d policies that read one: %v", len(files), known, err)
	}
}
