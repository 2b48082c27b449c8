// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDependencies checks that docs/dependencies.md has a row for each direct dependency of the modules and for no
// other, and whether the command links it. A row for a module includes those below it.
func TestDependencies(t *testing.T) {
	t.Parallel()
	required := slices.DeleteFunc(slices.Concat(direct(t, "go.mod"), direct(t, "cmd/go.mod"), direct(t, "driver/redis/go.mod"), direct(t, "export/go.mod"), direct(t, "internal/audit/go.mod"), direct(t, "mcpgo/go.mod"), direct(t, "release/go.mod")), func(r string) bool { return match(module+"/...", r) })
	g := importGraph(sources(t))
	var rows []string
	for _, line := range strings.Split(readFile(t, "docs/dependencies.md"), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		linked := strings.HasPrefix(strings.TrimSpace(cells[3]), "yes")
		for _, quoted := range regexp.MustCompile("`[^`]+`").FindAllString(cells[1], -1) {
			module := strings.Trim(quoted, "`")
			rows = append(rows, module)
			if !slices.ContainsFunc(required, func(r string) bool { return match(module+"/...", r) }) {
				t.Errorf("docs/dependencies.md has a row for %s, which no go.mod requires directly", module)
			}
			if chain := g.chain("cmd/toolvet", module+"/..."); (chain != nil) != linked {
				t.Errorf("docs/dependencies.md says %q of %s being in the build: %v", cells[3], module, chain)
			}
		}
	}
	if len(required) < 10 {
		t.Fatalf("found only %d direct dependencies", len(required))
	}
	for _, r := range required {
		if !slices.ContainsFunc(rows, func(row string) bool { return match(row+"/...", r) }) {
			t.Errorf("docs/dependencies.md has no row for %s: say what it is for, and what was weighed", r)
		}
	}
}

// direct returns the direct requirements of a go.mod.
func direct(t *testing.T, file string) []string {
	t.Helper()
	var list []string
	for _, line := range strings.Split(readFile(t, file), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 2 && strings.HasPrefix(line, "\t") {
			list = append(list, fields[0])
		}
	}
	return list
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
