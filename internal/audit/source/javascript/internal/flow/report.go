// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"sort"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
)

// The report: the worst verdict on each parameter, and the gaps of the analysis.

// A report is the outcome of the analysis so far. Outcomes of handlers are put into it one by one
// and in the order of the handlers, whoever ran them (take).
type report struct {
	found      *arrivals
	ran        []*handler                 // each for one tool
	unfinished []*handler                 // of these, the ones that were not run to their end
	params     map[string]map[string]bool // parameters that tools declare or read, by tool
	cut        []string                   // files that were not run to their end
	notes      []string
}

// tools are the tools of the handlers that ran, sorted by name.
func (rep *report) tools() []Tool {
	byName := map[string]Tool{}
	for _, h := range rep.ran {
		if _, ok := byName[h.tool]; !ok {
			byName[h.tool] = Tool{Name: h.tool, Handler: h.begins(), End: h.ends()}
		}
	}
	var out []Tool
	for name, t := range byName {
		for p := range rep.params[name] {
			t.Params = append(t.Params, p)
		}
		sort.Strings(t.Params)
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// parameter notes a parameter of a tool. An object with parameters in it is none itself.
func (rep *report) parameter(tool, pointer string) {
	list := rep.params[tool]
	if list == nil {
		list = map[string]bool{}
		rep.params[tool] = list
	}
	if len(list) < maxParams {
		list[pointer] = true
		for i := strings.LastIndexByte(pointer, '/'); i > 0; i = strings.LastIndexByte(pointer[:i], '/') {
			delete(list, pointer[:i])
		}
	}
}

// list is one arrival for each parameter and kind, the worst. Harmless ones are told only where
// there is nothing worse, and remarks only where there is no weakness.
func (rep *report) list(tools []Tool) []Arrival {
	var all []*arrival
	for _, f := range rep.found.byKey {
		all = append(all, f)
	}
	sort.Slice(all, func(i, j int) bool { return before(all[i], all[j]) })
	var out []Arrival
	worst, cut := map[audit.Cell]int{}, rep.cutTools(tools)
	seen := map[string]bool{}
	for _, f := range all {
		cell := f.key.cell
		w, known := worst[cell]
		if !known {
			worst[cell] = f.rank()
			w = f.rank()
		}
		id := cell.Tool + "\x00" + cell.Param + "\x00" + string(cell.Class) + "\x00" + f.kind
		// Another place with the same verdict, a guard beside a weakness, or a remark beside one.
		if seen[id] || f.rank() > 2 && w < f.rank() || f.rank() == 2 && w < 2 {
			continue
		}
		seen[id] = true
		told := arrived(f)
		if told.Verdict == audit.Guarded && cut[told.Cell.Tool] { // there may be a way without the guard
			told.Verdict, told.Why = audit.Inconclusive, notToItsEnd
		}
		out = append(out, told)
	}
	out = append(out, rawArrivals(all)...)
	return append(out, rep.rest(tools, worst)...)
}

const notToItsEnd = "the handler was not analysed to its end: budget"

// cutTools are the tools with a handler that was not run to its end.
func (rep *report) cutTools(tools []Tool) map[string]bool {
	cut := map[string]bool{}
	for _, h := range rep.unfinished {
		cut[h.tool] = true
		// Any tool may have been in the rest of this handler.
		if h.low && h.tool == "" {
			for _, t := range tools {
				cut[t.Name] = true
			}
		}
	}
	return cut
}

// rest tells of parameters that reach nothing. Where a handler was not run to its end, nobody
// knows.
func (rep *report) rest(tools []Tool, known map[audit.Cell]int) []Arrival {
	cut := rep.cutTools(tools)
	var out []Arrival
	for _, t := range tools {
		params := t.Params
		// Nobody knows the parameters, but the tool has to appear as unfinished.
		if len(params) == 0 && cut[t.Name] {
			params = []string{""}
		}
		for _, p := range params {
			for _, class := range []audit.Class{audit.Path, audit.URL, audit.Command} {
				cell := audit.Cell{Tool: t.Name, Param: p, Class: class}
				if _, ok := known[cell]; ok {
					continue
				}
				f := Arrival{Cell: cell, Verdict: audit.NoEvidence, Kind: "nothing", Why: "the parameter reaches nothing of this kind that is known here"}
				if cut[t.Name] {
					f.Verdict, f.Kind, f.Why = audit.Inconclusive, "budget", notToItsEnd
				}
				out = append(out, f)
			}
		}
	}
	return out
}

// before orders arrivals, worst first. The order is total, since arrivals come out of a map.
func before(a, b *arrival) bool {
	if a.rank() != b.rank() {
		return a.rank() < b.rank()
	}
	x, y := a.key, b.key
	switch {
	case x.cell != y.cell:
		return x.cell.Tool+"\x00"+x.cell.Param+"\x00"+string(x.cell.Class) < y.cell.Tool+"\x00"+y.cell.Param+"\x00"+string(y.cell.Class)
	case x.at.unit != nil && y.at.unit != nil && x.at.unit.file != y.at.unit.file:
		return x.at.unit.file.Name < y.at.unit.file.Name
	case x.at.idx != y.at.idx:
		return x.at.idx < y.at.idx
	case x.kind != y.kind:
		return x.kind < y.kind
	}
	return a.sink < b.sink
}

// arrived is an arrival with its way, from the oldest step to the sink.
func arrived(f *arrival) Arrival {
	out := Arrival{Cell: f.key.cell, Verdict: f.verdict, Confidence: f.confidence, Kind: f.kind, Why: f.why}
	var list []*step
	for s := f.steps; s != nil && len(list) < 2*maxSteps; s = s.prev {
		list = append(list, s)
	}
	for i := len(list) - 1; i >= 0; i-- {
		out.Steps = append(out.Steps, list[i].at.step(list[i].note))
	}
	if f.key.at.unit != nil {
		out.Steps = append(out.Steps, f.key.at.step("passed to "+clip(f.sink)))
	}
	return out
}

// rawArrivals are for tools that pass arguments to a sink as they were sent, while nobody looks
// at the schema. They are suspected where no guard is on the way, and remarks otherwise.
func rawArrivals(all []*arrival) []Arrival {
	var out []Arrival
	seen := map[string]bool{}
	for _, f := range all {
		tool := f.key.cell.Tool
		if !f.raw || seen[tool] || f.verdict != audit.Vulnerable {
			continue
		}
		seen[tool] = true
		g := arrived(f)
		g.Cell = audit.Cell{Tool: tool, Class: audit.Schema}
		g.Verdict, g.Kind = audit.Vulnerable, "raw-arguments"
		g.Confidence = audit.Metadata
		// No guard is on the way, or one with gaps.
		if f.rank() < 2 {
			g.Confidence = audit.Suspected
		}
		g.Why = "the arguments are used as they were sent: neither a parser nor a check of types is on the way"
		out = append(out, g)
	}
	return out
}

// take adds the outcome of a task. If a tool's own run was cut short, arrivals of the run without
// a name count for the tool, too.
func (rep *report) take(t task, o outcome) {
	if !o.whole {
		rep.unfinished = append(rep.unfinished, o.handler)
	}
	rep.ran = append(rep.ran, o.handler)
	if len(rep.found.byKey) < maxMerged {
		rep.found.add(o.found)
	}
	if t.group == nil {
		return
	}
	for k := range o.found {
		k.cell.Tool = ""
		t.group.told[k] = true
	}
	if !o.whole {
		rep.found.addOf(t.group.all, t.tool)
	}
}
