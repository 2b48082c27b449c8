// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package javascript reads the code of an MCP server in JavaScript or TypeScript. It reports
// where an argument of a tool reaches a file, a request or a program, and past which guards.
//
//	package.json → entries → parse (esbuild, goja) → flow → facts
//
// Nothing of the audited package runs, and nothing outside its directory is read. Its
// dependencies are not read either: package flow knows Node.js, zod and some others. If the
// analysis finds no handler of a tool, it says nothing about the server.
//
// The result lists every gap: files that cannot be parsed, imports without a file, handlers that
// ran out of steps. A gap is not an error, because the rest of the server is still worth reading;
// but a tool with a gap never counts as safe.
//
//	manifest.go    package.json and tsconfig.json: where the program begins, and its aliases
//	workspace.go   repositories of several packages
//	tree.go        the directory, and finding the file for an import
//	view.go        the directory as one of two interpreters sees it
package javascript

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/flow"
)

// Analyze reads a directory with a package.json, or a single file. It returns an error if
// nothing could be read at all; parts that could not be read are listed in the result. The
// same input gives the same result, unless the time ran out.
//
// If the entries of the package register no tool, a second analysis begins with all of its
// files: some frameworks find tools by where files lie, so nothing imports them.
func Analyze(ctx context.Context, dir string, opts source.Options) (result source.Result, err error) {
	opts = opts.WithDefaults()
	ctx, cancel := opts.Within(ctx)
	defer cancel()
	t, err := openTree(dir, opts)
	if err != nil {
		return source.Result{}, err
	}
	defer t.close()
	// A fault of the parsers or of ours must not end the process: the input is hostile.
	defer func() {
		if recover() != nil {
			err = errors.New("the analysis broke off; report this with the package as a fault of toolvet")
		}
	}()
	entries := t.entries()
	if len(entries) == 0 {
		return source.Result{}, fmt.Errorf("%s: no JavaScript or TypeScript was found: give a directory with a package.json, or a file", path.Base(dir))
	}
	// A file gets more steps than a handler, because it is set up once for all handlers.
	limits := flow.Limits{StepsFile: 4 * opts.Steps, StepsHandler: 2 * opts.Steps, Steps: 20 * opts.Steps, Depth: opts.Depth, Handlers: 500}
	view := t.view()
	program := flow.New(ctx, view.load, view.again, limits)
	run := func(names []string) {
		for _, name := range names {
			if ctx.Err() != nil {
				t.lose(name, "not analysed: time")
				continue
			}
			if f, ok := view.parse(name); ok {
				program.Run(f)
			}
		}
	}
	run(entries)
	report := program.Finish()
	// Nothing was registered from the entries on. A new analysis starts from all files; its
	// state must not contain half of the old one.
	if report.Handlers == 0 && !t.single {
		more := t.others(entries)
		program = flow.New(ctx, view.load, view.again, limits)
		run(more)
		report = program.Finish()
	}
	return t.result(report), nil
}

// result turns a report into facts.
func (t *tree) result(report flow.Report) source.Result {
	// Both interpreters have ended.
	t.gather()
	var r source.Result
	for _, f := range report.Arrivals {
		fact := audit.Fact{Cell: f.Cell, Method: audit.Static, Verdict: f.Verdict, Confidence: f.Confidence, Kind: f.Kind, Why: f.Why}
		for _, s := range f.Steps {
			fact.Flow = append(fact.Flow, t.original(s))
		}
		r.Facts = append(r.Facts, fact)
	}
	for _, tool := range report.Tools {
		begin, end := t.original(tool.Handler), t.original(tool.End)
		if end.File != begin.File { // by a map that says so
			end.Line = 0
		}
		r.Tools = append(r.Tools, source.Tool{Name: tool.Name, Params: tool.Params, Handler: begin, End: end.Line})
	}
	t.unfinished(report)
	for name := range t.files {
		r.Files = append(r.Files, name)
	}
	for what, why := range t.unread {
		r.Unread = append(r.Unread, source.Unread{What: what, Why: why, Code: t.missing[what]})
	}
	sort.Strings(r.Files)
	sort.Slice(r.Unread, func(i, j int) bool { return r.Unread[i].What < r.Unread[j].What })
	return r
}

// unfinished lists everything that the budget cut short.
func (t *tree) unfinished(report flow.Report) {
	for _, tool := range report.Unfinished {
		if tool == "" {
			tool = "a handler of many tools"
		}
		t.skip(tool, "not analysed to the end: budget")
	}
	for _, name := range report.Cut {
		t.lose(name, "not run to the end: budget")
	}
	if report.Dropped > 0 {
		t.lose(fmt.Sprintf("%d further handlers", report.Dropped), "not analysed: budget")
	}
	for _, n := range report.Notes {
		t.lose("a part", n)
	}
	if report.Late {
		t.lose("the rest", "not analysed: time")
	}
}

// original is a place in the source of a file, if the package has a map to it. A map may name
// anything as a source, so only names inside the directory are used. The source itself is not
// read: the place only tells a person where to look.
func (t *tree) original(s flow.Step) audit.Place {
	p := audit.Place{File: s.File, Line: s.Line, Col: s.Col, Note: s.Note}
	source, line, col, ok := t.mapOf(s.File).Find(s.Line-1, s.Col-1)
	if !ok || strings.Contains(source, "://") {
		return p
	}
	name := path.Join(path.Dir(s.File), source)
	// A source outside the directory would be a place that nobody can look at.
	if name == ".." || strings.HasPrefix(name, "../") || path.IsAbs(source) {
		return p
	}
	p.File, p.Line, p.Col = name, line+1, col+1
	return p
}
