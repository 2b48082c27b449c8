// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package python reads MCP servers in Python: it follows the arguments of their tools to the
// functions that touch files, the network and processes. It needs no interpreter.
package python

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/internal/files"
	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
	"github.com/toolvet/toolvet/internal/audit/source/internal/pyparse"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// spoken finds words of the protocol in a file.
var spoken = lazyregexp.New(`(?i)\bmcp\b|fastmcp|tools/call`)

func skip(dir string) bool {
	return files.Aside(dir) || dir == "__pycache__" || dir == "build" || dir == "dist"
}

// Analyze reads the Python files of dir. Directories of tests, examples and installed packages are
// passed over.
func Analyze(ctx context.Context, dir string, opts source.Options) (source.Result, error) {
	opts = opts.WithDefaults()
	ctx, cancel := opts.Within(ctx)
	defer cancel()
	set, err := files.Read(ctx, dir, opts, func(name string) bool {
		name = path.Base(name)
		return strings.HasSuffix(name, ".py") && !strings.HasPrefix(name, "test_") && !strings.HasSuffix(name, "_test.py") && name != "conftest.py"
	}, skip)
	if err != nil {
		return source.Result{}, fmt.Errorf("python: read %s: %w", dir, err)
	}
	a := &analysis{opts: opts, out: source.Result{Files: set.Names, Unread: set.Unread}, incomplete: map[string]string{}}
	a.parse(ctx, set)
	a.in = flow.New(ctx, a.lang, opts.Depth)
	a.in.Changed = a.lang.changed
	a.in.Later = map[string]int{"to_thread": 0, "run_sync": 0, "run_in_executor": 1, "submit": 0, "run_in_threadpool": 0}
	a.modules()
	a.handlers()
	a.ofOwn()
	a.finish()
	return a.out, nil
}

type analysis struct {
	opts       source.Options
	in         *flow.Interp
	lang       *lang
	out        source.Result
	incomplete map[string]string // by tool
	handled    int               // the tools that have run
	speaksMCP  bool              // a file names the protocol
}

func (a *analysis) parse(ctx context.Context, set files.Set) {
	a.lang = newLang()
	a.lang.steps = a.opts.Steps
	a.lang.cut = func(m *module, err error) { a.missing(m.file, err.Error()) }
	for _, name := range set.Names {
		if ctx.Err() != nil {
			a.missing(name, "not analysed: budget: time")
			continue
		}
		a.speaksMCP = a.speaksMCP || spoken.Match(set.Files[name])
		body, errs := pyparse.Parse(name, string(set.Files[name]))
		if len(errs) > 0 {
			a.missing(name, fmt.Sprintf("not analysed in part: %v", errs[0]))
		}
		a.lang.add(name, body)
	}
}

func (a *analysis) unread(what, why string) {
	a.out.Unread = append(a.out.Unread, source.Unread{What: what, Why: why})
}

// missing notes a gap in the code.
func (a *analysis) missing(what, why string) {
	a.out.Unread = append(a.out.Unread, source.Unread{What: what, Why: why, Code: true})
}

// modules runs each file as an import does. That registers the tools.
func (a *analysis) modules() {
	for _, m := range a.lang.order {
		a.lang.load(a.in, m)
	}
	a.lang.again(a.in)
	for _, m := range a.lang.order {
		a.registrars(m)
	}
}

// registrars runs functions with registrations of tools: their callers may be outside of the
// directory. A tool that is registered twice is one.
func (a *analysis) registrars(m *module) {
	for _, fn := range functions(m.body) {
		if !registers(fn) {
			continue
		}
		err := a.in.Run(a.opts.Steps, func() {
			f := a.in.Eval(m.value, fn.ref)
			var args []flow.Value
			if fn.self != nil {
				args = append(args, a.in.Instance(a.in.Eval(m.value, fn.self)))
			}
			a.in.AtStart(func() { a.in.Invoke(f, args, fn.fn.Pos) })
		})
		if err != nil {
			a.missing(m.file+": "+fn.fn.Name, err.Error())
		}
	}
}

// handlers runs the handlers registered since its last call.
func (a *analysis) handlers() {
	for ; a.handled < len(a.in.Tools); a.handled++ {
		r := a.in.Tools[a.handled]
		err := a.in.Run(a.opts.Steps, func() { a.in.Apart(func() { a.lang.handle(a.in, r) }) })
		if err == nil {
			continue
		}
		if r.Style == styleCall && a.apart(r) {
			continue
		}
		a.unread("tool "+r.Name, err.Error())
		a.incomplete[r.Name] = err.Error()
		if dispatches(r) {
			for _, tool := range a.in.ToolNames() {
				a.incomplete[tool] = err.Error()
			}
		}
	}
}

// apart runs a handler of several tools once for each tool, if one budget was not enough for all. It
// reports whether the handler tells tools apart.
func (a *analysis) apart(r flow.Registration) bool {
	names := a.in.Named()
	for _, name := range compared(r.Handler.Func()) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		r.Name = name
		if err := a.in.Run(a.opts.Steps, func() { a.in.Apart(func() { a.lang.handle(a.in, r) }) }); err != nil {
			a.unread("tool "+name, err.Error())
			a.incomplete[name] = err.Error()
		}
	}
	return len(names) > 0
}

// compared are the constants that a function compares its first parameter with.
func compared(fn *flow.Func) []string {
	var out []string
	if len(fn.Params) == 0 {
		return nil
	}
	fn.Mentions(func(e *flow.Expr) bool {
		if e.Op == flow.Compare && e.S == "==" && e.X.Op == flow.Name && e.X.S == fn.Params[0].Name && e.Y.Op == flow.Str {
			out = append(out, e.Y.S)
		}
		return false
	})
	return out
}

// dispatches reports whether a handler serves several tools.
func dispatches(r flow.Registration) bool { return r.Style == styleCall || r.Style == styleRPC }

func (a *analysis) finish() {
	a.out.Facts = a.in.Facts(a.incomplete)
	named := map[string]bool{}
	for _, r := range a.in.Tools {
		if !dispatches(r) {
			named[r.Name] = true
			a.tool(r.Name, a.lang.signature(r.Handler))
		}
	}
	for _, r := range a.in.Tools {
		if !dispatches(r) {
			continue
		}
		for _, tool := range a.in.ToolNames() {
			if !named[tool] {
				named[tool] = true
				a.tool(tool, a.lang.signature(r.Handler))
			}
		}
		if len(a.in.ToolNames()) == 0 {
			a.tool("", a.lang.signature(r.Handler))
		}
	}
	slices.SortFunc(a.out.Tools, func(x, y source.Tool) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Handler.File, y.Handler.File), cmp.Compare(x.Handler.Line, y.Handler.Line))
	})
	slices.SortStableFunc(a.out.Unread, func(x, y source.Unread) int { return cmp.Compare(x.What, y.What) })
}

func (a *analysis) tool(name string, handler *flow.Func) {
	a.out.Tools = append(a.out.Tools, source.Tool{
		Name:    name,
		Params:  a.in.Params(name),
		Handler: audit.Place{File: handler.Pos.File, Line: handler.Pos.Line, Col: handler.Pos.Col},
		End:     handler.End,
	})
}
