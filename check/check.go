// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package check defines checks. A check is a documented value with one function that looks for
// one thing in a call.
//
// Checks are data, never registered: drivers take a slice of checks (checks/suite holds the
// default one, in order). An error of Run means that the check broke; findings mean that the call
// is bad; a skip means that the check could not look. None of the three ever counts as fine for
// another.
package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/checkdoc"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A Check looks for one thing in a call. Its fields are set once and only read.
type Check struct {
	// Name is unique, in lower-case words joined by hyphens: "unknown-argument".
	Name string
	// Doc is the check's README.md, its only documentation. The first line is
	// "# " and the name; the first paragraph sums it up.
	Doc string
	// Stage is the layer that the check belongs to.
	Stage Stage
	// Level is the kind of the check's work. Checks of level Runtime run concurrently, and one
	// that does not finish in time is a warning in a dry run; a check of another level that does
	// not is a no-go.
	Level Level
	// Severity is that of its findings unless a policy says otherwise. The zero
	// value is Error.
	Severity Severity
	// Bounded is for the checks of toolvet itself, which promise that Run waits for nothing and
	// returns within a time that its own limits set. They need no goroutine, unless the input is
	// large. Every other check runs in one, and holds nobody up. A check of level Runtime is
	// never bounded.
	Bounded bounded.Promise
	// Demand is the demand that the check answers on an argument. Nil: the check looks at every
	// call as a whole.
	Demand *Demand
	// Asked reports whether a demand with these options, as [Target] has them, asks anything of the check. The check
	// gets no target of the others, and does not run for them. Nil: every demand asks.
	Asked func(options any) bool
	// Requests makes a check without a demand judge requests other than tools/call, too, and the parts
	// of a call beside its arguments. There the pass has a tool that is made up: its schema describes
	// the params. Checks with a demand always judge both.
	Requests bool
	// Run reports what it finds through the pass. It must not change the call, has
	// no side effects, and returns an error only when it could not do its work.
	// Run is called concurrently, for many calls.
	//
	// Run should return once ctx is done. The driver does not wait for one that does not; after
	// too many of them it no longer starts the check.
	Run func(ctx context.Context, pass *Pass) error

	left int32 // runs left behind; see Left
}

// Left returns the number of runs that their driver left behind (see [Run.Leave]) and that have
// not returned yet. It may be called concurrently.
func (c *Check) Left() int { return int(atomic.LoadInt32(&c.left)) }

// A Stage is one of the four layers that a call passes, in this order.
type Stage int

// The stages. The zero Stage is not used.
const (
	_        Stage = iota
	Schema         // the arguments have the shape that the tool declares
	Semantic       // they make sense: the path exists, the query prepares
	Policy         // this session may make this call now
	Output         // the result may be shown to a model
)

var stageNames = []string{"", "schema", "semantic", "policy", "output"}

func (s Stage) String() string { return name(stageNames, int(s)) }

// Code is the stage's code on the wire.
func (s Stage) Code() string { return strings.ToUpper(s.String()) }

// A Level is the kind of a check's work.
type Level int

// The levels. The zero Level is not used.
const (
	_             Level = iota
	SyntaxLevel         // the arguments alone
	SemanticLevel       // the meaning of the arguments
	RuntimeLevel        // files, network, databases as they are now
	SecurityLevel       // abuse of the arguments
)

var levelNames = []string{"", "syntax", "semantic", "runtime", "security"}

func (l Level) String() string { return name(levelNames, int(l)) }

// MarshalText writes the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads a level by its name.
func (l *Level) UnmarshalText(text []byte) error {
	i := slices.Index(levelNames, string(text))
	if i < 1 {
		return fmt.Errorf("is no level: use one of %s", strings.Join(levelNames[1:], ", "))
	}
	*l = Level(i)
	return nil
}

// Severity says what a finding does to a call.
type Severity int

// The severities. The zero Severity is Error: a finding without a severity refuses the call.
const (
	Error   Severity = iota // the call is refused
	Ask                     // the call needs a person's consent, and is refused where nobody can be asked
	Warning                 // the call goes through; the finding is told
)

var severityNames = []string{"error", "ask", "warning"}

func (s Severity) String() string { return name(severityNames, int(s)) }

// MarshalText writes the severity's name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func name(names []string, i int) string {
	if i < 0 || i >= len(names) || names[i] == "" {
		return fmt.Sprintf("unknown(%d)", i)
	}
	return names[i]
}

var nameForm = lazyregexp.New(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// reserved are names of what toolvet itself reports, and of the checks that carry out sections of a policy: a check of
// such a name would pass for them.
var reserved = []string{"call", "levels", "limit", "log", "pinned-tool", "policy", "rehearsal", "rule"}

// Validate reports everything that is wrong with a list of checks: a nil check, a
// missing field, a name given twice or reserved, a demand that no policy could make, two demands of one name. Drivers call
// it before they run anything.
func Validate(checks []*Check) error {
	var errs []error
	for i, c := range checks {
		if c == nil {
			errs = append(errs, fmt.Errorf("check %d is nil", i))
			continue
		}
		if slices.ContainsFunc(checks[:i], func(o *Check) bool { return o != nil && o.Name == c.Name }) {
			errs = append(errs, fmt.Errorf("check %q is listed twice", c.Name))
		}
		if slices.ContainsFunc(checks[:i], func(o *Check) bool { return o != nil && o.Demand.hides(c.Demand) }) {
			errs = append(errs, fmt.Errorf("check %q has a demand %q, as a check before it: choose another name, or share the *Demand", c.Name, c.Demand.Name))
		}
		errs = append(errs, c.validate())
	}
	return errors.Join(errs...)
}

func (c *Check) validate() error {
	fail := func(why string) error { return fmt.Errorf("check %q %s", c.Name, why) }
	switch {
	case !nameForm.MatchString(c.Name):
		return fail("needs a name in lower-case words joined by hyphens")
	case !strings.HasPrefix(c.Doc, "# "+c.Name+"\n"):
		return fail(`needs documentation that starts with "# ` + c.Name + `"`)
	case checkdoc.Summary(c.Doc) == "":
		return fail("needs documentation with a first paragraph that sums it up")
	case c.Stage < Schema || c.Stage > Output:
		return fail("needs a stage")
	case c.Level < SyntaxLevel || c.Level > SecurityLevel:
		return fail("needs a level")
	case c.Severity < Error || c.Severity > Warning:
		return fail("has an unknown severity")
	case c.Bounded.Holds() && c.Level == RuntimeLevel:
		return fail("is of level runtime, so it is not bounded")
	case c.Run == nil:
		return fail("has no Run function")
	case !c.Bounded.Own() && slices.Contains(reserved, c.Name):
		return fail("has a name that toolvet's own findings have: choose another")
	case c.Demand != nil:
		if err := c.Demand.Validate(); err != nil {
			return fail(err.Error())
		}
	}
	return nil
}
