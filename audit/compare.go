// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

// A Comparison is two audits of one server: as it is, and behind something.
type Comparison struct {
	SchemaVersion int      `json:"schemaVersion"`
	Before        *Report  `json:"before"`
	After         *Report  `json:"after"`
	Changed       []Change `json:"changed"` // cells whose verdict is another, by class, tool and parameter
}

// A Change is a cell whose verdict is another.
type Change struct {
	Cell
	Before Verdict `json:"before,omitempty"` // "": it was not relevant
	After  Verdict `json:"after,omitempty"`
	Why    string  `json:"why"` // of the later one
}

// Compare says what is different.
func Compare(before, after *Report) Comparison {
	c := Comparison{SchemaVersion: SchemaVersion, Before: before, After: after, Changed: []Change{}}
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
	return c
}

func byCell(r *Report) map[Cell]Assessment {
	m := map[Cell]Assessment{}
	for _, a := range r.Cells {
		m[a.Cell] = a
	}
	return m
}
