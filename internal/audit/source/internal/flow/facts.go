// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"cmp"
	"maps"
	"slices"

	"github.com/toolvet/toolvet/internal/audit"
)

// Classes are the classes with sinks here.
var Classes = []audit.Class{audit.Path, audit.URL, audit.Command}

// Facts are all facts, sorted. incomplete gives the tools that were not looked at to the end, and the reason.
func (in *Interp) Facts(incomplete map[string]string) []audit.Fact {
	in.forAll()
	cells := map[audit.Cell]bool{}
	var out []audit.Fact
	for _, h := range in.best() {
		cells[h.fact.Cell] = true
		f := h.fact
		if why := incomplete[f.Tool]; why != "" && f.Verdict == audit.Guarded { // there may be a way without the guard
			f.Verdict, f.Why = audit.Inconclusive, why
		}
		out = append(out, f)
	}
	for tool, params := range in.reads {
		for param, pos := range params {
			for _, class := range Classes {
				cell := audit.Cell{Tool: tool, Param: param, Class: class}
				if cells[cell] {
					continue
				}
				out = append(out, nothing(cell, pos, incomplete[tool]))
			}
		}
	}
	slices.SortFunc(out, compareFacts)
	return out
}

func nothing(cell audit.Cell, pos Pos, incomplete string) audit.Fact {
	f := audit.Fact{Cell: cell, Method: audit.Static, Verdict: audit.NoEvidence, Why: "the value reaches no function of this kind that is known"}
	if incomplete != "" {
		f.Verdict, f.Why = audit.Inconclusive, incomplete
	}
	if pos.Line > 0 {
		f.Flow = []audit.Place{place(pos, "read from the arguments")}
	}
	return f
}

// best are the hits, without guards that are missing on some way.
func (in *Interp) best() []*hit {
	worst := map[audit.Cell]int{}
	for _, h := range in.hits {
		worst[h.fact.Cell] = max(worst[h.fact.Cell], h.rank)
	}
	var out []*hit
	for _, h := range in.hits {
		if h.rank != guardedRank || worst[h.fact.Cell] == guardedRank {
			out = append(out, h)
		}
	}
	return out
}

func compareFacts(a, b audit.Fact) int {
	return cmp.Or(
		cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Param, b.Param), cmp.Compare(a.Class, b.Class),
		cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.Kind, b.Kind),
	)
}

// Params are the parameters of a tool that were read, sorted.
func (in *Interp) Params(tool string) []string {
	var out []string
	for p := range in.reads[tool] {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// ToolNames are the tools with an argument that was read, sorted.
func (in *Interp) ToolNames() []string {
	var out []string
	for tool := range in.reads {
		out = append(out, tool)
	}
	slices.Sort(out)
	return out
}

// Named are the tools that a dispatcher knows, sorted.
func (in *Interp) Named() []string { return slices.Sorted(maps.Keys(in.named)) }

// forAll attributes a dispatcher's actions before its look at the tool's name to each tool of the dispatcher.
func (in *Interp) forAll() {
	for name := range in.named {
		for param, pos := range in.reads[""] {
			in.read(name, param, pos)
		}
		for key, h := range in.hits {
			if key.tool != "" {
				continue
			}
			key.tool = name
			if old, ok := in.hits[key]; !ok || old.rank < h.rank {
				c := *h
				c.fact.Tool = name
				in.hits[key] = &c
			}
		}
	}
	if len(in.named) == 0 {
		return
	}
	delete(in.reads, "")
	for key := range in.hits {
		if key.tool == "" {
			delete(in.hits, key)
		}
	}
}
