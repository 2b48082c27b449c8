// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package class defines a class of weakness: a documented value with its row of the rubric, its
// kinds, and advice for mending it.
//
// A class is data, never a registration: audit/classes/suite lists them, in order. The finders of
// weaknesses, audit/probe and the readers below audit/source, name the class and the kind; a fact
// with an undocumented class or kind fails the tests.
package class

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A Class is one kind of weakness in a server's validation. Its fields are set once and only read.
type Class struct {
	// Name is unique, in lower-case words joined by hyphens: "path".
	Name string
	// Doc is the class's README.md. The first line is "# " and the name; the first paragraph is
	// the summary.
	Doc string

	// Missing is the rubric's complaint about a server with such a weakness. Minus is the
	// deduction in points, once for all weaknesses of the class.
	Missing  string
	Severity Severity // of a proven or traced weakness
	Minus    int
	// Guard is the rubric's praise for a server with proven guards, and Plus the bonus in points.
	// Both may be empty.
	Guard string
	Plus  int

	Kinds []Kind // the plainest first
	Fix   Fix
}

// A Kind is one form of a class's weakness.
type Kind struct {
	Name string // unique in its class, in lower-case words joined by hyphens: "sibling-prefix"
	Doc  string // one sentence, without a full stop
	// Seen is the kind that a probe reports for the same weakness, if it is another one: such a remark means that
	// no guard clears the weakness.
	Seen string
	// Severity is that of a weakness of no other kind; "": that of the class. A lesser one costs as much as a suspicion.
	Severity Severity
	// Means tells, in the reasons for a grade, what a weakness of a lesser severity means.
	Means string
	// Design is what a server does that has a remark of this kind, as its purpose: "runs any command". No grade covers it.
	Design string
	// AtMost bounds the grade of a server with such a remark; "": it does not.
	AtMost string
	// Fix is the advice for this kind, if that of the class does not fit; "": it does.
	Fix string
	// Beyond says why no policy closes a weakness of this kind; "": one can.
	Beyond string
}

// Remark reports whether a weakness of the kind is never graded.
func (k *Kind) Remark() bool { return strings.HasPrefix(k.Doc, "A remark: ") }

// A Severity tells how bad a weakness is.
type Severity string

// Severities, worst first. Info is never graded.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Info     Severity = "info"
)

// Severities are all severities, worst first.
func Severities() []Severity { return []Severity{Critical, High, Medium, Info} }

// Languages of servers, for advice on weaknesses.
const (
	TypeScript = "typescript" // and JavaScript
	Python     = "python"
	Go         = "go"
)

// A Fix is the advice for weaknesses of a class: in any language, and in detail for some.
type Fix struct{ Any, TypeScript, Python, Go string }

// In is the advice for a language; "" is any.
func (f Fix) In(language string) string {
	switch language {
	case TypeScript:
		return f.TypeScript
	case Python:
		return f.Python
	case Go:
		return f.Go
	}
	return f.Any
}

// Summary is the first paragraph of the documentation, on one line.
func (c *Class) Summary() string {
	_, body, _ := strings.Cut(c.Doc, "\n")
	paragraph, _, _ := strings.Cut(strings.TrimSpace(body), "\n\n")
	return strings.Join(strings.Fields(paragraph), " ")
}

// Kind returns a kind by its name, or nil.
func (c *Class) Kind(name string) *Kind {
	if i := slices.IndexFunc(c.Kinds, func(r Kind) bool { return r.Name == name }); i >= 0 {
		return &c.Kinds[i]
	}
	return nil
}

var nameForm = lazyregexp.New(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// Validate reports all faults in a list of classes.
func Validate(classes []*Class) error {
	var errs []error
	seen := map[string]bool{}
	for i, c := range classes {
		if c == nil {
			errs = append(errs, fmt.Errorf("class %d is nil", i))
			continue
		}
		if seen[c.Name] {
			errs = append(errs, fmt.Errorf("class %q is listed twice", c.Name))
		}
		seen[c.Name] = true
		errs = append(errs, c.validate())
	}
	return errors.Join(errs...)
}

func (c *Class) validate() error {
	fail := func(why string) error { return fmt.Errorf("class %q %s", c.Name, why) }
	switch {
	case !nameForm.MatchString(c.Name):
		return fail("needs a name in lower-case words joined by hyphens")
	case !strings.HasPrefix(c.Doc, "# "+c.Name+"\n"):
		return fail(`needs documentation that starts with "# ` + c.Name + `"`)
	case c.Summary() == "":
		return fail("needs documentation with a first paragraph that sums it up")
	case c.Missing == "" || c.Minus <= 0:
		return fail("needs what is missing, and the points that it costs")
	case c.Severity != Critical && c.Severity != High && c.Severity != Medium:
		return fail("needs the severity critical, high or medium")
	case (c.Guard == "") != (c.Plus == 0) || c.Plus < 0:
		return fail("needs both a guard and the points that it earns, or neither")
	case c.Fix.Any == "" || c.Fix.TypeScript == "" || c.Fix.Python == "" || c.Fix.Go == "":
		return fail("needs a fix, in general and in each language")
	}
	for i, r := range c.Kinds {
		switch {
		case !nameForm.MatchString(r.Name) || c.Kind(r.Name) != &c.Kinds[i]:
			return fail(fmt.Sprintf("needs kinds with names of their own in lower-case words joined by hyphens, and not %q", r.Name))
		case r.Doc == "" || strings.HasSuffix(r.Doc, "."):
			return fail(fmt.Sprintf("needs a sentence without a full stop for the kind %q", r.Name))
		case r.Severity != "" && r.Severity != Medium:
			return fail(fmt.Sprintf("needs the severity medium, or that of the class, for the kind %q", r.Name))
		case (r.Design != "") != (r.Fix != "") || r.Design != "" && !r.Remark() || r.AtMost != "" && r.Design == "":
			return fail(fmt.Sprintf("needs for the purpose %q a remark, what the server does, and a fix", r.Name))
		case r.Seen != "" && (c.Kind(r.Seen) == nil || r.Seen == r.Name):
			return fail(fmt.Sprintf("needs another of its kinds as what is seen of the kind %q", r.Name))
		}
	}
	if len(c.Kinds) == 0 {
		return fail("needs kinds")
	}
	return nil
}
