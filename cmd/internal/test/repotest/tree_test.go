// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// module is the prefix of our own import paths.
const module = "github.com/toolvet/toolvet"

// root is the root of the repository, relative to this package.
const root = "../../../.."

// A source is one Go file, for any system.
type source struct {
	name   string // slash-separated, from the root
	text   string
	syntax *ast.File
}

func (s *source) test() bool { return strings.HasSuffix(s.name, "_test.go") }

// dir is the directory of the file, "." for the root. It names the package in rules.
func (s *source) dir() string { return path.Dir(s.name) }

// imports returns the imports of the file; packages of the module by their directory.
func (s *source) imports() []string {
	var list []string
	for _, spec := range s.syntax.Imports {
		name, _ := strconv.Unquote(spec.Path.Value) // the parser has read it
		if name == module {
			name = "."
		}
		list = append(list, strings.TrimPrefix(name, module+"/"))
	}
	return list
}

// sources returns all Go files of the repository.
func sources(t *testing.T) []*source {
	t.Helper()
	list, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 20 {
		t.Fatalf("only %d Go files found below %s: is the root elsewhere?", len(list), root)
	}
	return list
}

var loadOnce = sync.OnceValues(func() ([]*source, error) {
	var list []*source
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipped(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(root, name)
		list = append(list, &source{filepath.ToSlash(short), string(text), syntax})
		return err
	})
	return list, err
})

// skipped reports whether a directory has no files of ours.
func skipped(dir string) bool {
	return dir == "node_modules" || dir == "testdata" || dir != ".." && dir != "." && strings.HasPrefix(dir, ".")
}

// written returns the files of the repository that are not copies of somebody else's.
func written(t *testing.T) []*source {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(sources(t)), func(s *source) bool { return match("internal/jsonschema/...", s.dir()) })
}

// A graph holds the direct imports of each package, tests left out.
type graph map[string]map[string]bool

func importGraph(list []*source) graph {
	g := graph{}
	for _, s := range list {
		if s.test() {
			continue
		}
		if g[s.dir()] == nil {
			g[s.dir()] = map[string]bool{}
		}
		for _, name := range s.imports() {
			g[s.dir()][name] = true
		}
	}
	return g
}

// matching returns the packages of a pattern: a directory, or with "/..." all below it.
func (g graph) matching(pattern string) []string {
	var list []string
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		if match(pattern, pkg) {
			list = append(list, pkg)
		}
	}
	return list
}

// without returns g as it were if nobody imported a package.
func (g graph) without(pkg string) graph {
	if pkg == "" {
		return g
	}
	rest := graph{}
	for importer, imports := range g {
		rest[importer] = maps.Clone(imports)
		delete(rest[importer], pkg)
	}
	return rest
}

func match(pattern, pkg string) bool {
	prefix, tree := strings.CutSuffix(pattern, "/...")
	return pkg == prefix || tree && strings.HasPrefix(pkg, prefix+"/")
}

// chain returns a chain of imports from a package to one of a pattern; nil if there is none.
func (g graph) chain(pkg, pattern string) []string {
	from := map[string]string{pkg: ""}
	for queue := []string{pkg}; len(queue) > 0; queue = queue[1:] {
		for _, next := range slices.Sorted(maps.Keys(g[queue[0]])) {
			if _, seen := from[next]; seen {
				continue
			}
			from[next] = queue[0]
			if match(pattern, next) {
				return trace(from, next)
			}
			queue = append(queue, next)
		}
	}
	return nil
}

func trace(from map[string]string, end string) []string {
	var steps []string
	for ; end != ""; end = from[end] {
		steps = append([]string{end}, steps...)
	}
	return steps
}
