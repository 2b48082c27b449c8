// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/servers"
)

// A principal is the key of a pool. Sessions share connections if they have the same identity
// and their clients the same capabilities: a server may offer more to a client that can do more.
type principal struct {
	identity              string // the subject; with its claims if a server is personal
	elicitation, sampling string // the client's capability as JSON, "" for none
}

// capabilities returns the client capabilities for the handshake with a server.
func (p principal) capabilities() json.RawMessage {
	offers := map[string]json.RawMessage{}
	for name, said := range map[string]string{"elicitation": p.elicitation, "sampling": p.sampling} {
		if said != "" {
			offers[name] = json.RawMessage(said)
		}
	}
	raw, err := json.Marshal(offers)
	if err != nil { // a capability is not JSON
		return nil
	}
	return raw
}

// A pool holds the connections of a principal.
type pool struct {
	g      *Gateway
	key    principal
	who    call.Session    // of the session that joined first; the others are alike
	ctx    context.Context // of requests on behalf of all sessions
	cancel context.CancelFunc
	linger *time.Timer // with g.mu
	closed bool        // with g.mu

	mu       sync.Mutex
	peers    []*peer // in the order of the servers
	sessions map[*session]bool
	changed  map[string]bool // methods of notifications about to be sent
	owned    *ownership      // nil: outdated
}

// join adds a session to the pool of a principal. It makes the pool if there is none.
func (g *Gateway) join(key principal, who call.Session, s *session) (*pool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.pools[key]
	switch {
	case g.closed:
		return nil, errClosed
	case p == nil && s.heard == nil && g.full() && !g.evict(""):
		return nil, fmt.Errorf("%d principals have connections already: try again later", g.cfg.MaxPrincipals)
	case p == nil:
		p = &pool{g: g, key: key, who: call.Session{Subject: who.Subject, Authenticated: who.Authenticated, Claims: who.Claims, Transport: who.Transport}, sessions: map[*session]bool{}, changed: map[string]bool{}}
		p.ctx, p.cancel = context.WithCancel(g.ctx)
		p.update(g.servers)
		g.restore(p)
		g.pools[key] = p
	}
	if p.linger != nil {
		p.linger.Stop()
	}
	p.mu.Lock()
	p.sessions[s] = true
	p.mu.Unlock()
	return p, nil
}

// evict closes connections that no session uses, to make room: of a principal, or of anybody if it is
// "". G must be locked.
func (g *Gateway) evict(principal string) bool {
	for _, p := range g.pools {
		if p.isIdle() && (principal == "" || p.who.Principal() == principal) {
			g.discard(p)
			return true
		}
	}
	return false
}

func (g innerGateway) EndIdle(principal string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.evict(principal)
}

// discard forgets a pool. G must be locked.
func (g *Gateway) discard(p *pool) {
	if p.closed {
		return
	}
	p.closed = true
	delete(g.pools, p.key)
	g.keep(p)
	g.retiring.Go(func() { p.close(g.ctx) })
}

func (p *pool) isIdle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sessions) == 0
}

// leave removes a session that has ended. The pool closes a while after its last session.
func (p *pool) leave(s *session) {
	p.mu.Lock()
	delete(p.sessions, s)
	for _, peer := range p.peers {
		peer.forget(s)
	}
	p.mu.Unlock()
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	if p.closed || p.g.closed || !p.isIdle() {
		return
	}
	if p.linger != nil {
		p.linger.Stop()
	}
	p.linger = time.AfterFunc(p.g.cfg.linger, func() {
		p.g.mu.Lock()
		defer p.g.mu.Unlock()
		if p.isIdle() && !p.g.closed {
			p.g.discard(p)
		}
	})
}

func (p *pool) close(ctx context.Context) {
	p.cancel()
	var closing sync.WaitGroup
	for _, peer := range p.all() {
		closing.Go(func() { peer.set.Close(ctx) })
	}
	closing.Wait()
}

// update replaces the servers. It keeps the connections to servers with the same name and
// version. G must be locked.
func (p *pool) update(servers []Server) {
	p.mu.Lock()
	before := map[string]*peer{}
	for _, peer := range p.peers {
		before[peer.name] = peer
	}
	p.peers = nil
	for _, s := range servers {
		peer := before[s.Name]
		if peer == nil || peer.version != s.Version {
			var err error
			if peer, err = newPeer(p, s); err != nil { // unlikely: checkServers has accepted the server
				p.g.log.Error("a server cannot be used", "server", s.Name, "err", err)
				continue
			}
		} else {
			delete(before, s.Name)
			peer.gate.Store(&s.Gate)
		}
		p.peers = append(p.peers, peer)
	}
	p.owned = nil
	p.mu.Unlock()
	for _, old := range before {
		p.g.retiring.Go(func() { old.retire(p.g.ctx) })
	}
}

// all returns the connections in the order of the servers.
func (p *pool) all() []*peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.peers // never changed in place
}

// named returns the connection to a server, or nil.
func (p *pool) named(server string) *peer {
	for _, peer := range p.all() {
		if peer.name == server {
			return peer
		}
	}
	return nil
}

// each calls f for each session.
func (p *pool) each(f func(*session)) {
	p.mu.Lock()
	list := make([]*session, 0, len(p.sessions))
	for s := range p.sessions {
		list = append(list, s)
	}
	p.mu.Unlock()
	for _, s := range list {
		f(s)
	}
}

// together is how long a notification of a changed list waits for others, to be sent as one.
const together = 50 * time.Millisecond

// listChanged notifies all sessions of a changed list.
func (p *pool) listChanged(list servers.List) {
	method := changedMethod(list)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owned = nil
	if p.changed[method] {
		return
	}
	p.changed[method] = true
	time.AfterFunc(together, func() {
		p.mu.Lock()
		delete(p.changed, method)
		p.mu.Unlock()
		p.each(func(s *session) { s.notify(method, nil) })
	})
}
