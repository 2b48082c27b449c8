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

// TestStatements checks docs/figures/statements.md: each statement has a test that exists, or says what is open.
func TestStatements(t *testing.T) {
	t.Parallel()
	rows := 0
	for line := range strings.SplitSeq(readFile(t, "docs/figures/statements.md"), "\n") {
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
		t.Errorf("docs/figures/statements.md has %d statements", rows)
	}
}

var heldBy = regexp.MustCompile("`([^`]+ (?:Test|Fuzz|Example)[^`]+|[^`]+\\.txtar|[^`]+\\.(?:yaml|ts) [^`]+)`")

// testExists returns what is wrong with "DIRECTORY TestName", "DIRECTORY TestName/sub", "FILE NAME" or the path of a script, or "".
func testExists(name string) string {
	dir, function, isGo := strings.Cut(name, " ")
	if !isGo {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			return "there is no such file"
		}
		return ""
	}
	function, sub, _ := strings.Cut(function, "/")
	files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*_test.go"))
	declared := `(?m)^func ` + regexp.QuoteMeta(function) + `\(`
	switch filepath.Ext(dir) {
	case ".yaml":
		files, declared = []string{filepath.Join(root, filepath.FromSlash(dir))}, `(?m)^- name: `+regexp.QuoteMeta(function)+`$`
	case ".ts":
		files, declared = []string{filepath.Join(root, filepath.FromSlash(dir))}, `(?m)^ *(?:it|describe)\('`+regexp.QuoteMeta(function)+`',`
	}
	test := regexp.MustCompile(declared)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && test.Match(text) && (sub == "" || strings.Contains(string(text), `t.Run("`+sub+`",`)) {
			return ""
		}
	}
	return "there is no such test"
}
