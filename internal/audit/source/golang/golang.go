// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package golang reads MCP servers in Go: it follows the arguments of their tools to the functions
// that touch files, the network and processes.
//
// Neither the audited code nor the go command runs: files are parsed and type-checked here. The
// declarations of the standard library are read if Go is installed; other modules are known by
// their names, so a server can be analysed without its dependencies.
package golang

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/internal/files"
	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

func skip(dir string) bool {
	return dir == "testdata" || dir == "vendor" || dir == "node_modules" || strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "_")
}

// Analyze reads the Go files of dir, tests and vendored packages apart.
func Analyze(ctx context.Context, dir string, opts source.Options) (source.Result, error) {
	opts = opts.WithDefaults()
	ctx, cancel := opts.Within(ctx)
	defer cancel()
	set, err := files.Read(ctx, dir, opts, func(name string) bool {
		return name == "go.mod" || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
	}, skip)
	if err != nil {
		return source.Result{}, fmt.Errorf("golang: read %s: %w", dir, err)
	}
	a := &analysis{opts: opts, out: source.Result{Files: set.Names, Unread: set.Unread}, incomplete: map[string]string{}}
	p := load(ctx, set)
	for what, why := range p.broken {
		a.missing(what, why)
	}
	if p.std.root == "" && len(p.pkgs) > 0 {
		a.unread("the standard library", "Go is not installed: its types are known by name only")
	}
	a.lower = newLowerer(p)
	a.lang = &lang{l: a.lower, table: newTable()}
	a.in = flow.New(ctx, a.lang, opts.Depth)
	a.registrars(p)
	a.handlers()
	a.ofOwn(p)
	a.handlers()
	a.finish()
	return a.out, nil
}

type analysis struct {
	opts       source.Options
	in         *flow.Interp
	lang       *lang
	lower      *lowerer
	out        source.Result
	incomplete map[string]string
	handled    int // the tools that have run
}

func (a *analysis) unread(what, why string) {
	a.out.Unread = append(a.out.Unread, source.Unread{What: what, Why: why})
}

// missing notes a gap in the code.
func (a *analysis) missing(what, why string) {
	a.out.Unread = append(a.out.Unread, source.Unread{What: what, Why: why, Code: true})
}

// registrars runs main, and all functions with a registration of tools: their callers may depend on
// unknown values.
func (a *analysis) registrars(p *program) {
	var mains, others []*flow.Func
	for _, q := range p.pkgs {
		if q.info == nil {
			continue
		}
		for _, f := range q.files {
			for _, d := range f.Decls {
				fd, ok := d.(*ast.FuncDecl)
				if !ok || fd.Body == nil {
					continue
				}
				obj, ok := q.info.Defs[fd.Name].(*types.Func)
				if !ok {
					continue
				}
				if q.name == "main" && fd.Recv == nil && fd.Name.Name == "main" {
					mains = append(mains, a.lower.fn(obj))
				} else if registers(fd.Body) {
					others = append(others, a.lower.fn(obj))
				}
			}
		}
	}
	for _, fn := range append(mains, others...) {
		err := a.in.Run(a.opts.Steps, func() { a.in.AtStart(func() { a.in.Symbolic(fn) }) })
		if err != nil {
			a.missing(fn.Pos.File+": "+fn.Name, err.Error())
		}
	}
}

var registrar = lazyregexp.New(`^(Add|Register|Must|New)[A-Za-z]*Tools?$`)

// registers reports whether something in a function looks like the registration of a tool.
func registers(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			switch id.Name {
			case "Register", "SetTools", "ServerTool":
				found = true
			default:
				found = found || registrar.MatchString(id.Name)
			}
		}
		return !found
	})
	return found
}

// handlers runs the handlers registered since its last call.
func (a *analysis) handlers() {
	for ; a.handled < len(a.in.Tools); a.handled++ {
		r := a.in.Tools[a.handled]
		if err := a.in.Run(a.opts.Steps, func() { a.in.Apart(func() { a.lang.handle(a.in, r) }) }); err != nil {
			a.unread("tool "+r.Name, err.Error())
			a.incomplete[r.Name] = err.Error()
		}
	}
}

// announced are the tools; those of a dispatching handler are listed one by one.
func (a *analysis) announced() []flow.Registration {
	var out []flow.Registration
	for _, r := range a.in.Tools {
		if names := a.in.ToolNames(); r.Style == styleRPC && len(names) > 0 {
			for _, name := range names {
				r.Name = name
				out = append(out, r)
			}
			continue
		}
		out = append(out, r)
	}
	return out
}

func (a *analysis) finish() {
	a.out.Facts = a.in.Facts(a.incomplete)
	seen := map[string]bool{}
	for _, r := range a.announced() {
		pos, end := r.Pos, 0
		if fn := r.Handler.Func(); fn != nil {
			pos, end = fn.Pos, fn.End
		}
		key := fmt.Sprint(r.Name, pos)
		if seen[key] {
			continue
		}
		seen[key] = true
		a.out.Tools = append(a.out.Tools, source.Tool{
			Name: r.Name, Params: a.in.Params(r.Name), Handler: audit.Place{File: pos.File, Line: pos.Line, Col: pos.Col}, End: end,
		})
	}
	slices.SortFunc(a.out.Tools, func(x, y source.Tool) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Handler.File, y.Handler.File), cmp.Compare(x.Handler.Line, y.Handler.Line))
	})
	slices.SortFunc(a.out.Unread, func(x, y source.Unread) int {
		return cmp.Or(cmp.Compare(x.What, y.What), cmp.Compare(x.Why, y.Why))
	})
}
