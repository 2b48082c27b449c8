// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
)

// A peer is a server as the sessions of a pool see it.
type peer struct {
	pool    *pool
	name    string
	version string
	set     *upstream.Set // holds this server only
	gate    atomic.Pointer[func() *toolvet.Gate]

	mu      sync.Mutex
	working map[*session]int // the number of requests under way
	retired chan struct{}    // closed when no request is under way any more; nil: in use
	shelves map[servers.List]*shelf
	said    *string           // its instructions; nil: not known
	late    bool              // the last wait for a list was in vain
	down    time.Time         // the start of the outage; zero: the server is up
	was     bool              // it was connected once
	watched map[string]*watch // by URI
	level   string            // the log level; "": the server's own choice
}

func newPeer(p *pool, s Server) (*peer, error) {
	peer := &peer{pool: p, name: s.Name, version: s.Version, working: map[*session]int{}, shelves: map[servers.List]*shelf{}, watched: map[string]*watch{}}
	peer.gate.Store(&s.Gate)
	own := s.Server
	if s.DialerFor != nil {
		own.Dialer = s.DialerFor(p.who)
	}
	if s.CountFor != nil {
		own.Dialer = s.CountFor(p.who, own.Dialer)
	}
	own.Capabilities = p.key.capabilities()
	own.Handler = upstream.Handler{Request: peer.asked}
	var err error
	peer.set, err = upstream.NewSet(upstream.Config{
		Servers: []upstream.Server{own}, Observer: p.g.cfg.Observer, Logger: p.g.warnings(s.Name).Logger(p.g.log),
		Gate:         func(string) *toolvet.Gate { return peer.judge() },
		StateChanged: peer.changed,
	})
	if err != nil {
		return nil, err
	}
	peer.set.Subscribe(peer.notified)
	return peer, nil
}

// changed follows the state of the connection.
func (p *peer) changed(s upstream.State) {
	p.mu.Lock()
	switch {
	case s.Status == upstream.Failed && p.down.IsZero():
		p.down = s.Since
	case s.Status == upstream.Ready:
		p.down, p.was = time.Time{}, true
	}
	p.mu.Unlock()
	if s.Status == upstream.Ready {
		p.pool.g.warnings(p.name).Forget()
		go p.connected() // StateChanged must not call the Set
	}
}

// judge returns the gate of the moment.
func (p *peer) judge() *toolvet.Gate {
	if gate := *p.gate.Load(); gate != nil {
		return gate()
	}
	return p.pool.g.plain
}

var errRetired = errors.New("the server is none of the gateway's any more")

// begin counts a request of a session until the caller calls end.
func (p *peer) begin(s *session) (end func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.retired != nil {
		return nil, errRetired
	}
	p.working[s]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.working[s]--; p.working[s] == 0 {
			delete(p.working, s)
		}
		if p.retired != nil && len(p.working) == 0 {
			close(p.retired)
		}
	}, nil
}

// retirement is how long requests to a removed server may go on.
const retirement = 30 * time.Second

// retire closes the connection when no request is under way any more, or after retirement.
// Calls of a [Caller] get longer: only their own contexts bound them.
func (p *peer) retire(ctx context.Context) {
	p.mu.Lock()
	p.retired = make(chan struct{})
	if len(p.working) == 0 {
		close(p.retired)
	}
	quiet := p.retired
	p.mu.Unlock()
	select {
	case <-quiet:
	case <-time.After(retirement):
		p.awaitCalls(ctx, quiet)
	case <-ctx.Done():
	}
	p.set.Close(ctx)
}

// connected restores the log level and the subscriptions of sessions on a new connection, and
// asks for the lists again.
func (p *peer) connected() {
	ctx := p.pool.ctx
	if raw, err := servers.Of(p.set).Capabilities(ctx, p.name); err == nil {
		p.pool.g.learn(p.name, featuresOf(raw))
		p.pool.disown()
	}
	p.mu.Lock()
	level := p.level
	watched := maps.Clone(p.watched)
	p.mu.Unlock()
	if level != "" {
		p.setLevel(ctx, level)
	}
	for uri, it := range watched {
		if err := p.settle(ctx, uri, it, true); err != nil {
			p.pool.g.log.Warn("a subscription was lost with the server's connection", "server", p.name)
		}
	}
	for _, list := range allLists {
		p.list(ctx, list)
	}
}

// ask makes a session's request, which the gate of the server judges.
func (p *peer) ask(ctx context.Context, s *session, by *request, r upstream.Request) (json.RawMessage, error) {
	end, err := p.begin(s)
	if err != nil {
		return nil, err
	}
	defer end()
	return servers.Of(p.set).Ask(ctx, p.name, r, s.as(by)...)
}

// permit judges a request that the gateway makes for several sessions at once, or keeps to itself.
// Made does it, and returns an error if it came to nothing.
func (p *peer) permit(ctx context.Context, s *session, by *request, method string, params json.RawMessage, made func() error) error {
	passage, err := servers.Of(p.set).Enter(ctx, p.name, upstream.Request{Method: method, Params: params}, s.as(by)...)
	if err != nil {
		return err
	}
	defer passage.Close()
	passage.Sending()
	err = made()
	passage.Sent()
	if err != nil {
		door.Lost(ctx, passage)
		return err
	}
	if passage.Returned(ctx, json.RawMessage("{}")).Withheld {
		return errors.New("it could not be recorded; the reason is in toolvet's log")
	}
	return nil
}

// as identifies the sender of a request.
func (s *session) as(r *request) []upstream.CallOption {
	var meta map[string]any
	if raw := r.params.Get("_meta"); raw != nil {
		meta, _ = call.DecodeArguments(raw, s.limits) // a malformed _meta is refused with the params
	}
	return []upstream.CallOption{upstream.WithSession(s.who(meta)), upstream.WithRequestID(string(r.id))}
}

// reviewed passes the server's part of the handshake through the output layer. It returns nil
// if the output layer withholds it.
func (p *peer) reviewed(ctx context.Context, raw json.RawMessage) json.RawMessage {
	d := p.pool.g.door
	d.Gate, d.Server = p.judge, p.name
	v := d.Review(ctx, &call.Call{Server: p.name}, "initialize", raw)
	if !v.Go {
		p.pool.g.log.Warn("withheld the instructions of a server", "server", p.name)
		return nil
	}
	return v.Raw
}
