// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"slices"
	"strings"
)

// A Comparison is two audits of one server: alone, and behind something.
type Comparison struct {
	SchemaVersion int      `json:"schemaVersion"`
	Before        *Report  `json:"before"`
	After         *Report  `json:"after"`
	Outcome       Outcome  `json:"outcome"`
	Harmless      Harmless `json:"harmless"`
	Changed       []Change `json:"changed"` // cells with another verdict, or with fewer kinds of weakness, by class, tool and parameter
}

// An Outcome counts the fates of the weaknesses that counted.
type Outcome struct {
	Weaknesses int `json:"findings"` // of the earlier report: the sum of the next four
	Guarded    int `json:"guarded"`  // a control call works, and every probe is blocked
	NotSeen    int `json:"notSeen"`  // looked at again; nothing gets through, and no guard is proven
	Unknown    int `json:"unknown"`  // no control call works any more: legitimate calls may be blocked, too
	Remain     int `json:"remain"`
	New        int `json:"new"` // in addition to those
}

// Harmless counts the cells with a harmless call that worked when the server was alone.
type Harmless struct {
	Calls int    `json:"calls"`
	Work  int    `json:"work"` // of them, those with a harmless call that works in the later audit, too
	Lost  []Lost `json:"lost"` // the others
}

// A Lost is a cell whose harmless call does not work any more.
type Lost struct {
	Cell
	Why    []string `json:"why,omitempty"`    // the answer, in lines
	Change []string `json:"change,omitempty"` // what lets it pass
}

// A Change is a cell with another verdict.
type Change struct {
	Cell
	Before Verdict `json:"before,omitempty"` // "": it was not relevant
	After  Verdict `json:"after,omitempty"`
	Why    string  `json:"why"` // of the later one
}

// Compare finds the differences. Worked and works are the cells of the two audits with a harmless call that worked.
func Compare(before, after *Report, worked, works []Cell) Comparison {
	c := Comparison{SchemaVersion: SchemaVersion, Before: before, After: after, Changed: []Change{}, Harmless: Harmless{Lost: []Lost{}}}
	for _, call := range worked {
		c.Harmless.Calls++
		if slices.Contains(works, call) {
			c.Harmless.Work++
		} else {
			c.Harmless.Lost = append(c.Harmless.Lost, Lost{Cell: call})
		}
	}
	slices.SortFunc(c.Harmless.Lost, func(a, b Lost) int { return compareCells(a.Cell, b.Cell) })
	was, now := byCell(before), byCell(after)
	for _, a := range before.Cells {
		b, ok := now[a.Cell]
		gone, left := kindsLeft(before, after, a.Cell)
		switch {
		case !ok || b.Verdict != a.Verdict:
			c.Changed = append(c.Changed, Change{a.Cell, a.Verdict, b.Verdict, b.Why})
		case a.Verdict == Vulnerable && len(gone) > 0 && len(left) > 0:
			c.Changed = append(c.Changed, Change{a.Cell, a.Verdict, b.Verdict, "closed: " + strings.Join(gone, ", ") + "; still open: " + strings.Join(left, ", ")})
		}
	}
	for _, b := range after.Cells {
		if _, ok := was[b.Cell]; !ok {
			c.Changed = append(c.Changed, Change{b.Cell, "", b.Verdict, b.Why})
		}
	}
	c.Outcome = outcome(before, after)
	return c
}

// Behind returns the facts of an audit of the server of a report behind something. Added are those that hold there all the same: what the
// server does by design, whose bound no demand on arguments lifts, and what no policy closes, if contents still come back: perhaps a call took
// too long. They have no proof, because these calls were made without what stands in front.
func Behind(before *Report, facts []Fact) []Fact {
	list := slices.Clone(facts)
	has := func(c Cell, is func(g *Fact) bool) bool {
		return slices.ContainsFunc(facts, func(g Fact) bool { return g.Cell == c && is(&g) })
	}
	for i := range before.Weaknesses {
		f := &before.Weaknesses[i]
		if f.bounds() != "" && !has(f.Cell, func(g *Fact) bool { return slices.Contains(f.Kinds, g.Kind) }) {
			list = append(list, unseen(f.Evidence, "this is what the tool is for, as its audit without the proxy showed; behind the proxy the audit saw no such effect")...)
		}
		for _, fact := range f.Evidence {
			kind := kindOf(f.Class, fact.Kind)
			if kind == nil || kind.Beyond == "" || !fact.bad() || has(f.Cell, func(g *Fact) bool { return g.Kind == fact.Kind && g.bad() }) {
				continue
			}
			if has(f.Cell, func(g *Fact) bool {
				return g.Method == Dynamic && (g.Verdict == Guarded || g.bad() || g.Kind == fact.Kind)
			}) {
				list = append(list, unseen([]Fact{fact}, "the audit without the proxy showed this, and "+kind.Beyond+"; behind the proxy no answer showed it")...)
			}
		}
	}
	return list
}

// unseen returns the facts of an audit for another one that did not see them.
func unseen(facts []Fact, why string) []Fact {
	list := slices.Clone(facts)
	for i := range list {
		list[i].Why, list[i].Proof, list[i].Flow = why, nil, nil
	}
	return list
}

func outcome(before, after *Report) Outcome {
	var o Outcome
	now, was := byCell(after), map[Cell]bool{}
	for i := range before.Weaknesses {
		f := &before.Weaknesses[i]
		if !f.Graded() {
			continue
		}
		o.Weaknesses++
		was[f.Cell] = true
		switch now[f.Cell].Verdict {
		case Vulnerable:
			o.Remain++
		case Guarded:
			o.Guarded++
		case NoEvidence, "":
			o.NotSeen++
		default:
			o.Unknown++
		}
	}
	for i := range after.Weaknesses {
		if f := &after.Weaknesses[i]; f.Graded() && !was[f.Cell] {
			o.New++
		}
	}
	return o
}

// Beyond says why no policy closes a weakness that a second audit still finds, by kind. It is nil if a policy can close one of the kinds.
func (f *Weakness) Beyond() map[string]string {
	why := map[string]string{}
	for _, name := range f.Kinds {
		kind := kindOf(f.Class, name)
		if kind == nil || kind.Beyond == "" {
			return nil
		}
		why[name] = kind.Beyond
	}
	return why
}

// kindsLeft are the kinds of a cell's weakness that the later report has no more, and those that it still has.
func kindsLeft(before, after *Report, c Cell) (gone, left []string) {
	kinds := func(r *Report) []string {
		if i := slices.IndexFunc(r.Weaknesses, func(w Weakness) bool { return w.Cell == c && w.Confidence != Metadata }); i >= 0 {
			return r.Weaknesses[i].Kinds
		}
		return nil
	}
	now := kinds(after)
	for _, k := range kinds(before) {
		if slices.Contains(now, k) {
			left = append(left, k)
		} else {
			gone = append(gone, k)
		}
	}
	return gone, left
}

func byCell(r *Report) map[Cell]Assessment {
	m := map[Cell]Assessment{}
	for _, a := range r.Cells {
		m[a.Cell] = a
	}
	return m
}
