// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/access/limit/redisstore"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/policy"
)

// Checks are the checks of the program, in the order in which they report.
type Checks []*check.Check

// Demands returns the demands on arguments that the checks answer.
func (c Checks) Demands() []*check.Demand {
	var demands []*check.Demand
	for _, one := range c {
		if one.Demand != nil && !slices.Contains(demands, one.Demand) {
			demands = append(demands, one.Demand)
		}
	}
	return demands
}

// Nameable returns all checks that a policy can name: also those that access control adds.
func (c Checks) Nameable() []*check.Check { return slices.Concat(c, access.Checks()) }

// NewGate makes the gate of a policy's only server, and never rehearses.
func (c Checks) NewGate(e *access.Enforcer, p *policy.Policy, more ...toolvet.Option) (*toolvet.Gate, error) {
	if p.Shared != nil {
		redisstore.LogTo(e.Log)
	}
	options, err := e.Options(p)
	if err != nil {
		return nil, err
	}
	own := []toolvet.Option{toolvet.WithChecks(c...), toolvet.WithPolicy(p), toolvet.WithLogger(e.Log)}
	return toolvet.New(slices.Concat(own, options, more)...)
}
