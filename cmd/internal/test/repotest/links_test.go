// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestDocLinks holds that every doc link in a comment, such as [comment.DocLink] or [*testing.T.Run], leads to something.
func TestDocLinks(t *testing.T) {
	t.Parallel()
	checked := 0
	symbols := symbolsOf(t)
	for dir, files := range packageFiles(t) {
		dead, n := deadLinks(t, module+"/"+dir, files, symbols)
		checked += n
		for _, link := range dead {
			t.Error(link)
		}
	}
	if checked < 100 {
		t.Errorf("only %d doc links were found", checked)
	}
}

// packageFiles are the sources of each directory, without tests.
func packageFiles(t *testing.T) map[string][]*source {
	list := map[string][]*source{}
	for _, s := range written(t) {
		if !s.test() {
			list[s.dir()] = append(list[s.dir()], s)
		}
	}
	return list
}

// deadLinks returns the doc links of a package that lead nowhere, and the number of all.
func deadLinks(t *testing.T, path string, sources []*source, symbols func(path string) map[string]bool) (dead []string, links int) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, s := range sources {
		file, err := parser.ParseFile(fset, s.name, s.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	pkg, err := doc.NewFromFiles(fset, slices.Clone(files), path, doc.AllDecls|doc.PreserveAST)
	if err != nil {
		t.Fatal(err)
	}
	own := declared(files)
	for _, file := range files {
		for _, group := range file.Comments {
			var unknown []string
			p := pkg.Parser()
			lookup := p.LookupPackage
			p.LookupPackage = func(name string) (string, bool) {
				path, ok := lookup(name)
				if !ok {
					path, ok = comment.DefaultLookupPackage(name)
				}
				if !ok && exported(group.Text(), name) {
					unknown = append(unknown, "package "+name)
				}
				return path, ok
			}
			p.LookupSym = func(recv, name string) bool { return true } // judged below
			for _, l := range docLinks(p.Parse(group.Text())) {
				links++
				if l.Name == "" {
					continue // of a package, which is there
				}
				symbol := strings.TrimPrefix(l.Recv+"."+l.Name, ".")
				there := own
				if l.ImportPath != "" && l.ImportPath != path {
					there = symbols(l.ImportPath)
				}
				if !there[symbol] {
					unknown = append(unknown, fmt.Sprintf("%s in %s", symbol, cmp.Or(l.ImportPath, path)))
				}
			}
			for _, what := range unknown {
				dead = append(dead, fmt.Sprintf("%s: a comment links to %s, which is not there", fset.Position(group.Pos()), what))
			}
		}
	}
	return dead, links
}

// exported reports whether a text has a link to something exported of a package: [x] alone may be anything.
func exported(text, pkg string) bool {
	ok, err := regexp.MatchString(`\[\*?`+regexp.QuoteMeta(pkg)+`\.[A-Z][A-Za-z0-9_.]*\]`, text)
	return err == nil && ok && token.IsIdentifier(pkg[strings.LastIndex(pkg, "/")+1:])
}

// docLinks are the links of a comment to packages and symbols.
func docLinks(d *comment.Doc) (list []*comment.DocLink) {
	var inText func([]comment.Text)
	inText = func(texts []comment.Text) {
		for _, text := range texts {
			switch text := text.(type) {
			case *comment.DocLink:
				list = append(list, text)
			case *comment.Link:
				inText(text.Text)
			}
		}
	}
	var inBlocks func([]comment.Block)
	inBlocks = func(blocks []comment.Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case *comment.Paragraph:
				inText(b.Text)
			case *comment.Heading:
				inText(b.Text)
			case *comment.List:
				for _, item := range b.Items {
					inBlocks(item.Content)
				}
			}
		}
	}
	inBlocks(d.Content)
	return list
}

// declared are the names that doc links to a package may use: T for what it declares, and T.M for methods and fields.
func declared(files []*ast.File) map[string]bool {
	names := map[string]bool{}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				names[strings.TrimPrefix(receiverType(decl)+"."+decl.Name.Name, ".")] = true
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							names[name.Name] = true
						}
					case *ast.TypeSpec:
						names[spec.Name.Name] = true
						for _, member := range members(spec.Type) {
							for _, name := range member.Names {
								names[spec.Name.Name+"."+name.Name] = true
							}
						}
					}
				}
			}
		}
	}
	return names
}

// members are the fields of a struct, or the methods of an interface.
func members(typ ast.Expr) []*ast.Field {
	switch typ := typ.(type) {
	case *ast.StructType:
		return typ.Fields.List
	case *ast.InterfaceType:
		return typ.Methods.List
	}
	return nil
}

// receiverType is the type whose method a function is, "" for none; type parameters are left out.
func receiverType(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	typ := f.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.Name
		default:
			return "?"
		}
	}
}

// symbolsOf finds what any package declares that the repository imports, or the standard library has.
func symbolsOf(t *testing.T) func(path string) map[string]bool {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-test", "-f", "{{.ImportPath}}\t{{.Dir}}", "work", "std")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs[path] = dir
	}
	known := map[string]map[string]bool{}
	var mu sync.Mutex
	return func(path string) map[string]bool {
		mu.Lock()
		defer mu.Unlock()
		if known[path] == nil {
			found, err := filepath.Glob(filepath.Join(dirs[path], "*.go"))
			if err != nil || dirs[path] == "" {
				return nil
			}
			var files []*ast.File
			for _, name := range found {
				file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
				if err == nil && !strings.HasSuffix(name, "_test.go") {
					files = append(files, file)
				}
			}
			known[path] = declared(files)
		}
		return known[path]
	}
}

// TestDeadLinksAreFound holds that a dead link of each kind is found, and that good ones are not.
func TestDeadLinksAreFound(t *testing.T) {
	t.Parallel()
	text := licence + `// Package p links to [T], [T.M], [*T.M], [I.N], [C], [F], [S.Field], [fmt.Println], [strings.Builder.Len] and [fmt].
// Dead are [Gone], [T.Gone], [fmt.Gone], [gone.X] and, in a list:
//
//   - [strings.Builder.Gone]
//
// No links are [x], a[T]b, [1] and [0x1F].
package p

import "strings"

type T[X any] struct{ strings.Builder }

func (t *T[X]) M() {}

type I interface{ N() }

const C = 1

type S struct{ Field int }

func F() {} // [Inside]
`
	dead, links := deadLinks(t, "example.org/p", []*source{{name: "p.go", text: text}}, func(path string) map[string]bool {
		return map[string]map[string]bool{"fmt": {"Println": true}, "strings": {"Builder": true, "Builder.Len": true}}[path]
	})
	found := map[string]bool{}
	for _, link := range dead {
		_, what, _ := strings.Cut(link, "links to ")
		found[strings.TrimSuffix(what, ", which is not there")] = true
	}
	want := "Builder.Gone in strings|Gone in example.org/p|Gone in fmt|Inside in example.org/p|T.Gone in example.org/p|package gone"
	if got := strings.Join(slices.Sorted(maps.Keys(found)), "|"); got != want || links < 12 {
		t.Errorf("of %d links, dead are\n%s\nwant\n%s", links, got, want)
	}
}
