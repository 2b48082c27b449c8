// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"errors"
	"fmt"
)

// matched is the reason of a deny or ask rule whose condition is true.
func (r *planned) matched() Reason {
	if r.Effect == Ask {
		reason := r.reason("wants a person to consent to the call", "would want a person to consent to the call, and only observes")
		reason.Ask = true
		return reason
	}
	return r.reason("refuses the call", "would refuse the call, and only observes")
}

// silent is the reason of an allow rule whose condition is false, where no other allows.
func (r *planned) silent() Reason {
	return r.reason("does not allow the call", "would not allow the call, and only observes")
}

// broken is the reason of a rule that cannot be evaluated.
func (r *planned) broken(err error) Reason {
	reason := Reason{Rule: r.Name, Err: err}
	what := "could not be evaluated, and the reason is in toolvet's log"
	var missing *missingError
	var path *pathError
	switch {
	case errors.As(err, &path):
		what = "cannot tell where a path leads: " + path.Error()
		reason.Suggestion = "give the absolute path of the file, without .. and without encoding"
	case errors.As(err, &missing):
		what = fmt.Sprintf("looks at the argument %q, which the call does not give", missing.argument())
		reason.Suggestion = fmt.Sprintf("give %q", missing.argument())
	case errors.Is(err, errStale):
		what = "no longer fits the tool's schema"
	}
	reason.Message = fmt.Sprintf("the rule %q %s", r.Name, what)
	if r.Observe {
		reason.Message += "; it only observes"
	} else {
		reason.Message += ", so the call is refused"
	}
	return reason
}

func (r *planned) reason(does, would string) Reason {
	if r.Observe {
		does = would
	}
	message := fmt.Sprintf("the rule %q %s", r.Name, does)
	if r.Message != "" {
		message += ": " + r.Message
	}
	return Reason{Rule: r.Name, Message: message, Suggestion: r.Suggestion}
}

// maxReasons bounds the rules that are named where none allows a call.
const maxReasons = 8

// unpermitted says which rules could have allowed a call.
func unpermitted(rules []planned, what string) []Reason {
	var reasons []Reason
	more := 0
	for i := range rules {
		switch r := &rules[i]; {
		case r.Effect != Allow:
		case len(reasons) < maxReasons:
			reasons = append(reasons, r.silent())
		default:
			more++
		}
	}
	if len(reasons) == 0 {
		reasons = append(reasons, Reason{Message: "no rule allows the " + what})
	}
	if more > 0 {
		reasons = append(reasons, Reason{Message: fmt.Sprintf("%d more rules do not allow the call", more)})
	}
	return reasons
}
