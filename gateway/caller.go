// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
)

// maxKept is how many principals' connections a [Caller] keeps open while it makes no calls for them.
const maxKept = 16

// A Caller makes calls for principals who have no client at the moment, such as the owners of scheduled
// jobs. It takes the place of an [upstream.Set] that has the servers of the Gateway.
//
// A call goes over the connections of the principal in its session ([upstream.WithSession]), and no other's.
// Sessions of that principal share them if their clients can be asked for neither elicitation nor
// sampling. The connections outlive the sessions: those of the last 16 principals that the Caller called
// for stay open. Servers with a DialerFor do not exist for a Caller.
//
// Only the context of a call bounds it, not the CallTimeout of its server.
type Caller struct {
	g     *Gateway
	heard func(upstream.Notification)

	mu         sync.Mutex
	principals map[principal]*standIn
}

// A standIn is the session of a principal without a client. It keeps the principal's pool open.
type standIn struct {
	session *session
	pool    *pool
	calls   int       // under way
	last    time.Time // when the latest call began
}

// NewCaller makes a Caller. Its connections end with the Gateway. Heard receives the notifications of servers
// that the Caller keeps connections to, and may be nil. It must return soon.
func (g *Gateway) NewCaller(heard func(upstream.Notification)) *Caller {
	if heard == nil {
		heard = func(upstream.Notification) {}
	}
	return &Caller{g: g, heard: heard, principals: map[principal]*standIn{}}
}

// Validate judges a call as [upstream.Set.Validate] does.
func (c *Caller) Validate(ctx context.Context, tool string, arguments json.RawMessage,
	options ...upstream.CallOption) (toolvet.Validation, error) {
	set, end, err := c.begin(serverOf(tool), options)
	if err != nil {
		return toolvet.Validation{}, err
	}
	defer end()
	return set.Validate(ctx, tool, arguments, options...)
}

// Call makes a call as [upstream.Set.Call] does.
func (c *Caller) Call(ctx context.Context, tool string, arguments json.RawMessage,
	options ...upstream.CallOption) (*upstream.Outcome, error) {
	set, end, err := c.begin(serverOf(tool), options)
	if err != nil {
		return nil, err
	}
	defer end()
	return set.Call(ctx, tool, arguments, append(options, servers.WithoutTimeout())...)
}

// Tools returns the tools that a server lists to the principal in the options.
func (c *Caller) Tools(ctx context.Context, server string, options ...upstream.CallOption) (*call.Catalog, error) {
	set, end, err := c.begin(server, options)
	if err != nil {
		return nil, err
	}
	defer end()
	return set.Tools(ctx, server)
}

// begin finds the connection to a server. If there is no such server, the Set says so. The caller must call end.
func (c *Caller) begin(server string, options []upstream.CallOption) (set *upstream.Set, end func(), err error) {
	session := upstream.SessionOf(options...)
	if session == nil {
		session = &call.Session{}
	}
	s, done, err := c.standIn(*session)
	if err != nil {
		return nil, nil, err
	}
	for range maxReplaced {
		p := s.pool.shared(server)
		if p == nil {
			done()
			set, err = upstream.NewSet(upstream.Config{Elsewhere: c.g.sharedNames(), Logger: c.g.log})
			return set, func() {}, err
		}
		var ended func()
		if ended, err = p.begin(s.session); err == nil {
			return p.set, func() { ended(); done() }, nil
		}
	}
	done()
	return nil, nil, err // the server was replaced again and again
}

// standIn returns the stand-in for a principal, and counts a call of it until done is called.
func (c *Caller) standIn(who call.Session) (s *standIn, done func(), err error) {
	key := principal{identity: c.g.identity(who)}
	c.mu.Lock()
	defer c.mu.Unlock()
	s = c.principals[key]
	if s == nil {
		own := &session{g: c.g, limits: c.g.cfg.Limits, caller: who, out: newOutbox(), heard: c.heard}
		own.ctx, own.end = context.WithCancel(c.g.ctx)
		s = &standIn{session: own}
		if s.pool, err = c.g.join(key, who, own); err != nil {
			return nil, nil, err
		}
		c.principals[key] = s
	}
	s.calls++
	s.last = time.Now()
	c.thin()
	return s, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		s.calls--
		c.thin()
	}, nil
}

// thin lets go of the principals that were called for the longest ago. C must be locked.
func (c *Caller) thin() {
	for len(c.principals) > maxKept {
		var oldest principal
		var found *standIn
		for key, s := range c.principals {
			if s.calls == 0 && (found == nil || s.last.Before(found.last)) {
				oldest, found = key, s
			}
		}
		if found == nil {
			return // all are in use
		}
		delete(c.principals, oldest)
		found.session.end()
		found.pool.leave(found.session)
	}
}

// serverOf returns the server in the name of a tool; "" if the name has none.
func serverOf(tool string) string {
	server, _, _ := upstream.ParseName(tool)
	return server
}

// shared returns the connection to a server, or nil if a [Caller] may not use the server.
func (p *pool) shared(server string) *peer {
	if !slices.Contains(p.g.sharedNames(), server) {
		return nil
	}
	return p.named(server)
}

// sharedNames lists the servers without a DialerFor, in order.
func (g *Gateway) sharedNames() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var names []string
	for _, s := range g.servers {
		if !isPersonal(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// full reports whether as many principals have clients as may. Pools that only a [Caller] uses do not count. G
// must be locked.
func (g *Gateway) full() bool {
	n := 0
	for _, p := range g.pools {
		if !p.isStandIn() {
			n++
		}
	}
	return n >= g.cfg.MaxPrincipals
}

// isStandIn reports whether only a [Caller] uses the connections.
func (p *pool) isStandIn() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.sessions {
		if s.heard == nil {
			return false
		}
	}
	return len(p.sessions) > 0
}

// hear hands a notification of a server to the stand-ins.
func (p *pool) hear(n upstream.Notification) {
	p.each(func(s *session) {
		if s.heard != nil {
			s.heard(n)
		}
	})
}

// awaitCalls waits for calls of a [Caller] to end. Their own contexts bound them.
func (p *peer) awaitCalls(ctx context.Context, quiet <-chan struct{}) {
	for p.callsUnderWay() {
		select {
		case <-quiet:
			return
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
}

func (p *peer) callsUnderWay() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.working {
		if s.heard != nil {
			return true
		}
	}
	return false
}
