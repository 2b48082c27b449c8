// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSettle holds what becomes of another engine's suspicion about a tool, whose parameter is not known.
func TestSettle(t *testing.T) {
	t.Parallel()
	fact := func(tool, param string, m Method, v Verdict, c Confidence) Fact {
		return Fact{Cell: Cell{Tool: tool, Param: param, Class: Path}, Method: m, Verdict: v, Confidence: c, Kind: "traversal", Why: "because"}
	}
	suspicion := fact("read", "", Static, Vulnerable, Suspected)
	suspicion.Engine, suspicion.Flow = "CodeQL", []Place{{File: "main.py", Line: 3}}
	for name, tt := range map[string]struct {
		facts []Fact
		want  string // the graded weaknesses, with ! for a line of code
	}{
		"alone":                {nil, "read suspected!"},
		"proven":               {[]Fact{fact("read", "/a", Dynamic, Vulnerable, Proven), fact("read", "/b", Dynamic, Guarded, "")}, "read/a proven!"},
		"all guarded":          {[]Fact{fact("read", "/a", Dynamic, Guarded, ""), fact("read", "/b", Dynamic, Guarded, "")}, ""},
		"one is not known":     {[]Fact{fact("read", "/a", Dynamic, Guarded, ""), fact("read", "/b", Dynamic, Inconclusive, "")}, "read suspected!"},
		"one was only read":    {[]Fact{fact("read", "/a", Dynamic, Guarded, ""), fact("read", "/b", Static, NoEvidence, "")}, "read suspected!"},
		"guarded in the code":  {[]Fact{fact("read", "/a", Static, Guarded, "")}, "read suspected!"},
		"another tool":         {[]Fact{fact("show", "/a", Dynamic, Vulnerable, Proven), fact("save", "/a", Dynamic, Guarded, "")}, "show/a proven, read suspected!"},
		"a remark of the run":  {[]Fact{fact("read", "/a", Dynamic, Vulnerable, Metadata)}, "read suspected!"},
		"proven, known before": {[]Fact{fact("read", "/a", Dynamic, Vulnerable, Proven), fact("read", "/a", Static, Vulnerable, Traced)}, "read/a proven!"},
	} {
		r := New(Input{Target: Target{Methods: []Method{Static, Dynamic}}, Facts: append(slices.Clone(tt.facts), suspicion)})
		var got []string
		for i := range r.Weaknesses {
			if w := &r.Weaknesses[i]; w.Graded() {
				s := fmt.Sprintf("%s%s %s", w.Tool, w.Param, w.Confidence)
				if slices.ContainsFunc(w.Evidence, func(f Fact) bool { return f.Engine == "CodeQL" && len(f.Flow) == 1 }) {
					s += "!"
				}
				got = append(got, s)
			}
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: got %q, want %q", name, s, tt.want)
		}
		told := slices.ContainsFunc(r.Cells, func(a Assessment) bool {
			return strings.HasSuffix(a.Why, "the code looked open, and the probes did not get through")
		})
		if told != (name == "all guarded") {
			t.Errorf("%s: the suspicion is told as refuted: %v", name, told)
		}
	}
}

// TestUnread holds that code which was not read is unknown where nothing but code was read. A run does not depend on it.
func TestUnread(t *testing.T) {
	t.Parallel()
	read := facts(t, "path r/p static guarded", "path / static inconclusive", "url / static inconclusive", "command / static inconclusive")
	for i := 1; i < len(read); i++ {
		read[i].Param, read[i].Kind = "", KindUnread
	}
	alone := New(Input{Target: Target{Methods: []Method{Static}}, Tools: []string{"r"}, Facts: read, Now: day})
	if c := alone.Grade.Coverage; c.Relevant != 5 || c.Assessed != 1 || !alone.Grade.Incomplete {
		t.Errorf("read alone: %+v", alone.Grade)
	}
	tried := New(Input{Target: Target{Methods: []Method{Static, Dynamic}}, Tools: []string{"r"}, Facts: append(read, facts(t, "path r/p dynamic guarded")...), Now: day})
	if c := tried.Grade.Coverage; c.Relevant != 1 || c.Assessed != 1 {
		t.Errorf("tried, too: %+v", tried.Grade)
	}
}
