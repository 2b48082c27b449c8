// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// anyFacts reads facts from bytes, three each: the cell, who says it, and what.
func anyFacts(data []byte) []Fact {
	says := []Fact{
		{Method: Dynamic, Verdict: Vulnerable, Confidence: Proven}, {Method: Dynamic, Verdict: Guarded}, {Method: Dynamic, Verdict: NoEvidence},
		{Method: Dynamic, Verdict: Inconclusive}, {Method: Dynamic, Verdict: Skipped}, {Method: Dynamic, Verdict: Vulnerable, Confidence: Metadata},
		{Method: Static, Verdict: Vulnerable, Confidence: Traced}, {Method: Static, Verdict: Vulnerable, Confidence: Suspected}, {Method: Static, Verdict: Guarded},
		{Method: Static, Verdict: NoEvidence}, {Method: Static, Verdict: Inconclusive}, {Method: Static, Verdict: Vulnerable, Confidence: Metadata},
	}
	var list []Fact
	for ; len(data) >= 3 && len(list) < 40; data = data[3:] {
		f := says[int(data[2])%len(says)]
		f.Cell = Cell{Tool: string('a' + rune(data[1]%4)), Param: fmt.Sprintf("/p%d", data[1]/4%3), Class: anyClass(data[0])}
		f.Kind, f.Why = []string{"kind0", "kind1", "browser-private"}[data[0]/8%3], fmt.Sprintf("because %d", data[2]/16)
		list = append(list, f)
	}
	return list
}

func anyClass(b byte) Class {
	rows := Classes()
	return Class(rows[int(b)%len(rows)].Name)
}

// holds holds what must be true of every grade.
func holds(t *testing.T, data []byte) {
	t.Helper()
	list := anyFacts(data)
	in := Input{Target: Target{Methods: []Method{Static, Dynamic}[:1+len(data)%2]}, Tools: []string{"tool"}, Facts: list, Now: day}
	r := New(in)
	g := &r.Grade
	if g.Letter == Ungraded {
		if g.Coverage.Assessed > 0 || g.Score != 0 {
			t.Errorf("not graded, though %d of %d cells are known", g.Coverage.Assessed, g.Coverage.Relevant)
		}
		return
	}
	sum := 100
	for _, p := range g.Points {
		sum += p.Points
	}
	if g.Score != min(100, max(0, sum)) || !g.Letter.Valid() || g.Letter.rank() < letterOf(g.Score).rank() {
		t.Errorf("the points do not add up to the grade: %s", inShort(r))
	}
	for _, c := range g.Caps {
		if g.Letter.rank() < c.Letter.rank() {
			t.Errorf("%s is better than a cap", inShort(r))
		}
	}
	for _, c := range g.Coverage.Classes {
		if !c.Enough() && g.Letter == "A" {
			t.Errorf("an A, and only %d of %d of %s are known", c.Assessed, c.Relevant, c.Class)
		}
	}
	if g.Incomplete != (g.Coverage.Percent < enough) {
		t.Errorf("%d %% are known, and incomplete is %v", g.Coverage.Percent, g.Incomplete)
	}
	if g.Incomplete && g.Letter == "A" {
		t.Errorf("%s is an A, and incomplete", inShort(r))
	}
	anyOrder(t, in)
	another(t, in, r)
	suppressed(t, in, r)
}

// anyOrder holds that the order of facts changes no byte.
func anyOrder(t *testing.T, in Input) {
	t.Helper()
	first, _ := json.Marshal(New(in))
	slices.Reverse(in.Facts)
	second, _ := json.Marshal(New(in))
	if diff := cmp.Diff(string(first), string(second)); diff != "" {
		t.Error(diff)
	}
}

