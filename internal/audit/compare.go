// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import "slices"

// A Comparison is two audits of one server: alone, and behind something.
type Comparison struct {
	SchemaVersion int      `json:"schemaVersion"`
	Before        *Report  `json:"before"`
	After         *Report  `json:"after"`
	Outcome       Outcome  `json:"outcome"`
	Harmless      Harmless `json:"harmless"`
	Changed       []Change `json:"changed"` // cells with another verdict, by class, tool and parameter
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
	Lost  []Cell `json:"lost"` // the others
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
	c := Comparison{SchemaVersion: SchemaVersion, Before: before, After: after, Changed: []Change{}, Harmless: Harmless{Lost: []Cell{}}}
	for _, call := range worked {
		c.Harmless.Calls++
		if slices.Contains(works, call) {
			c.Harmless.Work++
		} else {
			c.Harmless.Lost = append(c.Harmless.Lost, call)
		}
	}
	slices.SortFunc(c.Harmless.Lost, compareCells)
	was, now := byCell(before), byCell(after)
	for _, a := range before.Cells {
		if b, ok := now[a.Cell]; !ok || b.Verdict != a.Verdict {
			c.Changed = append(c.Changed, Change{a.Cell, a.Verdict, b.Verdict, b.Why})
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

func byCell(r *Report) map[Cell]Assessment {
	m := map[Cell]Assessment{}
	for _, a := range r.Cells {
		m[a.Cell] = a
	}
	return m
}
