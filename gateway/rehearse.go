// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/validate"
)

// rehearses reports whether calls of any server can be rehearsed.
func (g *Gateway) rehearses() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.servers, func(s Server) bool { return s.Rehearse != nil })
}

// has reports whether the gateway has a server of this name.
func (g *Gateway) has(server string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return indexOf(g.servers, server) >= 0
}

// rehearserOf returns the function that rehearses a server's calls, or nil.
func (g *Gateway) rehearserOf(server string) door.Rehearser {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := indexOf(g.servers, server); i >= 0 {
		return g.servers[i].Rehearse
	}
	return nil
}

// rehearse answers a call of the rehearse tool.
func (s *session) rehearse(ctx context.Context, r *request, p *pool, c *call.Call) json.RawMessage {
	return s.g.door.Rehearse(ctx, c, r.passage(), door.Rehearsal{
		Find:      func(ctx context.Context, tool string) (validate.Found, string) { return s.find(ctx, r, p, tool, false) },
		Rehearser: s.g.rehearserOf,
	})
}
