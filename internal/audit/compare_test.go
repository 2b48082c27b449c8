// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
)

// TestCompare holds what is said of each weakness when the server is audited again, and that it is
// said in the published form.
func TestCompare(t *testing.T) {
	t.Parallel()
	before := New(Input{Now: day, Facts: facts(t,
		"path guarded/p dynamic vulnerable proven x", "path worse/p dynamic guarded", "path same/p dynamic vulnerable proven x", "path blocked/p dynamic vulnerable proven x",
		"output same dynamic vulnerable proven invisible", "output same dynamic vulnerable proven unbounded",
		"command gone/p dynamic vulnerable proven x", "command kept/p dynamic vulnerable metadata x", "schema kept dynamic guarded")})
	after := New(Input{Now: day, Facts: facts(t,
		"path guarded/p dynamic guarded", "path worse/p dynamic vulnerable proven x", "path same/p dynamic vulnerable proven y", "path blocked/p dynamic inconclusive", "output same dynamic vulnerable proven unbounded",
		"schema kept dynamic guarded")})
	kept, gone := Cell{Tool: "guarded", Param: "/p", Class: Path}, Cell{Tool: "blocked", Param: "/p", Class: Path}
	c := Compare(before, after, []Cell{kept, gone}, []Cell{kept})
	if diff := cmp.Diff(Harmless{Calls: 2, Work: 1, Lost: []Lost{{Cell: gone}}}, c.Harmless); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Outcome{Weaknesses: 5, Guarded: 1, NotSeen: 1, Unknown: 1, Remain: 2, New: 1}, c.Outcome); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, one := range c.Changed {
		said := one.Tool + " " + string(one.Before) + " " + string(one.After)
		if one.Before == one.After {
			said += " " + one.Why
		}
		got = append(got, said)
	}
	want := []string{"gone vulnerable ", "blocked vulnerable inconclusive", "guarded vulnerable guarded", "worse guarded vulnerable", "same vulnerable vulnerable closed: invisible; still open: unbounded"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	violations(t, raw)
}

// TestBehind holds that a server keeps the bound of what it does by design, whatever keeps the probes away, and that no fact is doubled.
func TestBehind(t *testing.T) {
	t.Parallel()
	purposes := facts(t, "command run/command dynamic vulnerable metadata command-by-design", "command run/code dynamic vulnerable metadata code-by-design")
	for i := range purposes {
		purposes[i].Proof = &Proof{Arguments: "{}", Seen: "a file that the command made"}
	}
	before := New(Input{Now: day, Facts: append(facts(t, "command run/sql dynamic vulnerable metadata sql-by-design", "path run/p dynamic vulnerable proven x"), purposes...)})
	for name, seen := range map[string][]Fact{"none": nil, "refused": facts(t, "command run/code dynamic inconclusive", "command run/command dynamic guarded"), "both": purposes} {
		after := New(Input{Now: day, Facts: Behind(before, append(seen, facts(t, "schema run dynamic guarded")...))})
		var kinds []string
		for _, w := range after.Weaknesses {
			kinds = append(kinds, w.Kinds...)
			if name == "none" && (w.Evidence[0].Proof != nil || !strings.Contains(w.Why, "behind the proxy the audit saw no such effect") || !strings.Contains(w.Fix, "the policy and its walls")) {
				t.Errorf("a finding of the first run is shown as one of the second: %+v", w)
			}
			if name == "both" && strings.Contains(w.Fix, "the policy and its walls") {
				t.Errorf("a finding of the second run has the advice for one of the first: %+v", w)
			}
		}
		if diff := cmp.Diff([]string{"code-by-design", "command-by-design"}, kinds); diff != "" || after.Grade.Letter != "C" {
			t.Errorf("%s: grade %s, %s", name, after.Grade.Letter, diff)
		}
	}
}

// TestBehindUnclosed holds that a weakness that no policy closes stays, whatever a slow answer hides, unless no content comes back at all.
func TestBehindUnclosed(t *testing.T) {
	t.Parallel()
	before := New(Input{Now: day, Facts: facts(t, "output read dynamic vulnerable proven unbounded", "output read dynamic vulnerable proven invisible")})
	for seen, want := range map[string][]string{
		"output read dynamic guarded":                     {"unbounded"},
		"output read dynamic inconclusive - unbounded":    {"unbounded"},
		"output read dynamic vulnerable proven invisible": {"invisible", "unbounded"},
		"output read dynamic vulnerable proven unbounded": {"unbounded"},
		"output read dynamic inconclusive":                nil,
		"output other dynamic guarded":                    nil,
	} {
		after := New(Input{Now: day, Facts: Behind(before, facts(t, seen))})
		var kinds []string
		for _, w := range after.Weaknesses {
			kinds = append(kinds, w.Kinds...)
		}
		if diff := cmp.Diff(want, kinds); diff != "" {
			t.Errorf("%s: %s", seen, diff)
		}
	}
}

// violations reports what the published schema says of a comparison.
func violations(t *testing.T, raw []byte) {
	t.Helper()
	text, err := os.ReadFile("../../docs/audit-comparison.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.Compile(text, schema.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	value, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := compiled.Evaluate(value)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range e.Violations {
		t.Errorf("%+v", v)
	}
}
