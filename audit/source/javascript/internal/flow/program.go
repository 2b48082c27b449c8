// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/toolvet/toolvet/audit/source/javascript/internal/parse"
)

// A Program is the analysis of one program: files are run, then Finish runs the handlers that they
// registered. It is not safe for concurrent use.
type Program struct {
	in    *interp
	again func() Loader
	files []*parse.File // that were run
}

// New makes an analysis. The context bounds its time. Two interpreters may read the program at the same
// time: the second one has the loader that again gives.
func New(ctx context.Context, load Loader, again func() Loader, limits Limits) *Program {
	return &Program{in: newInterp(ctx, load, limits), again: again}
}

// Run runs a file as the program's beginning.
func (p *Program) Run(f *parse.File) {
	p.files = append(p.files, f)
	p.in.entry(f)
}

func (in *interp) entry(f *parse.File) {
	in.bounded(in.budget.limits.StepsFile, func() { in.module(f) })
}

// A Report is what came of an analysis.
type Report struct {
	Arrivals []Arrival
	Tools    []Tool // that were recognised, by name
	Handlers int
	Cut      []string // files whose code was not run to its end
	// Unfinished are tools whose handlers were not run to their end; "" is a handler of many tools.
	Unfinished []string
	Dropped    int // handlers beyond the limit
	Notes      []string
	Late       bool // the time was up
}

// A Tool is one whose handler was recognised.
type Tool struct {
	Name    string
	Params  []string // pointers into the arguments, sorted
	Handler Step
}

// Finish runs functions that nobody called and that register tools, then all handlers.
func (p *Program) Finish() Report {
	in := p.in
	in.setUp()
	p.runHandlers()
	r := Report{Handlers: len(in.registry.handlers), Cut: in.report.cut, Dropped: in.registry.dropped, Notes: in.report.notes, Late: in.budget.late, Tools: in.report.tools()}
	r.Arrivals = in.report.list(r.Tools)
	for _, h := range in.report.unfinished {
		r.Unfinished = append(r.Unfinished, h.tool)
	}
	return r
}

// setUp does what is done before a tool is called.
func (in *interp) setUp() {
	in.bounded(in.budget.limits.StepsFile, in.uncalled) // what is left is for the handlers
	in.definitions.closed, in.definitions.closures, in.definitions.classes = true, nil, nil
	in.begin()
}

// begins is where a handler begins.
func (h *handler) begins() Step {
	c := h.fn[0].obj.call
	return position{c.file, c.node.Idx0()}.step("the handler")
}

// definitions are the functions and classes that the files have made. A library exports the function
// that registers its tools and calls it nowhere:
//
//	export function register(server) { server.tool("read", …) }
//
// So what nothing has called when all files are loaded is called then (uncalled). Once the handlers run
// the lists are closed: what a handler makes is no entry into the program.
type definitions struct {
	called   map[ast.Node]bool
	closures []*Object
	classes  []*Object
	closed   bool
}

// remember notes a function that may be one that nobody calls, until these were called.
func (d *definitions) remember(o *Object) {
	if !d.closed {
		d.closures = append(d.closures, o)
	}
}

// hints are what a function that registers tools has in its text.
var hints = []string{".tool(", ".registerTool(", ".addTool(", ".setRequestHandler("}

// uncalled calls functions that the program only exports, if they register tools, and makes
// instances of classes that are tools.
func (in *interp) uncalled() {
	for range 3 {
		progress := false
		for i := 0; i < len(in.definitions.closures); i++ {
			o := in.definitions.closures[i]
			if in.definitions.called[o.call.node] || !o.call.registers() {
				continue
			}
			in.definitions.called[o.call.node] = true
			progress = true
			if !in.bounded(in.budget.limits.StepsHandler/4, func() { in.callAlone(o) }) {
				in.report.cut = append(in.report.cut, o.call.file.file.Name)
			}
		}
		if !progress {
			break
		}
	}
	in.registry.addDecorated()
	if slices.ContainsFunc(in.registry.handlers, func(h *handler) bool { return h.low || h.tool != "" }) {
		return
	}
	for i := 0; i < len(in.definitions.classes) && i < 500; i++ {
		in.bounded(in.budget.limits.StepsHandler, func() { in.toolClass(in.definitions.classes[i]) })
	}
	if len(in.registry.handlers) == 0 {
		in.sweep()
	}
}

func (in *interp) callAlone(o *Object) {
	this := o.call.this
	if c := o.call.home; c != nil {
		this = in.instanceOfTool(c.ctor)
	}
	args := make([]Value, 0, len(o.call.params.List))
	for range o.call.params.List {
		args = append(args, unknown())
	}
	in.state.dead = false
	in.invoke(o, this, args, position{})
	in.state.dead = false
}

// toolClass is a class whose instances have the name of a tool, and a method for its calls.
func (in *interp) toolClass(ctor *Object) {
	proto := ctor.class.protoObject
	describes := len(functions(proto.own("getName"))) > 0 && len(functions(proto.own("exec"))) > 0
	if len(in.handlerOf(proto)) == 0 && !describes {
		return
	}
	v := in.instanceOfTool(ctor)
	in.state.dead = false
	if len(v) == 0 || v[0].kind != isObject {
		return
	}
	if name, ok := in.get(v, "name", position{}).one(); ok && len(schemaField(v[0].obj)) > 0 && strings.TrimSpace(name) != "" {
		in.registerObject(v[0].obj, nil, position{})
	} else if describes {
		in.describedTool(v)
	}
}

// describedTool is a tool whose methods say what it is called and what its arguments are.
func (in *interp) describedTool(v Value) {
	name := settledOf(in.callMethod(v, "getName", nil, position{}))
	in.state.dead = false
	if len(name.words()) == 0 {
		return
	}
	h := &handler{fn: functions(in.get(v, "exec", position{})), this: v}
	for _, a := range settledOf(in.callMethod(v, "getConfig", nil, position{})) {
		if a.kind == isObject {
			h.schema = schemaField(a.obj)
		}
	}
	in.state.dead = false
	in.registry.addNamed(name, h)
}

// registers says whether the text of a function has a registration in it.
func (c *closure) registers() bool {
	from, to := max(c.begin-1, 0), min(c.end-1, len(c.file.file.Text))
	if from >= to {
		return false
	}
	return registersTools(c.file.file.Text[from:to])
}

// registersTools says whether a text has a registration in it.
func registersTools(text string) bool {
	for _, h := range hints {
		if strings.Contains(text, h) {
			return true
		}
	}
	return false
}
