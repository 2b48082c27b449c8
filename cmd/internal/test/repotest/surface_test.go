// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSurface holds the exported identifiers of the library to the figures in docs/design.md: whoever adds one must
// take one away, or argue for another figure.
func TestSurface(t *testing.T) {
	t.Parallel()
	design, err := os.ReadFile(filepath.Join(root, "docs/design.md"))
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]int{} // by package
	for _, s := range sources(t) {
		if !s.test() && public(s) {
			exported[s.dir()] += identifiers(s.syntax)
		}
	}
	var packages, all, ofChecks int
	for _, pkg := range slices.Sorted(maps.Keys(exported)) {
		t.Logf("%5d %s", exported[pkg], pkg)
		if strings.HasPrefix(pkg, "checks/") {
			ofChecks += exported[pkg]
			continue
		}
		packages++
		all += exported[pkg]
	}
	if packages < 10 || all < 100 || ofChecks < 100 {
		t.Fatalf("counted %d packages with %d identifiers, and %d in checks: the count is broken", packages, all, ofChecks)
	}
	for row, got := range map[string]int{
		"public packages beside the checks":      packages,
		"exported identifiers of these packages": all,
		"exported identifiers of checks in Go":   ofChecks,
	} {
		figure := regexp.MustCompile(`(?m)^\| ` + row + ` \| ([\d,]+)`).FindSubmatch(design)
		if figure == nil {
			t.Errorf("docs/design.md has no row %q", row)
			continue
		}
		most, err := strconv.Atoi(strings.ReplaceAll(string(figure[1]), ",", ""))
		if err != nil || got > most {
			t.Errorf("%s: %d, and docs/design.md allows %d (%v): make something internal", row, got, most, err)
		}
	}
}

// public reports whether programs can import the package of s from the library.
func public(s *source) bool {
	first, _, _ := strings.Cut(s.dir(), "/")
	return s.syntax.Name.Name != "main" && first != "cmd" && first != "bench" && first != "examples" &&
		!slices.Contains(strings.Split(s.dir(), "/"), "internal")
}

// identifiers counts the exported types, functions, methods, fields, constants and variables of a file.
func identifiers(file *ast.File) (n int) {
	count := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				n++
			}
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil || ast.IsExported(receiverType(decl)) {
				count(decl.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					count(spec.Names...)
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						count(spec.Name)
						for _, member := range members(spec.Type) {
							count(member.Names...)
						}
					}
				}
			}
		}
	}
	return n
}
