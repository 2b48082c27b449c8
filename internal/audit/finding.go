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

// A Finding is one cell that is vulnerable, with all that is known of it.
type Finding struct {
	Cell
	// ID names the cell, and stays the same as long as it is called the same: baselines and
	// suppressions go by it.
	ID         string         `json:"id"`
	Rules      []string       `json:"rules"` // the kinds of it, strongest evidence first, and the plainest
	Severity   class.Severity `json:"severity"`
	Confidence Confidence     `json:"confidence"`
	// Both says that it was seen when the server ran, and is in its code.
	Both       bool         `json:"both,omitempty"`
	Why        string       `json:"why"`
	Evidence   []Fact       `json:"evidence"` // strongest first
	Fix        string       `json:"fix"`
	Suppressed *Suppression `json:"suppressed,omitempty"`
}

// Graded reports whether the finding counts.
func (f *Finding) Graded() bool { return f.Severity != class.Info && f.Suppressed == nil }

// RuleNames are the rules as 'toolvet explain' knows them: "audit/path/sibling-prefix".
func (f *Finding) RuleNames() []string {
	names := make([]string, len(f.Rules))
	for i, r := range f.Rules {
		names[i] = f.Class.RuleID() + "/" + r
	}
	return names
}

// findings are those of cells that are vulnerable, worst first.
func findings(cells []Assessment, language string) []Finding {
	list := []Finding{}
	for i := range cells {
		if cells[i].Verdict == Vulnerable {
			list = append(list, finding(&cells[i], language))
		}
		list = append(list, remarks(&cells[i], language)...)
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(severityRank(a.Severity), severityRank(b.Severity)),
			cmp.Compare(confidenceRank(a.Confidence), confidenceRank(b.Confidence)), compareCells(a.Cell, b.Cell))
	})
	return list
}

func severityRank(s class.Severity) int { return slices.Index(class.Severities(), s) }

func finding(a *Assessment, language string) Finding {
	first := a.Facts[0]
	f := Finding{Cell: a.Cell, ID: a.ID(), Confidence: first.Confidence, Why: first.Why, Severity: severityOf(a.Class, first.Confidence)}
	for _, fact := range a.Facts {
		if !fact.bad() {
			continue
		}
		f.Evidence = append(f.Evidence, fact)
		if fact.Rule != "" && !slices.Contains(f.Rules, fact.Rule) {
			f.Rules = append(f.Rules, fact.Rule)
		}
		f.Both = f.Both || fact.Method != first.Method
	}
	f.Rules = orNone(f.Rules)
	f.Fix = Fix(a.Class, languageOf(f.Evidence, language))
	return f
}

// severityOf is how bad a finding is; one of a class that nobody knows is a remark.
func severityOf(c Class, sure Confidence) class.Severity {
	switch known := classOf(c); {
	case known == nil:
		return class.Info
	case sure == Suspected:
		return class.Medium
	default:
		return known.Severity
	}
}

// remarks are what is worth knowing of a cell and never graded.
func remarks(a *Assessment, language string) []Finding {
	var list []Finding
	for _, fact := range a.Facts {
		if fact.remark() {
			list = append(list, Finding{
				Cell: a.Cell, ID: a.ID() + "-" + fact.Rule, Rules: []string{fact.Rule}, Severity: class.Info, Confidence: Metadata,
				Why: fact.Why, Evidence: []Fact{fact}, Fix: Fix(a.Class, languageOf([]Fact{fact}, language)),
			})
		}
	}
	return list
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
		size := len(part) // so that no two cells join to the same text
		h.Write([]byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)})
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
