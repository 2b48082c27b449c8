// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"errors"
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/policy"
)

// WithTool makes demands of a tool's arguments in code, as a policy file does below "tools".
// Write it next to the tool's registration. In name, * stands for any characters. The demands
// of several options and of the policy all apply.
func WithTool(name string, arguments ...policy.Argument) Option {
	return optionFunc(func(c *config) {
		c.tools = append(c.tools, policy.Tool{Pattern: name, Arguments: arguments})
	})
}

// Argument lists the demands on one argument. The address is its name, or a JSON Pointer whose
// steps may be *, for every element or property.
func Argument(address string, demands ...policy.Demand) policy.Argument {
	return policy.Argument{Address: policy.Address(address), Demands: demands}
}

// Require makes a demand of the given kind. Set changes its default options.
//
//	toolvet.Require(path.Demand, func(o *path.Options) { o.Exists = new(true) })
//
// [New] reports options of another kind, and options that are wrong.
func Require[Options any](kind *check.Demand, set func(*Options)) policy.Demand {
	d := policy.Demand{Kind: kind}
	if kind == nil {
		return d
	}
	if o, ok := kind.Options().(*Options); ok && o != nil && set != nil {
		set(o)
		d.Options = o
	}
	return d
}

// demandErrors reports the faults of demands made in code.
func (c *config) demandErrors() error {
	var errs []error
	for _, t := range c.tools {
		for _, a := range t.Arguments {
			for _, d := range a.Demands {
				if err := c.demandError(d); err != nil {
					errs = append(errs, fmt.Errorf("the tool %q, argument %q: %w", t.Pattern, a.Address, err))
				}
			}
		}
	}
	return errors.Join(errs...)
}

func (c *config) demandError(d policy.Demand) error {
	answers := func(k *check.Check) bool { return k != nil && k.Demand == d.Kind && !c.policy.Check(k.Name).Off }
	switch {
	case d.Kind == nil:
		return errors.New("a demand without a kind: use the Demand of a package below checks")
	case d.Options == nil:
		return fmt.Errorf("the options are not those of the demand %q: use Require with a function that takes its Options", d.Kind.Name)
	case !slices.ContainsFunc(c.checks, answers):
		return fmt.Errorf("no check that runs answers the demand %q", d.Kind.Name)
	}
	for _, p := range check.Problems(d.Options) {
		return fmt.Errorf("the demand %q: %s %s", d.Kind.Name, p.Field, p.Message)
	}
	return nil
}

// accessErrors reports settings about access that no check or limiter would enforce.
func (c *config) accessErrors() error {
	if c.policy == nil {
		return nil
	}
	runs := func(name string) bool {
		return slices.ContainsFunc(c.checks, func(k *check.Check) bool { return k != nil && k.Name == name })
	}
	if len(c.policy.Rules) > 0 && !runs("rule") || c.policy.Pinning.Lock != "" && !runs("pinned-tool") || len(c.policy.Limits) > 0 && c.limiter == nil {
		return errors.New("the policy has rules of access, limits or a lock, which nothing would enforce: add the options of package access")
	}
	return nil
}
