// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"fmt"
	"go/doc"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPackages holds docs/packages.md, the list of packages, to their imports and documentation. TOOLVET_UPDATE=1 writes it.
func TestPackages(t *testing.T) {
	t.Parallel()
	list := sources(t)
	want := packagePage(importGraph(list), synopses(list))
	if os.Getenv("TOOLVET_UPDATE") != "" {
		if err := os.WriteFile(filepath.Join(root, "docs/packages.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, readFile(t, "docs/packages.md")); diff != "" {
		t.Errorf("docs/packages.md is out of date: run TOOLVET_UPDATE=1 go test ./cmd/internal/test/repotest -run TestPackages (-want +got):\n%s", diff)
	}
}

// synopses are the first sentences of the packages' documentation.
func synopses(list []*source) map[string]string {
	found := map[string]string{}
	for _, s := range list {
		if !s.test() && s.syntax.Doc != nil {
			found[s.dir()] = new(doc.Package).Synopsis(s.syntax.Doc.Text())
		}
	}
	return found
}

// packagePage lists packages by their layer: one above the highest of their imports.
func packagePage(g graph, synopses map[string]string) string {
	layers := map[string]int{}
	var layer func(pkg string) int
	layer = func(pkg string) int {
		if _, ok := layers[pkg]; !ok {
			layers[pkg] = 0
			for name := range g[pkg] {
				if g[name] != nil {
					layers[pkg] = max(layers[pkg], layer(name)+1)
				}
			}
		}
		return layers[pkg]
	}
	pkgs := slices.SortedFunc(maps.Keys(g), func(a, b string) int {
		if la, lb := layer(a), layer(b); la != lb {
			return la - lb
		}
		return strings.Compare(a, b)
	})
	var b, aside strings.Builder
	b.WriteString("# Packages\n\n<!-- Generated: TOOLVET_UPDATE=1 go test ./cmd/internal/test/repotest -run TestPackages -->\n\n")
	b.WriteString("Each package imports packages of lower layers alone. Read from the top, or look a package up by its path. [Design](design.md) tells how they work together.\n\n")
	b.WriteString("| layer | package | purpose |\n|--:|---|---|\n")
	for _, pkg := range pkgs {
		purpose := strings.TrimRight(synopses[pkg], ".:")
		if words := strings.Fields(purpose); len(words) > 2 && words[0] == "Package" {
			purpose = strings.Join(words[2:], " ")
		}
		purpose = strings.NewReplacer("|", `\|`, "[", "", "]", "").Replace(purpose)
		switch {
		case besides.MatchString(pkg):
			fmt.Fprintf(&aside, "| `%s` | %s |\n", pkg, purpose)
		case pkg == ".":
			fmt.Fprintf(&b, "| %d | `toolvet` | %s |\n", layers[pkg], purpose)
		default:
			fmt.Fprintf(&b, "| %d | `%s` | %s |\n", layers[pkg], pkg, purpose)
		}
	}
	fmt.Fprintf(&b, "\n## Tests, measurements, examples\n\n| package | purpose |\n|---|---|\n%s", &aside)
	return b.String()
}

// besides are packages that no program of toolvet links.
var besides = regexp.MustCompile(`^(bench|examples|cmd/examples|cmd/internal/(test|gen)|internal/test|protocol|mcpgo/internal)(/|$)|test$`)
