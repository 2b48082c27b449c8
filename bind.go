// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/policy"
)

// A binding is what is demanded of the calls of one tool: by the policy, and, of the
// arguments that the policy does not speak of, by inference.
type binding struct {
	world       check.World
	clientRoots bool // the roots of the call's session count beside those of world
	arguments   []policy.Argument
	output      []policy.Demand // of the result, the most particular first
}

// bind returns the binding of a call's tool. It is made once for each definition.
func (g *Gate) bind(c *call.Call) (b *binding, err error) {
	if c.Tool == nil || g.policy == nil && g.tools == nil {
		return &binding{}, nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return c.Tool.Memo(g, c.Server, func() any { return g.makeBinding(c) }).(*binding), nil
}

func (g *Gate) makeBinding(c *call.Call) *binding {
	b := &binding{}
	s := g.policy.Server(c.Server)
	b.output = g.outputDemands(s, c.Name)
	if s != nil {
		b.world, b.clientRoots = s.World, s.ClientRoots && !s.World.Remote
		b.demand(s.Tools, c.Name)
	}
	b.demand(g.tools, c.Name)
	if g.policy != nil && g.policy.Infer != nil {
		said := b.arguments
		for _, inferred := range g.policy.Infer(c.Tool) {
			if !slices.ContainsFunc(said, func(a policy.Argument) bool { return covers(a.Address, inferred.Address) }) {
				b.arguments = append(b.arguments, inferred)
			}
		}
	}
	return b
}

// demand adds what tools that match a name are said to demand.
func (b *binding) demand(tools []policy.Tool, name string) {
	for _, t := range tools {
		if t.Matches(name) {
			b.arguments = append(b.arguments, t.Arguments...)
			b.arguments = append(b.arguments, policy.Argument{Demands: t.Requires})
		}
	}
}

// outputDemands are what is demanded of the results of a tool, the most particular first.
func (g *Gate) outputDemands(s *policy.Server, tool string) []policy.Demand {
	var list []policy.Demand
	if s != nil {
		for _, t := range s.Tools {
			if tool != "" && t.Matches(tool) {
				list = append(list, t.Output...)
			}
		}
		list = append(list, s.Output...)
	}
	if g.policy != nil {
		list = append(list, g.policy.Output...)
	}
	return list
}

// covers reports whether one address leads to every place that the other leads to. The
// elements of an array at the end of an address are places of both (see find).
func covers(one, other string) bool {
	const elements = "/*"
	return leads(one, other) || leads(strings.TrimSuffix(one, elements), other) || leads(one, strings.TrimSuffix(other, elements))
}

func leads(one, other string) bool {
	return slices.EqualFunc(strings.Split(one, "/"), strings.Split(other, "/"),
		func(a, b string) bool { return a == "*" || strings.EqualFold(a, b) })
}

// worldOf is the world as it is for a call: its client may have announced roots.
func (b *binding) worldOf(c *call.Call) check.World {
	if !b.clientRoots || c.Session == nil || len(c.Session.Roots) == 0 {
		return b.world
	}
	w := b.world
	w.Roots = slices.Concat(w.Roots, c.Session.Roots)
	return w
}

// demands reports whether a kind is demanded of any place in a call's arguments.
func (b *binding) demands(kind *check.Demand, c *call.Call) bool {
	return slices.ContainsFunc(b.arguments, func(a policy.Argument) bool { return a.Speaks(kind, c.Arguments) })
}

// maxTargets bounds the places in one call that a check looks at: more than anybody gives
// in earnest, and few enough for the time that a call has.
const maxTargets = 10_000

// targets finds the places in a call's arguments that a kind is demanded of, by demands of
// this severity. If there are more than maxTargets it stops.
func (b *binding) targets(kind *check.Demand, severity check.Severity, c *call.Call) (targets []check.Target, tooMany bool) {
	for _, a := range b.arguments {
		targets = a.Targets(kind, severity, c.Arguments, targets, maxTargets+1)
	}
	return targets, len(targets) > maxTargets
}
