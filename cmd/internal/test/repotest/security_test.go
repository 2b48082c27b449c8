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

var (
	inBackquotes = regexp.MustCompile("`([^`]+)`|\\broot\\b")
	testName     = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*(?:/[\w-]+)?`)
)

// TestSecurity holds that every test that docs/figures/promises.md names for a promise stands in the package that it
// names, and that every row names one.
func TestSecurity(t *testing.T) {
	t.Parallel()
	functions := map[string]string{} // the text of the tests of each package
	for _, s := range sources(t) {
		if s.test() {
			functions[s.dir()] += string(s.text)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/figures/promises.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 3 || strings.Contains(cells[0], "---") || strings.TrimSpace(cells[0]) == "attack" {
			continue
		}
		rows++
		tests := testName.FindAllString(cells[2], -1)
		if len(tests) == 0 {
			t.Errorf("no test holds the promise of: %s", cells[0])
		}
		for part := range strings.SplitSeq(cells[2], ";") {
			for _, dir := range packagesIn(part) {
				for _, test := range testName.FindAllString(part, -1) {
					holdsTest(t, dir, test, functions[dir])
				}
			}
		}
	}
	if rows < 20 {
		t.Errorf("docs/figures/promises.md has %d rows", rows)
	}
}

// packagesIn are the directories of the packages that a part of a cell names.
func packagesIn(part string) (dirs []string) {
	for _, m := range inBackquotes.FindAllStringSubmatch(part, -1) {
		dir := m[1]
		if dir == "" {
			dir = "."
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// holdsTest checks that a package has a test function, and its archive of cases if one is named.
func holdsTest(t *testing.T, dir, test, functions string) {
	t.Helper()
	name, cases, has := strings.Cut(test, "/")
	if !strings.Contains(functions, "func "+name+"(") {
		t.Errorf("%s has no %s", dir, name)
	}
	if !has {
		return
	}
	for _, place := range []string{"testdata", "testdata/script"} {
		if _, err := os.Stat(filepath.Join(root, dir, place, cases+".txtar")); err == nil {
			return
		}
	}
	t.Errorf("%s: %s has no cases %s.txtar", dir, name, cases)
}
