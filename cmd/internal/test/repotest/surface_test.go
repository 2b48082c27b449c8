// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// namesInternal are signatures that name an internal type all the same, with the reason.
var namesInternal = map[string]string{
	"check.Check":         "Bounded is a promise that only toolvet's own checks can make",
	"checks/disk.Options": "a size is a number, and programs write it as one",
	"checks/path.Options": "a size is a number, and programs write it as one",
}

// TestSignatures holds that no exported signature of a public package names a type of an internal package: programs
// outside the module could not name it, so they could neither make nor keep such a value. An exported alias gives such
// a type a name, and signatures use that one. An embedded interface seals another one.
func TestSignatures(t *testing.T) {
	t.Parallel()
	signatures, excused := 0, maps.Clone(namesInternal)
	for _, s := range sources(t) {
		if s.test() || !public(s) {
			continue
		}
		internal := internalImports(s)
		for name, typ := range signaturesOf(s.syntax) {
			signatures++
			for _, foreign := range named(typ, internal) {
				if of := s.dir() + "." + name; namesInternal[of] != "" {
					delete(excused, of)
					continue
				}
				t.Errorf("%s: the signature of %s names %s: give it a public type, or make it internal", s.name, name, foreign)
			}
		}
	}
	for of := range excused {
		t.Errorf("%s names no internal type any more: take it out of namesInternal", of)
	}
	if signatures < 100 {
		t.Fatalf("found %d exported signatures: the test is broken", signatures)
	}
}

// TestSignaturesCanFail tries the rule on a file that breaks it everywhere.
func TestSignaturesCanFail(t *testing.T) {
	t.Parallel()
	syntax, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
import ("net/http"; "github.com/toolvet/toolvet/internal/a"; b "github.com/toolvet/toolvet/checks/internal/c")
func F(map[string]*a.T) {}
func (T) M() (b.T, error) { return b.T{}, nil }
func (t) M(a.T) {}
func g(a.T) {}
type T struct { A a.T; b a.T; http.Handler }
type I interface { M(http.Handler) ; N(a.T); a.T }
type Alias = a.T
type G[X a.T] []func(...b.T)
var V []a.T
var w a.T
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	internal := internalImports(&source{syntax: syntax})
	found := map[string][]string{}
	for name, typ := range signaturesOf(syntax) {
		found[name] = append(found[name], named(typ, internal)...)
	}
	maps.DeleteFunc(found, func(_ string, foreign []string) bool { return len(foreign) == 0 })
	want := map[string][]string{"F": {"a.T"}, "T.M": {"b.T"}, "T": {"a.T"}, "I": {"a.T"}, "G": {"a.T", "b.T"}, "V": {"a.T"}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// internalImports returns the names of internal packages in a file.
func internalImports(s *source) map[string]bool {
	names := map[string]bool{}
	for _, spec := range s.syntax.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		if !strings.HasPrefix(path, module) || !slices.Contains(strings.Split(path, "/"), "internal") {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = true
	}
	return names
}

// signaturesOf yields what programs see of the exported declarations of a file, by their names.
func signaturesOf(file *ast.File) iter.Seq2[string, ast.Node] {
	return func(yield func(string, ast.Node) bool) {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				name := decl.Name.Name
				if of := receiverType(decl); of != "" {
					name = of + "." + name
				}
				if ast.IsExported(name) && decl.Name.IsExported() && !yield(name, decl.Type) {
					return
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					for name, typ := range signaturesIn(spec) {
						if ast.IsExported(name) && !yield(name, typ) {
							return
						}
					}
				}
			}
		}
	}
}

func signaturesIn(spec ast.Spec) iter.Seq2[string, ast.Node] {
	return func(yield func(string, ast.Node) bool) {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if spec.Type != nil && !yield(name.Name, spec.Type) {
					return
				}
			}
		case *ast.TypeSpec:
			if spec.Assign.IsValid() {
				return // an alias is the public name
			}
			parts := []ast.Node{spec.Type}
			if of := members(spec.Type); of != nil {
				parts = nil
				_, seals := spec.Type.(*ast.InterfaceType)
				for _, member := range of {
					if len(member.Names) == 0 && !seals || slices.ContainsFunc(member.Names, (*ast.Ident).IsExported) {
						parts = append(parts, member.Type)
					}
				}
			}
			if spec.TypeParams != nil {
				parts = slices.Insert(parts, 0, ast.Node(spec.TypeParams))
			}
			for _, part := range parts {
				if !yield(spec.Name.Name, part) {
					return
				}
			}
		}
	}
}

// named returns the types of the packages that typ names.
func named(typ ast.Node, packages map[string]bool) (found []string) {
	ast.Inspect(typ, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if of, ok := sel.X.(*ast.Ident); ok && packages[of.Name] {
				found = append(found, of.Name+"."+sel.Sel.Name)
			}
		}
		return true
	})
	return found
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
