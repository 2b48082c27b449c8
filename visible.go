// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"

	"github.com/toolvet/toolvet/call"
)

// Hides reports whether the Gate may leave tools out of a list.
func (g *Gate) Hides() bool { return g.void() || g.visible != nil || g.listed != nil }

// Visible reports whether the session of c may know of c's tool. The Gate judges a call of an
// invisible tool as a call of an unknown one. If the decision breaks, the tool is hidden.
func (g *Gate) Visible(ctx context.Context, c *call.Call) bool {
	return !g.void() && g.shows(ctx, g.visible, c)
}

// Lists reports whether c's tool appears in the lists of c's session: it must be visible, and a
// model must be allowed to read its definition. If the decision breaks, the tool is left out.
func (g *Gate) Lists(ctx context.Context, c *call.Call) bool {
	return g.Visible(ctx, c) && g.shows(ctx, g.listed, c)
}

// Needs returns the methods of the lists that c must have in its Listed to be judged. A door asks the
// server for them first. The Gate refuses a request whose lists are missing.
func (g *Gate) Needs(c *call.Call) []string {
	if g.void() || g.needs == nil {
		return nil
	}
	return g.needs(c)
}

func (g *Gate) shows(ctx context.Context, by func(context.Context, *call.Call) bool, c *call.Call) (shown bool) {
	if by == nil || c.Tool == nil {
		return by == nil
	}
	stage := withTimeout(ctx, g.timeout)
	defer stage.end()
	c = textless(c)
	shown, err := await(stage, &g.left, func() bool { return by(stage, c) }, func(bool) {})
	if err != nil && ctx.Err() == nil {
		g.logger.Error("deciding what a session sees broke", append([]any{"server", c.Server, "tool", c.Name}, logged(err)...)...)
	}
	return shown && err == nil
}

// seen returns c with only the tools its session may know of: it makes a hidden tool unknown, and
// keeps it out of suggestions. A call that names no server is one of the Gate's own.
func (g *Gate) seen(ctx context.Context, c *call.Call) *call.Call {
	if c != nil && c.Server == "" && g.server != "" {
		own := *c
		own.Server = g.server
		c = &own
	}
	if g.visible == nil || c == nil || !c.IsTool() || c.Validation || c.Tool != nil && g.Visible(ctx, c) {
		return c
	}
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	seen := *c
	seen.Tool, seen.Known = nil, nil
	var known []*call.Tool
	for _, name := range c.Known.Names() {
		t := c.Known.Tool(name)
		if g.Visible(ctx, &call.Call{Server: c.Server, Name: name, Tool: t, Session: c.Session}) {
			known = append(known, t)
		}
	}
	if ctx.Err() == nil { // otherwise some tools may be undecided
		seen.Known = call.NewCatalog(known)
	}
	return &seen
}
