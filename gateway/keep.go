// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/servers"
)

// Bounds of the lists of principals without connections.
const (
	keptPrincipals = 100
	keptBytes      = 1 << 20 // of a principal
)

// A kept holds the last lists of a server for a principal whose connections are closed. They count only for the same server under
// the same gate, which has reviewed them.
type kept struct {
	version string
	gate    *toolvet.Gate
	shelves map[servers.List]*shelf
	said    *string
}

// keep keeps the lists of a pool that is discarded. G must be locked.
func (g *Gateway) keep(p *pool) {
	size, all := 0, map[string]kept{}
	for _, peer := range p.all() {
		one := kept{version: peer.version, gate: peer.judge(), shelves: map[servers.List]*shelf{}}
		peer.mu.Lock()
		one.said = peer.said
		for list, s := range peer.shelves {
			if !s.known || s.outdated {
				continue
			}
			for _, page := range s.pages {
				size += len(page)
			}
			one.shelves[list] = &shelf{pages: s.pages, sent: s.sent, entries: s.entries, kept: true}
		}
		peer.mu.Unlock()
		all[peer.name] = one
	}
	if size > keptBytes {
		return
	}
	for key := range g.kept { // anybody's
		if len(g.kept) < keptPrincipals {
			break
		}
		delete(g.kept, key)
	}
	g.kept[p.key] = all
}

// restore gives a new pool the lists that are kept for its principal. G must be locked.
func (g *Gateway) restore(p *pool) {
	for _, peer := range p.all() {
		if one, ok := g.kept[p.key][peer.name]; ok && one.version == peer.version && one.gate == peer.judge() {
			peer.shelves, peer.said = one.shelves, one.said
		}
	}
	delete(g.kept, p.key)
}

// instructionsKept returns the server's instructions from before the principal's connections were closed, if its list of tools is from
// then, too.
func (p *peer) instructionsKept() (text string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.said == nil || !p.shelf(servers.Tools).kept {
		return "", false
	}
	return *p.said, true
}

// listAtOnce is list, but does not wait for a server that had to start again: it returns the list from before the principal's
// connections were closed. Sessions hear of a list that has changed since.
func (p *peer) listAtOnce(ctx context.Context, list servers.List) (entries []entry, known bool) {
	p.mu.Lock()
	s := p.shelf(list)
	if !s.kept {
		p.mu.Unlock()
		return p.list(ctx, list)
	}
	defer p.mu.Unlock()
	p.fly(list, s)
	s.missed = true
	return s.entries, false
}
