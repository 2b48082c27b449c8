// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"

	"github.com/toolvet/toolvet/call"
)

// Hides reports whether there may be tools that are left out of a list.
func (g *Gate) Hides() bool { return g.visible != nil || g.listed != nil }

// Visible reports whether the session of c may know of the tool that c names. A call of
// another tool is judged as that of an unknown one. What breaks is hidden.
func (g *Gate) Visible(ctx context.Context, c *call.Call) bool { return g.shows(ctx, g.visible, c) }

// Lists reports whether the tool that c names stands in the lists of the session of c: it is
// visible, and a model may read its definition. What breaks is left out.
func (g *Gate) Lists(ctx context.Context, c *call.Call) bool {
	return g.shows(ctx, g.visible, c) && g.shows(ctx, g.listed, c)
}

func (g *Gate) shows(ctx context.Context, by func(context.Context, *call.Call) bool, c *call.Call) (shown bool) {
	if by == nil {
		return true
	}
	defer func() {
		if r := recover(); r != nil {
			g.logger.Error("deciding what a session sees broke", "server", c.Server, "tool", c.Name, "err", r)
			shown = false
		}
	}()
	return c.Tool != nil && by(ctx, c)
}

// seen is c as its session may know it: a hidden tool is an unknown one, and no suggestion
// names it.
func (g *Gate) seen(ctx context.Context, c *call.Call) *call.Call {
	if g.visible == nil || c == nil || c.Validation || c.Tool != nil && g.Visible(ctx, c) {
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
	if ctx.Err() == nil { // otherwise nothing was decided
		seen.Known = call.NewCatalog(known)
	}
	return &seen
}
