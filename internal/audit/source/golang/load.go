// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/audit/source/internal/files"
)

// A pkg is a package of the audited directory.
type pkg struct {
	dir   string // relative, with slashes
	path  string // to import it
	name  string
	files []*ast.File
	types *types.Package
	info  *types.Info
	busy  bool // being checked
}

// A program is the packages of a directory, type-checked as far as their imports are available.
type program struct {
	ctx    context.Context
	fset   *token.FileSet
	pkgs   []*pkg
	byPath map[string]*pkg
	std    *stdlib
	broken map[string]string
}

// load parses and type-checks files. It runs nothing, not even the go command: imports from
// elsewhere are known by name alone. Only the declarations of the standard library are read, if Go
// is installed.
func load(ctx context.Context, set files.Set) *program {
	p := &program{
		ctx: ctx, fset: token.NewFileSet(), byPath: map[string]*pkg{}, broken: map[string]string{},
	}
	p.std = standard()
	p.parse(set)
	for _, q := range p.pkgs {
		p.check(q)
	}
	return p
}

func (p *program) parse(set files.Set) {
	modules := moduleRoots(set)
	ctxt := build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc", ReleaseTags: build.Default.ReleaseTags}
	byDir := map[string]*pkg{}
	for _, name := range set.Names {
		if p.ctx.Err() != nil {
			p.broken[name] = "not analysed: budget: time"
			continue
		}
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		src := set.Files[name]
		ctxt.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil }
		if ok, err := ctxt.MatchFile(".", path.Base(name)); err == nil && !ok {
			continue // for another system
		}
		f, err := parser.ParseFile(p.fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			p.broken[name] = "not analysed in part: " + err.Error()
		}
		if f == nil || f.Name == nil {
			continue
		}
		key := path.Dir(name) + " " + f.Name.Name
		q := byDir[key]
		if q == nil {
			q = &pkg{dir: path.Dir(name), name: f.Name.Name, path: importPath(modules, path.Dir(name))}
			byDir[key] = q
			p.pkgs = append(p.pkgs, q)
			if _, ok := p.byPath[q.path]; !ok || q.name != "main" {
				p.byPath[q.path] = q
			}
		}
		q.files = append(q.files, f)
	}
}

// moduleRoots are the paths of modules by the directory of their go.mod.
func moduleRoots(set files.Set) map[string]string {
	out := map[string]string{}
	for _, name := range set.Names {
		if path.Base(name) != "go.mod" {
			continue
		}
		for line := range strings.Lines(string(set.Files[name])) {
			if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "module" {
				out[path.Dir(name)] = strings.Trim(fields[1], "\"`")
				break
			}
		}
	}
	return out
}

func importPath(modules map[string]string, dir string) string {
	for at := dir; ; at = path.Dir(at) {
		if m, ok := modules[at]; ok {
			if at == "." {
				return path.Join(m, dir)
			}
			return path.Join(m, strings.TrimPrefix(strings.TrimPrefix(dir, at), "/"))
		}
		if at == "." || at == "/" {
			return path.Join("main", dir)
		}
	}
}

func (p *program) check(q *pkg) {
	if q.types != nil || q.busy {
		return
	}
	q.busy = true
	q.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
	}
	conf := types.Config{
		Importer: importer{p, ""}, FakeImportC: true, Error: func(error) {}, DisableUnusedImportCheck: true,
		Sizes: types.SizesFor("gc", "amd64"),
	}
	defer func() {
		q.busy = false
		if r := recover(); r != nil {
			p.broken[q.dir] = fmt.Sprintf("not analysed: the type checker broke: %v", r)
			if q.types == nil {
				q.types = types.NewPackage(q.path, q.name)
			}
		}
	}()
	q.types, _ = conf.Check(q.path, p.fset, q.files, q.info) // errors are expected where imports are missing
}

type importer struct {
	p   *program
	dir string // within the standard library, for its vendored packages
}

func (i importer) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	if q, ok := i.p.byPath[name]; ok {
		if q.busy {
			return nil, fmt.Errorf("import cycle through %s", name)
		}
		i.p.check(q)
		return q.types, nil
	}
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		if t, err := i.p.std.load(name); err == nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%s is not there", name)
}

// A stdlib has the declarations of the standard library, without the bodies of its functions.
type stdlib struct {
	root string // GOROOT/src; empty if Go is not installed

	mu   sync.Mutex
	fset *token.FileSet
	pkgs map[string]*types.Package
}

// standard is the library of this machine. Reading it takes a second, so it is read once.
var standard = sync.OnceValue(newStdlib)

func newStdlib() *stdlib {
	s := &stdlib{fset: token.NewFileSet(), pkgs: map[string]*types.Package{}}
	for _, root := range []string{build.Default.GOROOT, "/usr/local/go", "/usr/lib/go", `C:\Program Files\Go`} {
		if root == "" {
			continue
		}
		src := filepath.Join(root, "src")
		if info, err := os.Stat(filepath.Join(src, "net", "http")); err == nil && info.IsDir() {
			s.root = src
			break
		}
	}
	return s
}

// load returns a package for use by several goroutines.
func (s *stdlib) load(name string) (*types.Package, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read(name)
}

func (s *stdlib) read(name string) (*types.Package, error) {
	if t, ok := s.pkgs[name]; ok {
		if t == nil {
			return nil, fmt.Errorf("%s is not there", name)
		}
		return t, nil
	}
	if s.root == "" {
		return nil, fmt.Errorf("the standard library is not there")
	}
	s.pkgs[name] = nil
	dir := filepath.Join(s.root, filepath.FromSlash(name))
	if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") {
		dir = filepath.Join(s.root, "vendor", filepath.FromSlash(name))
	}
	ctxt := build.Context{GOROOT: filepath.Dir(s.root), GOOS: "linux", GOARCH: "amd64", Compiler: "gc", ReleaseTags: build.Default.ReleaseTags}
	bp, err := ctxt.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var parsed []*ast.File
	for _, f := range bp.GoFiles {
		file, err := parser.ParseFile(s.fset, filepath.Join(dir, f), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
	}
	conf := types.Config{Importer: stdImporter{s}, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}, DisableUnusedImportCheck: true, Sizes: types.SizesFor("gc", "amd64")}
	t, _ := conf.Check(name, s.fset, parsed, nil)
	s.pkgs[name] = t
	return t, nil
}

type stdImporter struct{ s *stdlib }

func (i stdImporter) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	return i.s.read(name)
}
