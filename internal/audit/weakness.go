// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/toolvet/toolvet/internal/audit/class"
)

// A Weakness is a vulnerable cell, with all facts about it.
type Weakness struct {
	Cell
	// ID identifies the cell for baselines and suppressions. It stays the same as long as tool
	// and parameter keep their names.
	ID         string         `json:"id"`
	Kinds      []string       `json:"rules"` // its kinds, strongest evidence first, and then the plainest
	Severity   class.Severity `json:"severity"`
	Confidence Confidence     `json:"confidence"`
	// Both: seen when the server ran, and found in its code.
	Both       bool         `json:"both,omitempty"`
	Why        string       `json:"why"`
	Evidence   []Fact       `json:"evidence"` // strongest first
	Fix        string       `json:"fix"`
	Suppressed *Suppression `json:"suppressed,omitempty"`
}

// Graded reports whether the weakness counts.
func (f *Weakness) Graded() bool { return f.Severity != class.Info && f.Suppressed == nil }

// KindNames are the kinds by their names for 'toolvet explain': "audit/path/sibling-prefix".
func (f *Weakness) KindNames() []string {
	names := make([]string, len(f.Kinds))
	for i, r := range f.Kinds {
		names[i] = f.Class.ID() + "/" + r
	}
	return names
}

// weaknesses are the vulnerable cells and the remarks, worst first.
func weaknesses(cells []Assessment, language string) []Weakness {
	list := []Weakness{}
	for i := range cells {
		if cells[i].Verdict == Vulnerable {
			list = append(list, weakness(&cells[i], language))
		}
		list = append(list, remarks(&cells[i], language)...)
	}
	slices.SortStableFunc(list, func(a, b Weakness) int {
		return cmp.Or(cmp.Compare(severityRank(a.Severity), severityRank(b.Severity)),
			cmp.Compare(confidenceRank(a.Confidence), confidenceRank(b.Confidence)), compareCells(a.Cell, b.Cell))
	})
	return list
}

func severityRank(s class.Severity) int { return slices.Index(class.Severities(), s) }

func weakness(a *Assessment, language string) Weakness {
	first := a.Facts[0]
	f := Weakness{Cell: a.Cell, ID: a.ID(), Confidence: first.Confidence, Why: first.Why, Severity: class.Info}
	for _, fact := range a.Facts {
		if !fact.bad() {
			continue
		}
		// A run says how bad it is, and the code only without one.
		if s := severityOf(&fact); fact.Method == first.Method && severityRank(s) < severityRank(f.Severity) {
			f.Severity = s
		}
		f.Evidence = append(f.Evidence, fact)
		if fact.Kind != "" && !slices.Contains(f.Kinds, fact.Kind) {
			f.Kinds = append(f.Kinds, fact.Kind)
		}
		f.Both = f.Both || fact.Method != first.Method
	}
	f.Kinds = orNone(f.Kinds)
	f.Fix = Fix(a.Class, languageOf(f.Evidence, language))
	return f
}

// severityOf is the severity of a fact. One of an unknown class is a remark.
func severityOf(f *Fact) class.Severity {
	known := classOf(f.Class)
	switch {
	case known == nil:
		return class.Info
	case f.Confidence == Suspected:
		return class.Medium
	}
	if kind := known.Kind(f.Kind); kind != nil && kind.Severity != "" {
		return kind.Severity
	}
	return known.Severity
}

// remarks are facts of a cell that are worth knowing and never graded.
func remarks(a *Assessment, language string) []Weakness {
	var list []Weakness
	for _, fact := range a.Facts {
		if fact.remark() {
			list = append(list, Weakness{
				Cell: a.Cell, ID: a.ID() + "-" + fact.Kind, Kinds: []string{fact.Kind}, Severity: class.Info, Confidence: Metadata,
				Why: fact.Why, Evidence: []Fact{fact}, Fix: fixOf(&fact, language),
			})
		}
	}
	return list
}

// fixOf is the advice for a fact: that of its kind, or else that of its class.
func fixOf(f *Fact, language string) string {
	if kind := kindOf(f.Class, f.Kind); kind != nil && kind.Fix != "" {
		if kind.Design != "" && f.Proof == nil && len(f.Flow) == 0 { // see Behind
			return "the policy and its walls (contain) alone decide what this tool does: keep them narrow"
		}
		return kind.Fix
	}
	return Fix(f.Class, languageOf([]Fact{*f}, language))
}

// kindOf is a kind of a class, or nil.
func kindOf(c Class, name string) *class.Kind {
	if known := classOf(c); known != nil {
		return known.Kind(name)
	}
	return nil
}

// purpose is the kind of a remark on what the server is for, or nil.
func (f *Weakness) purpose() *class.Kind {
	if f.Confidence != Metadata || len(f.Kinds) == 0 {
		return nil
	}
	if kind := kindOf(f.Class, f.Kinds[0]); kind != nil && kind.Design != "" {
		return kind
	}
	return nil
}

// bounds is the letter that a remark bounds the grade at; "": none.
func (f *Weakness) bounds() Letter {
	if kind := f.purpose(); kind != nil {
		return Letter(kind.AtMost)
	}
	return ""
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// ID names a cell in 12 hexadecimal digits.
func (c Cell) ID() string {
	h := sha256.New()
	for _, part := range []string{string(c.Class), c.Tool, c.Param} {
		size := len(part) // so that no two cells become the same text
		h.Write([]byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)})
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
