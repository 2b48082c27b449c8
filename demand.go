// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/schema"
)

// WithTool makes demands of a tool's arguments in code, as a policy file does below "tools".
// Write it next to the tool's registration. In name, * stands for any characters. The demands
// of several options and of the policy all apply.
func WithTool(name string, arguments ...Arg) Option {
	t := policy.Tool{Pattern: name}
	for _, a := range arguments {
		t.Arguments = append(t.Arguments, a.argument)
	}
	return optionFunc(func(c *config) { c.tools = append(c.tools, t) })
}

// An Arg is the demands on one argument of a tool, as [Argument] lists them. The zero Arg makes none.
type Arg struct{ argument policy.Argument }

// Argument lists the demands on one argument. The address is its name, or a JSON Pointer whose
// steps may be *, for every element or property.
func Argument(address string, demands ...Demand) Arg {
	a := policy.Argument{Address: policy.Address(address)}
	for _, d := range demands {
		a.Demands = append(a.Demands, d.demand)
	}
	return Arg{a}
}

// A Demand is what an argument must be like, as [Require] says it. The zero Demand is an error of [New].
type Demand struct{ demand policy.Demand }

// Require makes a demand of the given kind. Set changes its default options.
//
//	toolvet.Require(path.Demand, func(o *path.Options) { o.Exists = new(true) })
//
// [New] reports options of another kind, and options that are wrong.
func Require[Options any](kind *check.Demand, set func(*Options)) Demand {
	d := policy.Demand{Kind: kind}
	if kind == nil {
		return Demand{}
	}
	if o, ok := kind.Options().(*Options); ok && o != nil && set != nil {
		set(o)
		d.Options = o
	}
	return Demand{d}
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
	if d.Kind.Problems == nil {
		return nil
	}
	for _, p := range d.Kind.Problems(d.Options) {
		return fmt.Errorf("the demand %q: %s %s", d.Kind.Name, p.Field, p.Message)
	}
	return nil
}

// partErrors reports parts that no policy has.
func (c *config) partErrors() error {
	all := []string{partPreset, partLog, partRehearsal, partContain}
	for _, part := range c.apart {
		if !slices.Contains(all, part) {
			return fmt.Errorf("WithElsewhere: a policy has no part %q: use %q, %q, %q or %q", part, partPreset, partLog, partRehearsal, partContain)
		}
	}
	return nil
}

// absent reports whether a value of an interface is nil, or a nil pointer in it.
func absent(v any) bool {
	r := reflect.ValueOf(v)
	return v == nil || r.Kind() == reflect.Pointer && r.IsNil()
}

// policyErrors reports what the policy says and nothing would carry out.
func (c *config) policyErrors() error {
	p := c.policy
	if p == nil {
		return nil
	}
	errs := []error{c.accessErrors(), c.serverError()}
	without := func(part string, says bool, why string) {
		if says && !slices.Contains(c.apart, part) {
			errs = append(errs, fmt.Errorf("the policy has the section %s, %s", part, why))
		}
	}
	if !slices.Contains(c.apart, partPreset) && p.WantsPreset() {
		errs = append(errs, errors.New("the policy's preset is not applied, so nothing judges arguments that the policy does not mention: "+
			"open the file with package policyfile, or write preset: none"))
	}
	without(partLog, p.Log.File != "" && absent(c.observe), "and nothing records calls: open the file with package policyfile, or add WithObserver")
	without(partRehearsal, len(p.Rehearsal.Before) > 0 && !c.runs("rehearsal"), "and nothing rehearses: open the file with package policyfile, or add the check of package rehearse")
	contains := func(s *policy.Server) bool { return s.Contain != nil && (c.server == "" || s.Name == c.server) }
	if slices.ContainsFunc(p.Servers, contains) && !slices.Contains(c.apart, partContain) {
		errs = append(errs, errors.New("the policy contains a server, and this program does not build the walls: start the server behind 'toolvet proxy', "+
			"and leave out the key contain here, or add WithElsewhere(\"contain\")"))
	}
	return errors.Join(errs...)
}

// serverError reports a server that the policy does not name.
func (c *config) serverError() error {
	if c.server == "" || len(c.policy.Servers) == 0 {
		return nil
	}
	var names []string
	for _, s := range c.policy.Servers {
		if s.Name == c.server {
			return nil
		}
		names = append(names, s.Name)
	}
	near := ""
	if name := schema.Nearest(c.server, names); name != "" {
		near = fmt.Sprintf(": did you mean %q?", name)
	}
	return fmt.Errorf("the policy has no server %q, but %s%s", c.server, strings.Join(names, ", "), near)
}

// runs reports whether a check of this name is among those of the Gate.
func (c *config) runs(name string) bool {
	return slices.ContainsFunc(c.checks, func(k *check.Check) bool { return k != nil && k.Name == name })
}

// accessErrors reports settings about access that no check or limiter would enforce.
func (c *config) accessErrors() error {
	if len(c.policy.Rules) > 0 && !c.runs("rule") || c.policy.Pinning.Lock != "" && !c.runs("pinned-tool") || len(c.policy.Limits) > 0 && absent(c.limiter) ||
		len(c.policy.Rules) > 0 && c.policy.HideRefused && c.visible == nil {
		return errors.New("the policy has rules of access, limits or a lock, which nothing would enforce: open the file with package policyfile")
	}
	return nil
}
