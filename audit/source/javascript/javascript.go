// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package javascript reads the code of an MCP server in JavaScript or TypeScript, and tells where an
// argument of a tool reaches a file, a request or a program, and past which guards.
//
//	package.json → entries → parse (esbuild, goja) → flow → facts
//
// Nothing of the audited package is run, and nothing outside its directory is read. Packages that it
// depends on are not read either: what is known of Node.js, zod and some others stands in package
// flow. An analysis that finds no handler of a tool says nothing of the server.
package javascript

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/toolvet/toolvet/audit"
	"github.com/toolvet/toolvet/audit/source"
	"github.com/toolvet/toolvet/audit/source/javascript/internal/flow"
)

// Analyze reads a directory with a package.json, or a single file. It returns an error if nothing could
// be read at all; what could not be read in part stands in the result. The same input gives the same
// result, but for what the time ended.
func Analyze(ctx context.Context, dir string, opts source.Options) (result source.Result, err error) {
	opts = opts.WithDefaults()
	ctx, cancel := context.WithTimeout(ctx, opts.Time)
	defer cancel()
	t, err := openTree(dir, opts)
	if err != nil {
		return source.Result{}, err
	}
	defer t.close()
	defer func() {
		if recover() != nil {
			err = errors.New("the analysis broke off; report this with the package as a fault of toolvet")
		}
	}()
	entries := t.entries()
	if len(entries) == 0 {
		return source.Result{}, fmt.Errorf("%s: no JavaScript or TypeScript was found: give a directory with a package.json, or a file", path.Base(dir))
	}
	limits := flow.Limits{StepsFile: 4 * opts.Steps, StepsHandler: 2 * opts.Steps, Steps: 20 * opts.Steps, Depth: opts.Depth, Handlers: 500}
	view := t.view()
	program := flow.New(ctx, view.load, view.again, limits)
	run := func(names []string) {
		for _, name := range names {
			if ctx.Err() != nil {
				t.skip(name, "not analysed: time")
				continue
			}
			if f, ok := view.parse(name); ok {
				program.Run(f)
			}
		}
	}
	run(entries)
	report := program.Finish()
	if report.Handlers == 0 && !t.single {
		more := t.others(entries)
		program = flow.New(ctx, view.load, view.again, limits)
		run(more)
		report = program.Finish()
	}
	return t.result(report), nil
}

// result puts a report into facts.
func (t *tree) result(report flow.Report) source.Result {
	t.gather()
	var r source.Result
	for _, f := range report.Arrivals {
		fact := audit.Fact{Cell: f.Cell, Method: audit.Static, Verdict: f.Verdict, Confidence: f.Confidence, Rule: f.Rule, Why: f.Why}
		for _, s := range f.Steps {
			fact.Flow = append(fact.Flow, t.original(s))
		}
		r.Facts = append(r.Facts, fact)
	}
	for _, tool := range report.Tools {
		r.Tools = append(r.Tools, source.Tool{Name: tool.Name, Params: tool.Params, Handler: t.original(tool.Handler)})
	}
	t.unfinished(report)
	for name := range t.files {
		r.Files = append(r.Files, name)
	}
	for what, why := range t.unread {
		r.Unread = append(r.Unread, source.Unread{What: what, Why: why})
	}
	sort.Strings(r.Files)
	sort.Slice(r.Unread, func(i, j int) bool { return r.Unread[i].What < r.Unread[j].What })
	return r
}

// unfinished notes what the budget cut short.
func (t *tree) unfinished(report flow.Report) {
	for _, tool := range report.Unfinished {
		if tool == "" {
			tool = "a handler of many tools"
		}
		t.skip(tool, "not analysed to the end: budget")
	}
	for _, name := range report.Cut {
		t.skip(name, "not run to the end: budget")
	}
	if report.Dropped > 0 {
		t.skip(fmt.Sprintf("%d further handlers", report.Dropped), "not analysed: budget")
	}
	for _, n := range report.Notes {
		t.skip("a part", n)
	}
	if report.Late {
		t.skip("the rest", "not analysed: time")
	}
}

// original is the place in the source of a file, where the package has a map to it.
func (t *tree) original(s flow.Step) audit.Place {
	p := audit.Place{File: s.File, Line: s.Line, Col: s.Col, Note: s.Note}
	source, line, col, ok := t.mapOf(s.File).Find(s.Line-1, s.Col-1)
	if !ok || strings.Contains(source, "://") {
		return p
	}
	name := path.Join(path.Dir(s.File), source)
	if name == ".." || strings.HasPrefix(name, "../") || path.IsAbs(source) {
		return p
	}
	p.File, p.Line, p.Col = name, line+1, col+1
	return p
}
