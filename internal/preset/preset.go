// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package preset makes demands on the arguments of tools that no policy mentions.
//
// [Standard] refuses values that nobody means and only warns of values that somebody may mean;
// [Observe] records what Standard finds and refuses nothing; [Strict] refuses whatever is not
// plainly fine. All rest on guesses (package infer). docs/presets.md tells what each of them
// does, and why.
//
// [Apply] joins a preset with a policy.
package preset

import (
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/policy"
)

// A preset is what Apply joins with a policy.
type preset struct {
	name   string
	infer  func(*call.Tool) []policy.Argument
	agent  asker // in place of infer, for the tools of a host of coding agents
	asked  func(*call.Call) ([]policy.Argument, error)
	part   func(call.Part) ([]policy.Argument, error)
	checks func(checks []*check.Check) map[string]policy.Check
}

var presets = []preset{
	{"observe", Observe, agentAsks, lax(StandardRequest), lax(StandardPart), observeAll},
	{"standard", Standard, agentAsks, StandardRequest, StandardPart, noChecks},
	{"strict", Strict, agentStrictly, StrictRequest, StrictPart, strictChecks},
}

// Default is the preset that holds where a policy names none, or there is no policy.
const Default = "standard"

// None is the word for no preset at all.
const None = "none"

// Names are the names of the presets.
func Names() []string {
	var names []string
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// Apply returns a copy of p that infers by the preset called name. P may be nil. Settings of p
// for a check win over those of the preset. Checks are those that will run.
func Apply(name string, p *policy.Policy, checks []*check.Check) (*policy.Policy, error) {
	for _, set := range presets {
		if set.name != name {
			continue
		}
		var joined policy.Policy
		if p != nil {
			joined = *p
		}
		own := joined.Checks
		if len(joined.Servers) == 1 && joined.Servers[0].Agent {
			asks := set.agent.leaving(joined.Servers[0].Unasked).after(joined.Servers[0].Memory)
			set.infer = func(t *call.Tool) []policy.Argument { return agentArguments(t, asks) }
		}
		joined.Preset, joined.Infer, joined.InferRequest, joined.InferPart = name, set.infer, set.asked, set.part
		joined.Checks = set.checks(checks)
		for name, c := range own {
			c.Observe = c.Observe || joined.Checks[name].Observe
			joined.Checks[name] = c
		}
		return &joined, nil
	}
	return nil, fmt.Errorf("unknown preset %q: must be %s", name, strings.Join(Names(), ", "))
}

func noChecks([]*check.Check) map[string]policy.Check { return map[string]policy.Check{} }

func observeAll(checks []*check.Check) map[string]policy.Check {
	rules := make(map[string]policy.Check, len(checks))
	for _, c := range checks {
		rules[c.Name] = policy.Check{Observe: true}
	}
	return rules
}

func strictChecks(checks []*check.Check) map[string]policy.Check {
	rules := map[string]policy.Check{}
	for _, c := range checks {
		if c.Name == "unknown-argument" || c.Name == "known-method" || c.Name == "format" {
			severity := check.Error
			rules[c.Name] = policy.Check{Severity: &severity}
		}
	}
	return rules
}
