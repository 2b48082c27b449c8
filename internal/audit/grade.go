// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/class"
)

// A Grade is a letter, with the reasons for it.
type Grade struct {
	Letter     Letter   `json:"letter"`
	Score      int      `json:"score"` // 0 to 100; 0 if Ungraded
	Incomplete bool     `json:"incomplete,omitempty"`
	Suppressed int      `json:"suppressed,omitempty"` // weaknesses that do not count, by suppressions
	Points     []Point  `json:"points"`               // from 100, they add up to the score, within its bounds
	Caps       []Cap    `json:"caps"`
	Coverage   Coverage `json:"coverage"`
	// ByDesign is what the server does by design, which the grade does not cover and a policy has to bound: "runs any command that its callers send".
	ByDesign []string `json:"byDesign,omitempty"`
}

// A Point is the deduction or bonus of one row of the rubric.
type Point struct {
	Class  Class  `json:"class"`
	Points int    `json:"points"`
	Why    string `json:"why"`
	Ours   bool   `json:"ours,omitempty"` // the number is toolvet's own, and not from the published rubric
}

// A Cap is a bound on the letter, whatever the score. Caps are toolvet's: the published rubric
// has none.
type Cap struct {
	Letter Letter `json:"letter"`
	Why    string `json:"why"`
}

// A Coverage says how many of the relevant cells are known.
type Coverage struct {
	Relevant int             `json:"relevant"` // cells
	Assessed int             `json:"assessed"`
	Percent  int             `json:"percent"` // rounded down; 100 if nothing is relevant
	Classes  []ClassCoverage `json:"classes"` // the relevant ones
}

// ClassCoverage is the coverage of one class.
type ClassCoverage struct {
	Class    Class `json:"class"`
	Relevant int   `json:"relevant"`
	Assessed int   `json:"assessed"`
	Guarded  int   `json:"guarded"` // proven guards
}

// Enough reports whether enough of the class is known for an A, and for its bonus.
func (c *ClassCoverage) Enough() bool { return percent(c.Assessed, c.Relevant) >= enough }

// String is the letter with its marks: "B", "B?", "B (1 suppressed)".
func (g *Grade) String() string {
	s := string(g.Letter)
	if g.Incomplete && g.Letter != Ungraded {
		s += "?"
	}
	if g.Suppressed > 0 {
		s += fmt.Sprintf(" (%d suppressed)", g.Suppressed)
	}
	return s
}

func coverage(cells []Assessment) Coverage {
	c := Coverage{Classes: []ClassCoverage{}}
	for _, row := range Classes() {
		name := Class(row.Name)
		one := ClassCoverage{Class: name}
		for i := range cells {
			if cells[i].Class != name || !cells[i].relevant() {
				continue
			}
			one.Relevant++
			if cells[i].Assessed() {
				one.Assessed++
			}
			if cells[i].Verdict == Guarded && cells[i].Proven {
				one.Guarded++
			}
		}
		if one.Relevant > 0 {
			c.Classes = append(c.Classes, one)
			c.Relevant += one.Relevant
			c.Assessed += one.Assessed
		}
	}
	c.Percent = percent(c.Assessed, c.Relevant)
	return c
}

// relevant reports whether a cell counts for coverage: not if it has nothing but remarks, or if its value is meant for
// another service.
func (a *Assessment) relevant() bool {
	first := &a.Facts[0]
	return !first.remark() && !(first.Verdict == NoEvidence && first.Kind == KindElsewhere)
}

func percent(part, whole int) int {
	if whole == 0 {
		return 100
	}
	return part * 100 / whole
}

// grade is a pure function of the assessed cells and the weaknesses. Unseen means that the server did not run.
func grade(cells []Assessment, list []Weakness, tools int, unseen bool) Grade {
	g := Grade{Points: []Point{}, Caps: []Cap{}, Coverage: coverage(cells), ByDesign: byDesign(list)}
	for i := range list {
		if list[i].Suppressed != nil && (list[i].Severity != class.Info || list[i].bounds() != "") {
			g.Suppressed++
		}
	}
	if g.Coverage.Assessed == 0 && (tools == 0 || g.Coverage.Relevant > 0) {
		g.Letter, g.Incomplete = Ungraded, true
		return g
	}
	g.Score = 100
	for _, row := range Classes() {
		if p, ok := minus(row, list); ok {
			g.add(p)
		} else if p, ok := plus(row, cells, g.Coverage); ok {
			g.add(p)
		}
	}
	g.Score = min(100, max(0, g.Score))
	g.Incomplete = g.Coverage.Percent < enough
	g.Letter = letterOf(g.Score)
	g.Caps = append(g.Caps, caps(list, g.Coverage)...)
	if unseen {
		g.Caps = append(g.Caps, Cap{"B", "the server did not run: reading alone shows no guard at work"})
	}
	for _, c := range g.Caps {
		if g.Letter.rank() < c.Letter.rank() {
			g.Letter = c.Letter
		}
	}
	return g
}