// another holds that one weakness more never makes a grade better, whatever its class and its
// confidence; but for the letter where little of its class was known before.
func another(t *testing.T, in Input, before *Report) {
	t.Helper()
	for _, row := range Classes() {
		class := Class(row.Name)
		unknown := slices.ContainsFunc(before.Grade.Coverage.Classes, func(c ClassCoverage) bool { return c.Class == class && !c.Enough() })
		for _, f := range []Fact{{Method: Dynamic, Confidence: Proven}, {Method: Dynamic, Confidence: Proven, Kind: "browser-private"}, {Method: Static, Confidence: Traced}, {Method: Static, Confidence: Suspected}, {Method: Static, Confidence: Metadata}} {
			f.Cell, f.Verdict = Cell{Tool: "new", Param: "/new", Class: class}, Vulnerable
			with := in
			with.Facts = append(slices.Clone(in.Facts), f)
			after := New(with)
			better := after.Grade.Letter.rank() < before.Grade.Letter.rank() && !unknown
			if better || after.Grade.Score > before.Grade.Score {
				t.Errorf("a weakness (%s, %s) makes %s of %s", class, f.Confidence, inShort(after), inShort(before))
			}
		}
		with := in
		with.Facts = append(slices.Clone(in.Facts), Fact{Cell: Cell{Tool: "new", Param: "/new", Class: class}, Method: Dynamic, Verdict: Guarded})
		if after := New(with); after.Grade.Letter.rank() > before.Grade.Letter.rank() || after.Grade.Score < before.Grade.Score {
			t.Errorf("a guard of %s makes %s of %s", class, inShort(after), inShort(before))
		}
	}
}

// suppressed holds that a suppression never makes a grade worse, earns nothing, and is told.
func suppressed(t *testing.T, in Input, before *Report) {
	t.Helper()
	graded := 0
	for _, f := range before.Weaknesses {
		if f.Graded() {
			graded++
			in.Suppressions = append(in.Suppressions, Suppression{ID: f.ID, Reason: "known", Expires: "2026-12-01"})
		}
	}
	after := New(in)
	if after.Grade.Suppressed != graded || after.Grade.Letter.rank() > before.Grade.Letter.rank() || after.Grade.Score < before.Grade.Score {
		t.Errorf("%d suppressions make %s of %s", graded, inShort(after), inShort(before))
	}
	for _, p := range after.Grade.Points {
		if slices.ContainsFunc(before.Weaknesses, func(f Weakness) bool { return f.Class == p.Class && f.Graded() }) {
			t.Errorf("a suppression earns %+d in %s", p.Points, p.Class)
		}
	}
	in.Now = day.AddDate(0, 1, 0)
	if ended := New(in); ended.Grade.Letter != before.Grade.Letter || ended.Grade.Score != before.Grade.Score || ended.Grade.Suppressed != 0 {
		t.Errorf("suppressions that ended make %s of %s", inShort(ended), inShort(before))
	}
}

func TestProperties(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		data := make([]byte, 3*(1+random.IntN(12)))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		holds(t, data)
		if t.Failed() {
			t.Fatalf("with the facts %+v", anyFacts(data))
		}
	}
}

func FuzzGrade(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4})
	f.Add([]byte{4, 0, 3, 1, 0, 1, 1, 1, 8, 0, 2, 6})
	f.Fuzz(holds)
}

// TestBands holds the edges of the letters.
func TestBands(t *testing.T) {
	t.Parallel()
	for score, want := range map[int]Letter{100: "A", 90: "A", 89: "B", 80: "B", 79: "C", 70: "C", 69: "D", 60: "D", 59: "F", 0: "F"} {
		if got := letterOf(score); got != want {
			t.Errorf("%d points are %s, want %s", score, got, want)
		}
	}
	for _, tt := range []struct {
		a, b Letter
		want bool
	}{{"A", "B", true}, {"B", "B", true}, {"C", "B", false}, {"F", "F", true}, {Ungraded, "F", false}, {"A", "x", true}, {"x", "F", false}} {
		if got := tt.a.AtLeast(tt.b); got != tt.want {
			t.Errorf("%s at least %s: %v", tt.a, tt.b, got)
		}
	}
}

// TestCoverageEdge holds that 70 % are enough for a grade, an A and a bonus, and 69 % for none of them.
func TestCoverageEdge(t *testing.T) {
	t.Parallel()
	cells := func(known, of int) []Fact {
		var list []Fact
		for i := range of {
			f := Fact{Cell: Cell{Tool: "t", Param: fmt.Sprintf("/%d", i), Class: Path}, Method: Dynamic, Verdict: Guarded}
			if i >= known {
				f.Verdict = Inconclusive
			}
			list = append(list, f)
		}
		return list
	}
	for _, tt := range []struct {
		known, of int
		want      string
	}{{7, 10, "A 100 path+5"}, {9, 13, "B? 100 cap:B"}, {69, 100, "B? 100 cap:B"}, {70, 100, "A 100 path+5"}} {
		if got := inShort(New(Input{Facts: cells(tt.known, tt.of), Now: day})); got != tt.want {
			t.Errorf("%d of %d: got %q, want %q", tt.known, tt.of, got, tt.want)
		}
	}
}
