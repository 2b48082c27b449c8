// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"maps"
	"slices"

	"github.com/toolvet/toolvet/internal/audit/class"
)

// An Assessment combines all facts about one cell.
type Assessment struct {
	Cell
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"`
	// Proven, with Guarded, means that probes were blocked while a control call worked. Otherwise
	// the guard was only read in the code.
	Proven bool   `json:"proven,omitempty"`
	Facts  []Fact `json:"-"` // strongest first

	ran bool // the audit ran the server
}

// Assessed reports whether the cell is known, good or bad. In an audit that ran the server, a guard must have been
// seen at work: perhaps no other probe got as far as the hole. Of a reading alone, what was read is the best that there
// is.
func (a *Assessment) Assessed() bool {
	switch a.Verdict {
	case Vulnerable:
		return true
	case Guarded:
		return a.Proven || !a.ran
	case NoEvidence:
		return !a.ran
	}
	return false
}

// assess joins facts by cell, in the order of the cells. ran says that the audit ran the server.
func assess(facts []Fact, ran bool) []Assessment {
	byCell := map[Cell][]Fact{}
	for _, f := range facts {
		byCell[f.Cell] = append(byCell[f.Cell], f)
	}
	list := make([]Assessment, 0, len(byCell))
	for cell, facts := range byCell {
		a := join(cell, facts)
		a.ran = ran
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b Assessment) int { return compareCells(a.Cell, b.Cell) })
	return list
}

// telling are the facts that count. A reading that found no way to anything dangerous shows, in an audit of the code
// alone, how much of the code was looked at. Beside a run it says too little, because an unrecognised way looks the
// same. So it does not make a cell relevant then, nor close a question that the run left open.
func telling(facts []Fact, methods []Method) []Fact {
	if !slices.Contains(methods, Dynamic) {
		return facts
	}
	return slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool {
		return f.Method == Static && (f.Verdict == NoEvidence && (f.Kind == "" || f.Kind == kindNothing) || f.Verdict == Inconclusive && f.Kind == KindUnread)
	})
}

// settle gives suspicions of other engines about a tool as a whole to its parameters, where the run tells enough: to
// those with a proven weakness of the class, whose line they name; or to all, if the run proved a guard of each.
// Otherwise they stay with the tool, because nobody knows of which parameter they are.
func settle(facts []Fact) []Fact {
	type place struct {
		tool  string
		class Class
	}
	params := map[string]map[string]bool{} // by tool
	proven, guarded := map[place]map[string]bool{}, map[place]map[string]bool{}
	set := func(m map[place]map[string]bool, f *Fact) {
		at := place{f.Tool, f.Class}
		if m[at] == nil {
			m[at] = map[string]bool{}
		}
		m[at][f.Param] = true
	}
	for i := range facts {
		f := &facts[i]
		if f.Param == "" {
			continue
		}
		if params[f.Tool] == nil {
			params[f.Tool] = map[string]bool{}
		}
		params[f.Tool][f.Param] = true
		switch {
		case f.Method == Dynamic && f.bad():
			set(proven, f)
		case f.Method == Dynamic && f.Verdict == Guarded:
			set(guarded, f)
		}
	}
	var list []Fact
	for _, f := range facts {
		at := place{f.Tool, f.Class}
		to := proven[at]
		if len(to) == 0 && len(guarded[at]) == len(params[f.Tool]) {
			to = guarded[at]
		}
		if f.Engine == "" || !f.bad() || f.Tool == "" || f.Param != "" || len(to) == 0 {
			list = append(list, f)
			continue
		}
		for _, param := range slices.Sorted(maps.Keys(to)) {
			f.Param = param
			list = append(list, f)
		}
	}
	return list
}

// KindElsewhere is the kind of a [NoEvidence] of a value that is sent on to another service, which takes it for a path
// or URL of its own. The class is not about such a value.
const KindElsewhere = "elsewhere"

// KindUnread is the kind of an [Inconclusive] of a server some of whose code was not read. It counts if nothing but code is read.
const KindUnread = "unread"