func (g *Grade) add(p Point) {
	g.Points = append(g.Points, p)
	g.Score += p.Points
}

// minus is the deduction of a row: in full if one weakness is proven or traced, and of the severity of its class.
func minus(row *class.Class, list []Weakness) (Point, bool) {
	name := Class(row.Name)
	sure, mild, suspected := 0, 0, 0
	for i := range list {
		switch f := &list[i]; {
		case f.Class != name || !f.Graded():
		case f.Confidence == Suspected:
			suspected++
		case f.mild():
			mild++
		default:
			sure++
		}
	}
	switch {
	case sure > 0:
		return Point{Class: name, Points: -row.Minus, Why: fmt.Sprintf("missing: %s (%s)", row.Missing, count(sure+mild+suspected, "weakness"))}, true
	case mild > 0:
		return Point{Class: name, Points: -minusSuspected, Why: fmt.Sprintf("%s (%s)", meaning(list, name), count(mild+suspected, "weakness")), Ours: true}, true
	case suspected > 0:
		return Point{Class: name, Points: -minusSuspected, Why: fmt.Sprintf("a guard looks as if it could be passed (%s)", count(suspected, "suspicion")), Ours: true}, true
	}
	return Point{}, false
}

// plus is the bonus of a row for proven guards. The class must be assessed well enough, and have
// no weakness, suppressed or not.
func plus(row *class.Class, cells []Assessment, c Coverage) (Point, bool) {
	name := Class(row.Name)
	if row.Plus == 0 {
		return Point{}, false
	}
	for i := range cells {
		if cells[i].Class == name && cells[i].Verdict == Vulnerable {
			return Point{}, false
		}
	}
	for _, one := range c.Classes {
		if one.Class == name && one.Guarded > 0 && one.Enough() {
			return Point{Class: name, Points: row.Plus, Why: fmt.Sprintf("%s, proven for %s", row.Guard, count(one.Guarded, "parameter"))}, true
		}
	}
	return Point{}, false
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "s") {
		return fmt.Sprintf("%d %ses", n, what)
	}
	if what, ok := strings.CutSuffix(what, "y"); ok {
		return fmt.Sprintf("%d %sies", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// mild reports whether a weakness is of a kind less severe than its class.
func (f *Weakness) mild() bool {
	row := classOf(f.Class)
	return row != nil && f.Confidence != Suspected && f.Severity == class.Medium && row.Severity != class.Medium
}

// meaning is what the weaknesses mean that are less severe than their class: of one class, or of all.
func meaning(list []Weakness, of Class) string {
	var words []string
	for i := range list {
		f := &list[i]
		if !f.Graded() || !f.mild() || of != "" && f.Class != of {
			continue
		}
		for _, name := range f.Kinds {
			if k := classOf(f.Class).Kind(name); k != nil && k.Means != "" && !slices.Contains(words, k.Means) {
				words = append(words, k.Means)
			}
		}
	}
	if len(words) == 0 {
		return "a weakness of medium severity is proven or traced"
	}
	slices.Sort(words)
	return strings.Join(words, "; ")
}

// caps are the bounds in force.
func caps(list []Weakness, c Coverage) []Cap {
	critical, high, mild, suspected, provenCritical := false, false, false, false, false
	proven := map[Class]bool{}
	for i := range list {
		f := &list[i]
		if !f.Graded() {
			continue
		}
		if f.Confidence == Suspected {
			suspected = suspected || classOf(f.Class).Severity != class.Medium
			continue
		}
		if f.mild() {
			mild = true
			continue
		}
		critical = critical || f.Severity == class.Critical
		high = high || f.Severity == class.High
		if f.Confidence == Proven {
			proven[f.Class] = true
			provenCritical = provenCritical || f.Severity == class.Critical
		}
	}
	var out []Cap
	switch {
	case len(proven) > 1 && provenCritical:
		out = append(out, Cap{"F", "weaknesses of two classes are proven, one of them critical"})
	case len(proven) > 1:
		out = append(out, Cap{"D", "weaknesses of two classes are proven"})
	case critical:
		out = append(out, Cap{"D", "a critical weakness is proven or traced"})
	case high:
		out = append(out, Cap{"C", "a weakness of high severity is proven or traced"})
	case mild:
		out = append(out, Cap{"B", meaning(list, "")})
	case suspected:
		out = append(out, Cap{"B", "a guard looks as if it could be passed, and nothing shows that it cannot"})
	}
	for i := range list {
		if f := &list[i]; f.bounds() != "" && f.Suppressed == nil {
			if c := (Cap{f.bounds(), "for what the server does by design"}); !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	for _, one := range c.Classes {
		switch {
		case one.Assessed == 0:
			out = append(out, Cap{"B", fmt.Sprintf("nothing of the class %s could be assessed", one.Class)})
		case !one.Enough():
			out = append(out, Cap{"B", fmt.Sprintf("%d of %s of the class %s could be assessed, less than %d%%", one.Assessed, count(one.Relevant, "relevant place"), one.Class, enough)})
		}
	}
	return out
}
