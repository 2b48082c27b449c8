// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"maps"
	"slices"
	"sync"

	"github.com/toolvet/toolvet/audit/source/javascript/internal/parse"
)

// Handlers share what the files have set up, and nothing else. So where they cost much, a second
// interpreter runs the files again, and takes each other handler. Which handlers it takes depends
// on the program alone and not on the machine, so that the same program gives the same report.

const (
	shareSteps = 100_000 // of handlers, and no fewer than the files took, before what is left is shared
	shareTasks = 4       // handlers that are left then
	// maxMerged bounds the findings of all handlers.
	maxMerged = 10 * maxArrivals
)

// A task is a handler that is run for one tool, or for all that it knows.
type task struct {
	index int // of the handler
	tool  string
	group *group // of a handler of many tools
}

// A group is what a handler of many tools came to when it was run for all of them.
type group struct {
	all  map[arrivalKey]*arrival
	told map[arrivalKey]bool // of those, what a tool was found to do
}

// An outcome is what came of a task.
type outcome struct {
	handler *handler
	found   map[arrivalKey]*arrival
	whole   bool
}

// tasks are the handlers, one by one. Those of many tools are run to learn which tools they know.
func (in *interp) tasks(listed map[string]bool) []task {
	var list []task
	for i, h := range in.registry.handlers {
		if !h.low {
			list = append(list, task{index: i, tool: h.tool})
			continue
		}
		in.registry.picks = map[string]bool{}
		o := in.do(task{index: i})
		maps.Copy(in.registry.picks, listed)
		if len(in.registry.picks) == 0 {
			in.report.take(task{}, o)
			continue
		}
		g := &group{all: o.found, told: map[arrivalKey]bool{}}
		for _, name := range slices.Sorted(maps.Keys(in.registry.picks)) {
			list = append(list, task{i, name, g})
		}
	}
	return list
}

// do runs a task.
func (in *interp) do(t task) outcome {
	h := *in.registry.handlers[t.index]
	h.tool = t.tool
	before := in.report.found
	in.report.found = &arrivals{}
	whole := in.runHandler(&h)
	o := outcome{&h, in.report.found.byKey, whole}
	in.report.found = before
	return o
}

// rest adds what the run for all tools found and none of the others did, of tools whose names are
// not known.
func (g *group) rest(f *arrivals) {
	for k := range g.told {
		delete(g.all, k)
	}
	f.addOf(g.all, "")
}

// runHandlers runs all handlers.
func (p *Program) runHandlers() {
	in := p.in
	setUp := in.budget.steps
	list := in.tasks(in.listed())
	out := make([]outcome, len(list))
	i := 0
	for ; i < len(list) && (in.budget.steps-setUp < max(setUp, shareSteps) || len(list)-i < shareTasks); i++ {
		out[i] = in.do(list[i])
	}
	if i < len(list) {
		p.share(list[i:], out[i:])
	}
	var groups []*group
	for i, t := range list {
		in.report.take(t, out[i])
		if g := t.group; g != nil && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	for _, g := range groups {
		g.rest(in.report.found)
	}
}

// share runs tasks in two interpreters.
func (p *Program) share(list []task, out []outcome) {
	other := newInterp(p.in.budget.ctx, p.again(), p.in.budget.limits)
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
			h := *p.in.registry.handlers[list[i].index]
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
			in.report.notes = append(in.report.notes, "the reader broke off") // a fault of ours must not hide the rest
		}
	}()
	for i := from; i < len(list); i += 2 {
		out[i] = in.do(list[i])
	}
}

// merge takes over what another interpreter has learned beside its outcomes.
func (in *interp) merge(other *interp) {
	for _, tool := range slices.Sorted(maps.Keys(other.report.params)) {
		for _, pointer := range slices.Sorted(maps.Keys(other.report.params[tool])) {
			in.report.parameter(tool, pointer)
		}
	}
	in.report.notes = append(in.report.notes, other.report.notes...)
	in.report.cut = append(in.report.cut, other.report.cut...)
	in.budget.late = in.budget.late || other.budget.late
}