// kindNothing is the kind of a parameter that reaches nothing. Other kinds of [NoEvidence] name the place
// that it reaches.
const kindNothing = "nothing"

func compareCells(a, b Cell) int {
	return cmp.Or(cmp.Compare(classRank(a.Class), classRank(b.Class)), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Param, b.Param))
}

func classRank(c Class) int {
	return slices.IndexFunc(Classes(), func(row *class.Class) bool { return row.Name == string(c) })
}

// join combines the facts about one cell. A run outweighs the look of the code: it proves a
// suspicion, or clears it.
func join(cell Cell, facts []Fact) Assessment {
	facts = slices.Clone(facts)
	slices.SortStableFunc(facts, compareFacts)
	a := Assessment{Cell: cell, Facts: facts}
	first := facts[0]
	a.Verdict, a.Why = first.Verdict, first.Why
	if first.remark() { // there are no other facts
		a.Verdict = NoEvidence
		return a
	}
	if slices.ContainsFunc(facts, func(f Fact) bool { return f.bad() && seen(f, facts) }) {
		return a
	}
	tried := slices.IndexFunc(facts, func(f Fact) bool { return f.Method == Dynamic && f.Verdict == Guarded })
	if shown := slices.ContainsFunc(facts, func(f Fact) bool { return f.Method == Dynamic && f.bad() }); tried >= 0 && !shown {
		a.Verdict, a.Why, a.Proven = Guarded, facts[tried].Why, true
		if first.bad() {
			a.Why += "; the code looked open, and the probes did not get through"
		}
	}
	return a
}

// seen reports whether a run showed the suggestion of the code, as a remark: no guard clears it then.
func seen(suggested Fact, facts []Fact) bool {
	known := classOf(suggested.Class)
	if known == nil || known.Kind(suggested.Kind) == nil || known.Kind(suggested.Kind).Seen == "" {
		return false
	}
	return slices.ContainsFunc(facts, func(f Fact) bool {
		return f.Method == Dynamic && f.remark() && f.Kind == known.Kind(suggested.Kind).Seen
	})
}

// remark reports whether a fact is worth knowing and never graded.
func (f *Fact) remark() bool { return f.Verdict == Vulnerable && f.Confidence == Metadata }

// bad reports whether a fact is graded.
func (f *Fact) bad() bool { return f.Verdict == Vulnerable && f.Confidence != Metadata }

// compareFacts puts the most telling fact first.
func compareFacts(a, b Fact) int {
	return cmp.Or(
		cmp.Compare(verdictRank(a), verdictRank(b)),
		cmp.Compare(confidenceRank(a.Confidence), confidenceRank(b.Confidence)),
		cmp.Compare(a.Method, b.Method), // dynamic first
		cmp.Compare(kindRank(a), kindRank(b)),
		cmp.Compare(a.Kind, b.Kind),
		slices.CompareFunc(a.Flow, b.Flow, func(p, q Place) int {
			return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
		}),
		cmp.Compare(a.Why, b.Why),
		cmp.Compare(a.Engine, b.Engine),
	)
}

// verdictRank puts remarks behind all other facts of the cell.
func verdictRank(f Fact) int {
	if i := slices.Index([]Verdict{Vulnerable, Guarded, NoEvidence, Inconclusive, Skipped}, f.Verdict); i >= 0 && !f.remark() {
		return i
	}
	return 5
}

// kindRank is the kind's place in its class, the plainest first.
func kindRank(f Fact) int {
	known := classOf(f.Class)
	if known == nil {
		return 0
	}
	i := slices.IndexFunc(known.Kinds, func(r class.Kind) bool { return r.Name == f.Kind })
	if i < 0 {
		return len(known.Kinds)
	}
	return i
}

func confidenceRank(c Confidence) int {
	if i := slices.Index([]Confidence{Proven, Traced, Suspected, Metadata}, c); i >= 0 {
		return i
	}
	return 4
}
