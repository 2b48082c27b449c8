// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package enforce

import (
	"errors"
	"slices"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
)

// Checks are the checks of the program, in the order in which they report.
type Checks []*check.Check

// Demands returns the demands on arguments that the checks answer.
func (c Checks) Demands() []*check.Demand {
	var demands []*check.Demand
	for _, one := range c {
		if one != nil && one.Demand != nil && !slices.Contains(demands, one.Demand) {
			demands = append(demands, one.Demand)
		}
	}
	return demands
}

// Nameable returns all checks that a policy can name: also those that access control adds.
func (c Checks) Nameable() []*check.Check { return slices.Concat(c, access.Checks()) }

// Before makes the check that rehearses calls before they run, as the policy of one server demands.
type Before = func(*policy.Sealed) (*check.Check, error)

// NewRehearsingGate is NewGate with the rehearsals that the policy demands. Nil rehearses nothing.
func (c Checks) NewRehearsingGate(e *access.Enforcer, p *policy.Policy, before Before, more ...toolvet.Option) (*toolvet.Gate, error) {
	switch {
	case len(p.Rehearsal.Before) == 0:
		return c.NewGate(e, p, more...)
	case before == nil:
		return nil, errors.New("the policy has rehearsals, and the program has no sandbox for them")
	}
	rehearsal, err := before(policy.Seal(p))
	if err != nil {
		return nil, err
	}
	return c.NewGate(e, p, append(more, toolvet.WithMoreChecks(rehearsal), toolvet.WithTimeout(rehearsalTime))...)
}

// rehearsalTime bounds a judgement with a rehearsal, which may have to start the server.
const rehearsalTime = 60 * time.Second

// NewGate makes the gate of a policy's only server. It never rehearses, and leaves the log to the door
// unless an option of more is an observer.
func (c Checks) NewGate(e *access.Enforcer, p *policy.Policy, more ...toolvet.Option) (*toolvet.Gate, error) {
	options, err := e.Options(p)
	if err != nil {
		return nil, err
	}
	own := []toolvet.Option{toolvet.WithChecks(c...), toolvet.WithPolicy(policy.Seal(p)), toolvet.WithServer(p.Servers[0].Name), toolvet.WithLogger(e.Log),
		toolvet.WithElsewhere("log", "rehearsal")}
	if e.Contains {
		own = append(own, toolvet.WithElsewhere("contain"))
	}
	return toolvet.New(slices.Concat(own, options, more)...)
}
