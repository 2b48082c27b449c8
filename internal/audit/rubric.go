// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"github.com/toolvet/toolvet/internal/audit/class"
	"github.com/toolvet/toolvet/internal/audit/classes/suite"
)

// RubricVersion changes whenever the same weaknesses would get another grade.
const RubricVersion = "8"

// Classes are the rows of the rubric, in the order of reports. The numbers are the published ones;
// see docs/audit-rubric.md.
func Classes() []*class.Class { return suite.Default() }

// classOf is the class of a name, or nil: unknown classes are not graded.
func classOf(c Class) *class.Class { return suite.Find(string(c)) }

// minusSuspected is the deduction for a row with nothing but suspicions, and kinds of a lesser severity. It is ours: the rubric
// deducts as much for a weakness of medium severity.
const minusSuspected = 5

// enough is the share of relevant cells, in percent, that makes a grade complete and an A
// possible: of all cells, and of each class. It is ours.
const enough = 70

// A Letter is a grade without its marks: A to F, or Ungraded.
type Letter string

// Ungraded is the letter of a server that could not be assessed.
const Ungraded Letter = "?"

// letters are the grades from the best, with the least score of each.
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

// rank orders letters, best first. Ungraded, and anything but a letter, comes after F.
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
