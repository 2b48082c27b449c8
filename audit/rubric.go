// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

// RubricVersion changes when the same findings would get another grade.
const RubricVersion = "1"

// A Severity is how bad a finding is.
type Severity string

// Severities, worst first. Info is never graded.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Info     Severity = "info"
)

// A Row is one class of the rubric: what a finding costs and what a proven guard earns.
type Row struct {
	Class    Class    `json:"class"`
	Missing  string   `json:"missing"` // what a finding says is missing
	Severity Severity `json:"severity"`
	Minus    int      `json:"minus"` // once, however many findings there are
	Guard    string   `json:"guard,omitempty"`
	Plus     int      `json:"plus,omitempty"`
}

// Rubric are the rows, in the order of reports. The numbers are the published ones; see
// docs/audit-rubric.md.
func Rubric() []Row {
	return []Row{
		{Command, "no shell, and no further arguments of a command, from the caller's text", Critical, 25, "", 0},
		{Path, "path-traversal guard on tools that touch files", High, 15, "allow-list for file paths", 5},
		{URL, "validation of a URL before the request", High, 15, "URL scheme and IP-range validation", 5},
		{Schema, "schema validation of arguments", High, 10, "", 0},
		{Output, "sanitization of what tools read elsewhere", Medium, 5, "output validation on content-aggregating tools", 3},
	}
}

// minusSuspected is what a row costs of which nothing but suspicions was found. It is ours: it
// is what the rubric takes for a finding of medium severity.
const minusSuspected = 5

// enough is the share of relevant cells, in percent, from which a grade is complete. It is ours.
const enough = 70

func rowOf(c Class) Row {
	for _, r := range Rubric() {
		if r.Class == c {
			return r
		}
	}
	return Row{Class: c, Severity: Info}
}

// A Letter is a grade without its marks: A to F, or Ungraded.
type Letter string

// Ungraded is the letter of a server of which nothing could be assessed.
const Ungraded Letter = "?"

// letters are the grades from the best, and the least score of each.
var letters = []struct {
	letter Letter
	least  int
}{{"A", 90}, {"B", 80}, {"C", 70}, {"D", 60}, {"F", 0}}

func letterOf(score int) Letter {
	for _, l := range letters {
		if score >= l.least {
			return l.letter
		}
	}
	return "F"
}

// rank orders letters, best first. Ungraded, and what is no letter, comes after F.
func (l Letter) rank() int {
	for i := range letters {
		if letters[i].letter == l {
			return i
		}
	}
	return len(letters)
}

// Valid reports whether l is one of A, B, C, D and F.
func (l Letter) Valid() bool { return l.rank() < len(letters) }

// AtLeast reports whether l is as good as other, or better. Ungraded is as good as nothing.
func (l Letter) AtLeast(other Letter) bool { return l.Valid() && l.rank() <= other.rank() }
