// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// The phases of an analysis: files are run, functions that only export a registration are called,
// handlers run, and the report is put together.

// A Program is the analysis of one program: Run takes its files, and Finish the handlers that
// they registered. It is not safe for concurrent use.
type Program struct {
	in    *interp
	again func() Loader
	// the files that were run, for a second interpreter (lanes.go)
	files []*parse.File
}

// New makes an analysis. The context bounds its time. If the handlers cost much, a second
// interpreter runs the same files at the same time, with the loader that again returns.
func New(ctx context.Context, load Loader, again func() Loader, limits Limits) *Program {
	return &Program{in: newInterp(ctx, load, limits), again: again}
}

// Run runs a file as the program's beginning.
func (p *Program) Run(f *parse.File) {
	p.files = append(p.files, f)
	p.in.entry(f)
}

// entry runs a file that nothing imports.
func (in *interp) entry(f *parse.File) {
	in.bounded(in.budget.limits.StepsFile, func() { in.module(f) })
}

// A Report is the result of an analysis.
type Report struct {
	Arrivals []Arrival
	// Tools are those that were recognised, by name.
	Tools    []Tool
	Handlers int
	// Cut are files that were not run to their end.
	Cut []string
	// Unfinished are tools with handlers that were not run to their end; "" is a handler of many
	// tools.
	Unfinished []string
	// Dropped counts handlers beyond the limit.
	Dropped int
	Notes   []string
	// Late: the time was up.
	Late bool
}

// A Tool is one with a recognised handler.
type Tool struct {
	Name string
	// pointers into the arguments, sorted
	Params  []string
	Handler Step
	End     Step // of the handler
}

// Finish first calls functions that register tools but have no caller, and then runs all
// handlers.
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

// setUp does everything that comes before a call of a tool.
func (in *interp) setUp() {
	in.bounded(in.budget.limits.StepsFile, in.uncalled) // the rest of the steps is for the handlers
	in.definitions.closed, in.definitions.closures, in.definitions.classes = true, nil, nil
	in.begin()
}

// begins is the place of a handler's function.
func (h *handler) begins() Step {
	c := h.fn[0].obj.call
	return position{c.file, c.node.Idx0()}.step("the handler")
}

// ends is the end of a handler's function.
func (h *handler) ends() Step {
	c := h.fn[0].obj.call
	return position{c.file, c.node.Idx1() - 1}.step("")
}

// definitions are the functions and classes that the files have made. A library exports the
// function that registers its tools and calls it nowhere:
//
//	export function register(server) { server.tool("read", …) }
//
// So functions without a call are called when all files are loaded (uncalled). Once the handlers
// run the lists are closed: a handler's functions are no entries into the program.
type definitions struct {
	called   map[ast.Node]bool
	closures []*Object
	classes  []*Object
	closed   bool
}

// remember notes a function, until uncalled has run.
func (d *definitions) remember(o *Object) {
	if !d.closed {
		d.closures = append(d.closures, o)
	}
}

// hints are texts that a function contains if it registers tools.
var hints = []string{".tool(", ".registerTool(", ".addTool(", ".setRequestHandler("}

// uncalled calls functions with a registration of tools in their text that nothing has called:
// libraries export them, and frameworks call them. A call may make further functions, hence the
// rounds. If no tool was registered so far, instances are made of classes with the look of tools,
// and at last files and functions that answer tools/call themselves are searched (sweep).
func (in *interp) uncalled() {
	// Three rounds follow functions with a registration in a function that they return.
	for range 3 {
		progress := false
		// The list grows while functions of it run.
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
	// Classes and files are guesses, and not needed where tools were registered properly.
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

// callAlone calls a function with unknown arguments. A method gets an instance.
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

// toolClass looks for tools that are classes: their instances have the name of a tool, and a
// method that runs it. Nobody in the program makes an instance; a framework does.
//
//	export class ReadTool { name = "read"; schema = z.object({…}); async execute(input) { … } }
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

// describedTool is a tool that describes itself by the methods getName and getConfig.
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

// registers reports whether the text of a function contains a registration.
func (c *closure) registers() bool {
	from, to := max(c.begin-1, 0), min(c.end-1, len(c.file.file.Text))
	if from >= to {
		return false
	}
	return registersTools(c.file.file.Text[from:to])
}

// registersTools reports whether a text contains a registration.
func registersTools(text string) bool {
	for _, h := range hints {
		if strings.Contains(text, h) {
			return true
		}
	}
	return false
}
