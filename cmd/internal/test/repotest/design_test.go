// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDesign checks the table of docs/design.md: each package has a row, after the rows of its imports.
func TestDesign(t *testing.T) {
	t.Parallel()
	rows := designRows(readFile(t, "docs/design.md"))
	g := importGraph(sources(t))
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		at := rows.of(pkg)
		if at < 0 {
			t.Errorf("the table of packages in docs/design.md has no row for %s", pkg)
			continue
		}
		for name := range g[pkg] {
			if g[name] != nil && rows.of(name) > at {
				t.Errorf("the table of packages in docs/design.md is not in import order: %s imports %s, which comes later", pkg, name)
			}
		}
	}
	for name := range rows {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(g)), func(pkg string) bool { return covers(name, pkg) }) {
			t.Errorf("the table of packages in docs/design.md names %s, which does not exist", name)
		}
	}
}

// rows are the rows of the table by package: "checks/*" stands for all packages in a directory,
// "bench/..." for all below it.
type rows map[string]int

var quoted = regexp.MustCompile("`([^`]+)`")

func designRows(doc string) rows {
	_, table, _ := strings.Cut(doc, "\n## The packages, in import order\n")
	table, _, _ = strings.Cut(table, "\n## ")
	found := rows{}
	for i, line := range strings.Split(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		if strings.TrimSpace(cells[1]) == "root" {
			found["."] = i
		}
		for _, name := range quoted.FindAllStringSubmatch(cells[1], -1) {
			found[strings.Replace(name[1], "…", "...", 1)] = i
		}
	}
	return found
}

// of returns the row of a package, preferably one with its own name; -1 if there is none.
func (r rows) of(pkg string) int {
	if i, ok := r[pkg]; ok {
		return i
	}
	for name, i := range r {
		if covers(name, pkg) {
			return i
		}
	}
	return -1
}

func covers(name, pkg string) bool {
	ok, _ := path.Match(name, pkg)
	return ok || match(name, pkg)
}
