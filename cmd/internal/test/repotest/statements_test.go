// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestStatements checks docs/statements.md: each statement has a test that exists, or says what is open.
func TestStatements(t *testing.T) {
	t.Parallel()
	rows := 0
	for line := range strings.SplitSeq(readFile(t, "docs/statements.md"), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.HasPrefix(line, "|---") || strings.TrimSpace(cells[2]) == "tests" {
			continue
		}
		rows++
		named := heldBy.FindAllStringSubmatch(cells[2], -1)
		if len(named) == 0 && !strings.Contains(cells[2], "Open: ") {
			t.Errorf("no test: %s", line)
		}
		for _, name := range named {
			if err := testExists(name[1]); err != "" {
				t.Errorf("%s: %s", name[1], err)
			}
		}
	}
	if rows < 40 {
		t.Errorf("docs/statements.md has %d statements", rows)
	}
}

var heldBy = regexp.MustCompile("`([^`]+ (?:Test|Fuzz)[^`]+|[^`]+\\.txtar)`")

// testExists returns what is wrong with "DIRECTORY TestName" or the path of a script, or "".
func testExists(name string) string {
	dir, function, isGo := strings.Cut(name, " ")
	if !isGo {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			return "there is no such file"
		}
		return ""
	}
	files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*_test.go"))
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(function) + `\(`)
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && declared.Match(text) {
			return ""
		}
	}
	return "there is no such test"
}
