// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

// TestElsewhere type-checks everything, tests as well, for the systems that CI does not run on. It
// reads only the declarations of dependencies, because go vet would compile each of them for each
// system, which takes minutes without a cache.
func TestElsewhere(t *testing.T) {
	race.Skip(t)
	need.Minutes(t)
	for _, system := range []string{"darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			ours := 0
			for _, pkg := range loadFor(t, system) {
				if strings.HasSuffix(pkg.PkgPath, ".test") {
					continue // the generated main of a test, outside of the repository
				}
				ours++
				for _, err := range pkg.Errors {
					t.Error(err)
				}
			}
			if ours < 100 {
				t.Errorf("%d packages of ours were read", ours)
			}
		})
	}
}

func loadFor(t *testing.T, system string) []*packages.Package {
	t.Helper()
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	list, err := packages.Load(&packages.Config{
		Mode:  packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Dir:   dir,
		Env:   append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		Tests: true,
		ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, dir+string(filepath.Separator)) {
				dropBodies(file)
			}
			return file, err
		},
	}, "work")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func dropBodies(file *ast.File) {
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok {
			decl.Body = nil
		}
	}
}
