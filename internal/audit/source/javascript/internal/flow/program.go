// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
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

func newInterp(ctx context.Context, load Loader, limits Limits) *interp {
	return &interp{
		ctx: ctx, load: load, limits: limits, limit: limits.Steps, units: map[string]*unit{}, stack: map[ast.Node]int{}, ran: map[ast.Node]bool{}, costly: map[ast.Node]bool{}, memos: map[memoKey]*memo{},
		probed: map[probeKey]probed{}, globals: &scope{}, natives: map[string]*Object{}, origins: map[string]*origin{}, picks: map[string]bool{}, params: map[string]map[string]bool{}, found: &findings{},
	}
}

// Run runs a file as the program's beginning.
func (p *Program) Run(f *parse.File) {
	p.files = append(p.files, f)
	p.in.entry(f)
}

func (in *interp) entry(f *parse.File) { in.bounded(in.limits.StepsFile, func() { in.module(f) }) }

// A Report is what came of an analysis.
type Report struct {
	Findings []Finding
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
	r := Report{Handlers: len(in.handlers), Cut: in.cut, Dropped: in.dropped, Notes: in.notes, Late: in.late, Tools: in.tools()}
	r.Findings = in.report(r.Tools)
	for _, h := range in.unfinished {
		r.Unfinished = append(r.Unfinished, h.tool)
	}
	return r
}

// setUp does what is done before a tool is called.
func (in *interp) setUp() {
	in.bounded(in.limits.StepsFile, in.uncalled) // what is left is for the handlers
	in.ready, in.closures, in.classes = true, nil, nil
	in.begin()
}

// tools are the tools that handlers were run for.
func (in *interp) tools() []Tool {
	byName := map[string]Step{}
	for _, h := range in.ofTools {
		if _, ok := byName[h.tool]; !ok {
			byName[h.tool] = h.begins()
		}
	}
	var out []Tool
	for name, at := range byName {
		t := Tool{Name: name, Handler: at}
		for p := range in.params[name] {
			t.Params = append(t.Params, p)
		}
		sort.Strings(t.Params)
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// begins is where a handler begins.
func (h *handler) begins() Step {
	c := h.fn[0].obj.call
	return position{c.file, c.node.Idx0()}.step("the handler")
}

// hints are what a function that registers tools has in its text.
var hints = []string{".tool(", ".registerTool(", ".addTool(", ".setRequestHandler("}

// uncalled calls functions that the program only exports, if they register tools, and makes
// instances of classes that are tools.
func (in *interp) uncalled() {
	for range 3 {
		progress := false
		for i := 0; i < len(in.closures); i++ {
			o := in.closures[i]
			if in.ran[o.call.node] || !o.call.registers() {
				continue
			}
			in.ran[o.call.node] = true
			progress = true
			if !in.bounded(in.limits.StepsHandler/4, func() { in.callAlone(o) }) {
				in.cut = append(in.cut, o.call.file.file.Name)
			}
		}
		if !progress {
			break
		}
	}
	in.addDecorated()
	if slices.ContainsFunc(in.handlers, func(h *handler) bool { return h.low || h.tool != "" }) {
		return
	}
	for i := 0; i < len(in.classes) && i < 500; i++ {
		in.bounded(in.limits.StepsHandler, func() { in.toolClass(in.classes[i]) })
	}
	if len(in.handlers) == 0 {
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
	in.dead = false
	in.invoke(o, this, args, position{})
	in.dead = false
}

// toolClass is a class whose instances have the name of a tool, and a method for its calls.
func (in *interp) toolClass(ctor *Object) {
	proto := ctor.class.protoObject
	describes := len(functions(in.getOwn(proto, "getName"))) > 0 && len(functions(in.getOwn(proto, "exec"))) > 0
	if len(in.handlerOf(proto)) == 0 && !describes {
		return
	}
	v := in.instanceOfTool(ctor)
	in.dead = false
	if len(v) == 0 || v[0].kind != isObject {
		return
	}
	if name, ok := in.get(v, "name", position{}).one(); ok && len(in.schemaField(v[0].obj)) > 0 && strings.TrimSpace(name) != "" {
		in.registerObject(v[0].obj, nil, position{})
	} else if describes {
		in.describedTool(v)
	}
}

// describedTool is a tool whose methods say what it is called and what its arguments are.
func (in *interp) describedTool(v Value) {
	name := in.settled(in.callMethod(v, "getName", nil, position{}))
	in.dead = false
	if len(name.words()) == 0 {
		return
	}
	h := &handler{fn: functions(in.get(v, "exec", position{})), this: v}
	for _, a := range in.settled(in.callMethod(v, "getConfig", nil, position{})) {
		if a.kind == isObject {
			h.schema = in.schemaField(a.obj)
		}
	}
	in.dead = false
	in.addNamed(name, h)
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
