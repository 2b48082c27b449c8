// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"maps"
	"slices"
	"sync"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// Handlers share what the files have set up, and nothing else. So where they cost much, a second
// interpreter runs the files again, and takes each other handler. Which handlers it takes depends
// on the program alone and not on the machine, so that the same program gives the same report.

const (
	shareSteps = 100_000 // of handlers, and no fewer than the files took, before what is left is shared
	shareTasks = 4       // handlers that are left then
	// maxMerged bounds the findings of all handlers.
	maxMerged = 10 * maxFindings
)

// A task is a handler that is run for one tool, or for all that it knows.
type task struct {
	index int // of the handler
	tool  string
	group *group // of a handler of many tools
}

// A group is what a handler of many tools came to when it was run for all of them.
type group struct {
	all  map[findingKey]*found
	told map[findingKey]bool // of those, what a tool was found to do
}

// An outcome is what came of a task.
type outcome struct {
	handler *handler
	found   map[findingKey]*found
	whole   bool
}

// tasks are the handlers, one by one. Those of many tools are run to learn which tools they know.
func (in *interp) tasks(listed map[string]bool) []task {
	var list []task
	for i, h := range in.handlers {
		if !h.low {
			list = append(list, task{index: i, tool: h.tool})
			continue
		}
		in.picks = map[string]bool{}
		o := in.do(task{index: i})
		maps.Copy(in.picks, listed)
		if len(in.picks) == 0 {
			in.take(task{}, o)
			continue
		}
		g := &group{all: o.found, told: map[findingKey]bool{}}
		for _, name := range slices.Sorted(maps.Keys(in.picks)) {
			list = append(list, task{i, name, g})
		}
	}
	return list
}

// do runs a task.
func (in *interp) do(t task) outcome {
	h := *in.handlers[t.index]
	h.tool = t.tool
	before := in.found
	in.found = &findings{}
	whole := in.runHandler(&h)
	o := outcome{&h, in.found.byKey, whole}
	in.found = before
	return o
}

// take adds an outcome to the report.
func (in *interp) take(t task, o outcome) {
	if !o.whole {
		in.unfinished = append(in.unfinished, o.handler)
	}
	in.ofTools = append(in.ofTools, o.handler)
	if len(in.found.byKey) < maxMerged {
		in.found.add(o.found)
	}
	if t.group == nil {
		return
	}
	for k := range o.found {
		k.cell.Tool = ""
		t.group.told[k] = true
	}
	if !o.whole {
		in.found.addOf(t.group.all, t.tool)
	}
}

// rest adds what the run for all tools found and none of the others did, of tools whose names are
// not known.
func (g *group) rest(f *findings) {
	for k := range g.told {
		delete(g.all, k)
	}
	f.addOf(g.all, "")
}

// runHandlers runs all handlers.
func (p *Program) runHandlers() {
	in := p.in
	setUp := in.steps
	list := in.tasks(in.listed())
	out := make([]outcome, len(list))
	i := 0
	for ; i < len(list) && (in.steps-setUp < max(setUp, shareSteps) || len(list)-i < shareTasks); i++ {
		out[i] = in.do(list[i])
	}
	if i < len(list) {
		p.share(list[i:], out[i:])
	}
	var groups []*group
	for i, t := range list {
		in.take(t, out[i])
		if g := t.group; g != nil && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	for _, g := range groups {
		g.rest(in.found)
	}
}

// share runs tasks in two interpreters.
func (p *Program) share(list []task, out []outcome) {
	other := newInterp(p.in.ctx, p.again(), p.in.limits)
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		other.repeat(p.files)
		other.turns(1, list, out)
	}()
	p.in.turns(0, list, out)
	wait.Wait()
	p.in.merge(other)
	for i := range out {
		if out[i].handler == nil { // the other interpreter broke off
			h := *p.in.handlers[list[i].index]
			h.tool = list[i].tool
			out[i].handler = &h
		}
	}
}

// repeat runs what is run before the handlers.
func (in *interp) repeat(files []*parse.File) {
	for _, f := range files {
		in.entry(f)
	}
	in.setUp()
}

// turns runs every other task, from one on.
func (in *interp) turns(from int, list []task, out []outcome) {
	defer func() {
		if recover() != nil {
			in.notes = append(in.notes, "the reader broke off") // a fault of ours must not hide the rest
		}
	}()
	for i := from; i < len(list); i += 2 {
		out[i] = in.do(list[i])
	}
}

// merge takes over what another interpreter has learned beside its outcomes.
func (in *interp) merge(other *interp) {
	for _, tool := range slices.Sorted(maps.Keys(other.params)) {
		for _, pointer := range slices.Sorted(maps.Keys(other.params[tool])) {
			in.parameter(tool, pointer)
		}
	}
	in.notes = append(in.notes, other.notes...)
	in.cut = append(in.cut, other.cut...)
	in.late = in.late || other.late
}
