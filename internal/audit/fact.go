// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import "fmt"

// A Class is the name of a kind of weakness in the validation of inputs and outputs. Its
// documentation, kinds and points are in a package of its own; see [Classes].
type Class string

// RuleID is the name of the class in reports and for 'toolvet explain': "audit/path".
func (c Class) ID() string { return "audit/" + string(c) }

// The classes of facts.
const (
	Path    Class = "path"    // a file outside the server's limits is read, written or listed
	URL     Class = "url"     // a request goes to a place that callers should not reach (SSRF)
	Command Class = "command" // the caller's text becomes a command, or further arguments of one
	Schema  Class = "schema"  // arguments that break the published schema reach the handler
	Output  Class = "output"  // fetched content comes back unsanitized or without bounds
)

// A Cell is the unit of assessment: one class for one parameter of one tool. Param is a JSON
// Pointer into the arguments ("/path"); it is empty for the whole tool (Schema, Output).
type Cell struct {
	Tool  string `json:"tool"`
	Param string `json:"param,omitempty"`
	Class Class  `json:"class"`
}

// A Verdict is the result of assessing a cell. Only Guarded is good; those other than Vulnerable
// mean that nothing is known.
type Verdict string

// Verdicts.
const (
	Vulnerable   Verdict = "vulnerable"
	Guarded      Verdict = "guarded"      // a control call worked and every probe was blocked; from code: a recognised guard
	NoEvidence   Verdict = "no-evidence"  // looked at; nothing found, no guard proven; not assessed after a run
	Inconclusive Verdict = "inconclusive" // no control call worked, or time or steps ran out
	Skipped      Verdict = "skipped"      // not tried; Why gives the reason
)

// A Confidence tells how sure a Vulnerable is.
type Confidence string

// Confidences, strongest first. Metadata is never graded.
const (
	Proven    Confidence = "proven"    // its effect was seen: a canary
	Traced    Confidence = "traced"    // the value flows to the sink and no guard is on its way
	Suspected Confidence = "suspected" // it flows to the sink past a guard that looks bypassable
	Metadata  Confidence = "metadata"
)

// A Method is the source of a fact.
type Method string

// Methods.
const (
	Dynamic Method = "dynamic"
	Static  Method = "static"
)

// A Place is a line of a source file. File is relative to the audited directory, with slashes.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`             // from 1
	Col  int    `json:"column,omitempty"` // from 1, in a report in UTF-16 code units; 0: not known
	Note string `json:"note,omitempty"`   // the event there: "path is read from the arguments", "passed to fs.readFile"
}

// String is file:line:column, or file:line where the column is not known.
func (p Place) String() string {
	if p.Col == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// A Fact is the knowledge of one method about one cell.
type Fact struct {
	Cell
	Method     Method     `json:"method"`
	Verdict    Verdict    `json:"verdict"`
	Confidence Confidence `json:"confidence,omitempty"` // of a Vulnerable
	// Kind is the kind of weakness within the class, in kebab-case: "sibling-prefix", "symlink",
	// "ssrf-redirect", "shell", "argument-split", "missing-required".
	Kind string `json:"rule,omitempty"`
	Why  string `json:"why"` // one sentence
	// Engine is the name of another engine that suspects the weakness; "": toolvet knows it.
	Engine string `json:"engine,omitempty"`

	Flow  []Place `json:"flow,omitempty"`  // static: from the entry of the value to the sink
	Proof *Proof  `json:"proof,omitempty"` // dynamic
}

// A Proof is the successful call, and its effect. Values made up by the audit are in it as they
// were sent; words of the server are not, except the canary.
type Proof struct {
	Arguments string `json:"arguments"` // JSON
	Seen      string `json:"seen"`
	Probes    int    `json:"probes"` // how many were tried
}
