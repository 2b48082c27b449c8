// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"maps"
	"slices"
	"sync"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// Handlers share the state set up by the files, and nothing else. Where they cost much, a second
// interpreter runs the files again, and each of the two takes every other handler. The split
// depends on the program alone and not on the machine: the same program gives the same report.
const (
	// Handlers are shared once they have cost this much, and as much as the files: the second
	// interpreter has to run the files first.
	shareSteps = 100_000
	// handlers that must be left then
	shareTasks = 4
	// maxMerged bounds the arrivals of all handlers.
	maxMerged = 10 * maxArrivals
)

// A task is a run of a handler for one tool, or for all tools that it knows.
type task struct {
	// of the handler in the registry
	index int
	tool  string
	// of a handler of many tools
	group *group
}

// A group is the outcome of a handler of many tools, run without a tool's name.
type group struct {
	all map[arrivalKey]*arrival
	// arrivals of the same handler with the name of a tool; these need not be told again
	told map[arrivalKey]bool
}

// An outcome is the result of a task.
type outcome struct {
	handler *handler
	found   map[arrivalKey]*arrival
	whole   bool
}

// tasks are the handlers, one by one. One of many tools runs without a name first, to collect the
// names in its comparisons (picks); then it becomes a task for each name.
func (in *interp) tasks(listed map[string]bool) []task {
	var list []task
	for i, h := range in.registry.handlers {
		if !h.low {
			list = append(list, task{index: i, tool: h.tool})
			continue
		}
		// Names that came up while files were loaded belong to other tables.
		in.registry.picks = map[string]bool{}
		o := in.do(task{index: i})
		maps.Copy(in.registry.picks, listed)
		// It looks for no names: one tool, or a table that the analysis cannot see.
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

// do runs a task. Its arrivals are collected apart, so that outcomes can be put together in
// order.
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

// rest adds arrivals that came up without a tool's name only, as in a branch for a computed name.
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
	// The first handlers run alone, until it is clear that the rest costs more than setting up a
	// second interpreter.
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

// share runs tasks in two interpreters. They share no memory but parsed files and out, and each
// writes its own elements of out.
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

// repeat runs everything that comes before the handlers.
func (in *interp) repeat(files []*parse.File) {
	for _, f := range files {
		in.entry(f)
	}
	in.setUp()
}

// turns runs every other task, beginning with one.
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

// merge takes over another interpreter's parameters, notes and gaps; its outcomes are taken one
// by one.
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
