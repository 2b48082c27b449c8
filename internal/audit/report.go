// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// An Input is everything that goes into a report.
type Input struct {
	Target   Target
	Language string // of the server, if known: [class.TypeScript], [class.Python] or [class.Go]
	Tools    []string
	Facts    []Fact
	Notes    []string // what was not tried, and why
	// Suppressions hold or have ended as of Now.
	Suppressions []Suppression
	Now          time.Time
}

// A Target is the audited server.
type Target struct {
	Name    string   `json:"name"`             // a command, a URL or a directory, without secrets
	Server  string   `json:"server,omitempty"` // its own name and version
	Methods []Method `json:"methods"`          // used in the audit
	Source  string   `json:"source,omitempty"` // the directory of its code, as given
}

// A Report is the result of an audit. It depends on its [Input] alone: the same input gives the
// same report.
type Report struct {
	SchemaVersion int          `json:"schemaVersion"` // of this form: 1
	Rubric        string       `json:"rubric"`        // RubricVersion
	Target        Target       `json:"target"`
	Grade         Grade        `json:"grade"`
	Weaknesses    []Weakness   `json:"findings"` // worst first
	Cells         []Assessment `json:"cells"`    // all relevant ones, by class, tool and parameter
	Tools         []string     `json:"tools"`
	Notes         []string     `json:"notes"`
}

// SchemaVersion is the version of a [Report]'s JSON form.
const SchemaVersion = 1

// New makes the report.
func New(in Input) *Report {
	in.Facts = cleanFacts(append(slices.Clone(in.Facts), outputs(in.Facts, in.Target.Methods)...))
	ran := slices.Contains(in.Target.Methods, Dynamic) || slices.ContainsFunc(in.Facts, func(f Fact) bool { return f.Method == Dynamic })
	cells := assess(telling(settle(in.Facts), in.Target.Methods), ran)
	list := weaknesses(cells, in.Language)
	notes := append(slices.Clone(in.Notes), suppress(list, in.Suppressions, in.Now)...)
	tools := toolNames(in.Tools, in.Facts)
	cells = slices.DeleteFunc(cells, func(a Assessment) bool { return !a.relevant() })
	for i := range notes {
		notes[i] = clean(notes[i])
	}
	notes = together(notes)
	in.Target.Name, in.Target.Server, in.Target.Source = clean(in.Target.Name), clean(in.Target.Server), clean(in.Target.Source)
	r := &Report{
		SchemaVersion: SchemaVersion, Rubric: RubricVersion, Target: in.Target, Grade: grade(cells, list, len(tools), readAlone(in.Target.Methods)),
		Weaknesses: list, Cells: cells, Tools: tools, Notes: notes,
	}
	if r.Target.Methods == nil {
		r.Target.Methods = []Method{}
	}
	if r.Notes == nil {
		r.Notes = []string{}
	}
	return r
}

// readAlone reports whether nothing was tried.
func readAlone(methods []Method) bool { return len(methods) == 1 && methods[0] == Static }

// outputs are what reading alone leaves open: the outputs of tools that open a file or a page.
func outputs(facts []Fact, methods []Method) (list []Fact) {
	if !readAlone(methods) {
		return nil
	}
	seen := map[string]bool{}
	for _, f := range facts {
		reaches := f.Method == Static && (f.Verdict != NoEvidence || f.Kind != "" && f.Kind != kindNothing)
		if (f.Class == Path || f.Class == URL) && f.Tool != "" && !f.remark() && reaches && !seen[f.Tool] {
			seen[f.Tool] = true
			list = append(list, Fact{Cell: Cell{Tool: f.Tool, Class: Output}, Method: Static, Verdict: Skipped,
				Why: "only the running server shows what the tool passes on: let the audit start it"})
		}
	}
	return list
}

func toolNames(tools []string, facts []Fact) []string {
	names := append([]string{}, tools...)
	for _, f := range facts {
		names = append(names, f.Tool)
	}
	for i := range names {
		names[i] = clean(names[i])
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
}

// Name describes the weakness in a few words: "path: tool read_file, parameter path".
func (f *Weakness) Name() string { return f.Cell.String() }

// String describes the cell: "path: tool read_file, parameter path".
func (c Cell) String() string {
	s := string(c.Class) + ": "
	if c.Tool == "" {
		s += "the server"
	} else {
		s += "tool " + c.Tool
	}
	if c.Param != "" {
		s += ", parameter " + strings.TrimPrefix(c.Param, "/")
	}
	return s
}

// Unassessed are the relevant cells without a result, with the reasons.
func (r *Report) Unassessed() []Assessment {
	var list []Assessment
	for _, a := range r.Cells {
		if !a.Assessed() {
			list = append(list, a)
		}
	}
	return list
}

// Guards are the cells with a proven guard, and those with a guard that was read in the code.
func (r *Report) Guards() (proven, read []Assessment) {
	for _, a := range r.Cells {
		switch {
		case a.Verdict == Guarded && a.Proven:
			proven = append(proven, a)
		case a.Verdict == Guarded:
			read = append(read, a)
		}
	}
	return proven, read
}

// Summary is one line: the grade, the score, what else bounds the grade, the coverage, and what the server does by design.
func (r *Report) Summary() string {
	g := &r.Grade
	if g.Letter == Ungraded {
		return fmt.Sprintf("not graded: nothing could be assessed (%s, %s)%s", count(len(r.Tools), "tool"), count(g.Coverage.Relevant, "relevant place"), g.bound())
	}
	why := ""
	if c := g.weighs(); c != nil {
		why = " (at most " + string(c.Letter) + ": " + c.Why + ")"
	}
	return fmt.Sprintf("grade %s, %d of 100%s; %d%% of %s assessed%s", g, g.Score, why, g.Coverage.Percent, count(g.Coverage.Relevant, "relevant place"), g.bound())
}
