// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package docstest

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quoted is a message in the first column of a table.
var quoted = regexp.MustCompile("`([^`]+)`")

// TestMessages holds that toolvet says the messages that docs/troubleshooting.md explains. Those that the code puts together
// from parts are given in parts.
func TestMessages(t *testing.T) {
	t.Parallel()
	inParts := map[string][]string{
		"no rule allows the call":           {"no rule allows the "},
		"did not answer initialize in time": {"did not answer %s in time"},
		"before it answered initialize":     {" before it answered "},
	}
	var source strings.Builder
	err := filepath.WalkDir(moduleRoot, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != moduleRoot):
			return filepath.SkipDir
		case filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
			source.WriteString(read(t, name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(read(t, moduleRoot+"/docs/troubleshooting.md")) {
		column, _, table := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !table || !strings.HasPrefix(line, "| ") {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(column, -1) {
			found++
			parts := inParts[m[1]]
			if parts == nil {
				parts = m[1:]
			}
			for _, part := range parts {
				if !strings.Contains(source.String(), part) {
					t.Errorf("nothing says %q", part)
				}
			}
		}
	}
	if found < 15 {
		t.Errorf("%d messages were found", found)
	}
}
