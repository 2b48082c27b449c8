// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
)

// A Verdict is a go or a no-go, with its reasons. The zero Verdict is a no-go.
type Verdict struct {
	Go bool
	// Ask says of a no-go that a person's consent is all that the call lacks. Only a door that can ask a person may let such a
	// call in; every other refuses it.
	Ask      bool
	Findings []check.Finding // in the order of the stages and of the suite
	Levels   []check.Level   // the levels of the checks that ran
	Skipped  []check.Skip    // checks that could not look; they never count as passed
	// Allowances are the caller's, in a dry run only.
	Allowances []Allowance
	// Inner are the calls within the arguments that the policy tells of (see policy.Calls), from the
	// outermost, without their arguments.
	Inner []*call.Call
	// Arguments are the canonical arguments, if the policy asks for such and they differ from the call's: the tool must get
	// them in place of the call's. Changes tell where they differ. Nil: the tool gets the call's own text. Only a go and an ask have
	// any.
	Arguments json.RawMessage
	Changes   []Change
	// Stopped is the error of the caller's context, if it ended before a check did.
	Stopped error
}

// refused reports whether a finding refuses the call, and whether no consent of a person changes that.
func (v *Verdict) refused() (refused, final bool) {
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Blocks() {
			refused, final = true, final || !f.Asks()
		}
	}
	return refused, final
}

// conclude makes v a go, a no-go, or a call to ask about. Judged says that nothing but findings stands in the way.
func (v *Verdict) conclude(judged bool) {
	refused, final := v.refused()
	v.Go, v.Ask = judged && !refused, judged && refused && !final
}

// admits reports whether a door lets a live call of the session in: a go, or a call that the door will ask a person about.
func (v *Verdict) admits(s *call.Session) bool { return v.Go || v.Ask && engine.Asks(s) }

// Errors returns the findings that refuse the call.
func (v *Verdict) Errors() []check.Finding { return v.filter(true) }

// Warnings returns the findings that do not refuse the call, observed ones included.
func (v *Verdict) Warnings() []check.Finding { return v.filter(false) }

func (v *Verdict) filter(blocks bool) []check.Finding {
	var out []check.Finding
	for _, f := range v.Findings {
		if f.Blocks() == blocks {
			out = append(out, f)
		}
	}
	return out
}

// Err returns nil for a go, and a *[DeniedError] with every reason for a no-go. It matches
// [context.Canceled] or [context.DeadlineExceeded] if the caller's context ended the judgement.
func (v *Verdict) Err(tool string) error {
	if v.Go {
		return nil
	}
	return &DeniedError{Tool: tool, Findings: v.Errors(), stopped: v.Stopped}
}

// String formats the verdict for people: go, ask or no-go, then one line for each finding.
func (v Verdict) String() string {
	var b strings.Builder
	switch {
	case v.Go:
		b.WriteString("go")
	case v.Ask:
		b.WriteString("ask")
	default:
		b.WriteString("no-go")
	}
	if !v.Go && len(v.Findings) == 0 {
		b.WriteString("\n - not judged")
	}
	for _, f := range v.Findings {
		fmt.Fprintf(&b, "\n - %s [%s]", f, f.Check)
	}
	return b.String()
}

// A DeniedError reports a refused call to its caller. Its text reaches the model, so it
// names places and rules but never repeats a value.
type DeniedError struct {
	Tool     string
	Findings []check.Finding // every reason, in the order of the stages
	stopped  error           // as in the Verdict
}

// Unwrap returns the error of the caller's context, if it ended the judgement, or nil.
func (e *DeniedError) Unwrap() error { return e.stopped }

func (e *DeniedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "call to %q refused", e.Tool)
	for _, f := range e.Findings {
		fmt.Fprintf(&b, "\n - %s [%s]", f, f.Check)
	}
	return b.String()
}
