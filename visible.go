// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"

	"github.com/toolvet/toolvet/call"
)

func (g innerGate) Hides() bool { return g.void() || g.visible != nil || g.listed != nil }

func (g innerGate) ErrorForms() (protocol, tool bool) {
	if g.void() || g.policy == nil {
		return false, false
	}
	return g.policy.ProtocolErrors, g.policy.ToolErrors
}

func (g innerGate) Visible(ctx context.Context, c *call.Call) bool {
	return !g.void() && g.shows(ctx, g.visible, c)
}

func (g innerGate) Lists(ctx context.Context, c *call.Call) bool {
	return g.Visible(ctx, c) && g.shows(ctx, g.listed, c)
}

func (g innerGate) Needs(c *call.Call) []string {
	if g.void() || g.needs == nil {
		return nil
	}
	return g.needs(c)
}

func (g *Gate) shows(ctx context.Context, by func(context.Context, *call.Call) bool, c *call.Call) bool {
	if by == nil || c.Tool == nil {
		return by == nil
	}
	stage := withTimeout(ctx, g.timeout)
	defer stage.end()
	c = textless(c)
	answer, err := await(stage, &g.left, func() any { return by(stage, c) }, func(any) {})
	if err != nil && ctx.Err() == nil {
		g.logger.Error("deciding what a session sees broke", append([]any{"server", c.Server, "tool", c.Name}, logged(err)...)...)
	}
	return answer == true && err == nil
}

// seen returns c with only the tools its session may know of: it makes a hidden tool unknown, and
// keeps it out of suggestions. A call that names no server is one of the Gate's own.
func (g *Gate) seen(ctx context.Context, c *call.Call) *call.Call {
	if c != nil && c.Server == "" && g.server != "" {
		own := *c
		own.Server = g.server
		c = &own
	}
	if g.visible == nil || c == nil || !c.IsTool() || c.Validation || c.Tool != nil && g.shows(ctx, g.visible, c) {
		return c
	}
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	seen := *c
	seen.Tool, seen.Known = nil, nil
	var known []*call.Tool
	for _, name := range c.Known.Names() {
		t := c.Known.Tool(name)
		if g.shows(ctx, g.visible, &call.Call{Server: c.Server, Name: name, Tool: t, Session: c.Session}) {
			known = append(known, t)
		}
	}
	if ctx.Err() == nil { // otherwise some tools may be undecided
		seen.Known = call.NewCatalog(known)
	}
	return &seen
}
