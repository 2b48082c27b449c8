// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/upstream"
)

// subscribe answers resources/subscribe and resources/unsubscribe.
func (s *session) subscribe(ctx context.Context, r *request) (json.RawMessage, error) {
	_, t, err := s.resource(ctx, r)
	if err != nil {
		return nil, err
	}
	err = t.permit(ctx, s, r, r.method, fmt.Appendf(nil, `{"uri":%s}`, quoted(t.own)), func() error {
		if r.method == "resources/subscribe" {
			return t.subscribe(ctx, s, t.own, textOf(r.params.Get("uri")))
		}
		return t.unsubscribe(ctx, s, t.own)
	})
	if err != nil {
		return nil, t.of(err)
	}
	return json.RawMessage("{}"), nil
}

// maxWatched bounds the subscriptions at one server.
const maxWatched = 1000

// A watcher receives the updates of a resource. It is a session, or a subscription since
// 2026-07-28.
type watcher interface {
	of() *session
	updated(params json.RawMessage)
}

func (s *session) of() *session { return s }

func (s *session) updated(params json.RawMessage) {
	s.mu.Lock()
	ready := s.ready
	s.mu.Unlock()
	if ready {
		s.out.offer(notificationLine(updatedMethod, params))
	}
}

const updatedMethod = "notifications/resources/updated"

// A watch is a resource of the server with subscribers.
type watch struct {
	turn chan struct{} // held to subscribe or unsubscribe at the server; has room for one
	told bool          // we are subscribed at the server; guarded by turn

	by map[watcher]string // the subscribers, each with its client's URI; guarded by the mutex of the peer
}

// subscribe adds w to the subscribers of a resource. Shown is the client's URI for it.
func (p *peer) subscribe(ctx context.Context, w watcher, uri, shown string) error {
	p.mu.Lock()
	it := p.watched[uri]
	if it == nil {
		if len(p.watched) >= maxWatched {
			p.mu.Unlock()
			return fmt.Errorf("%d of its resources are subscribed to already", maxWatched)
		}
		it = &watch{turn: make(chan struct{}, 1), by: map[watcher]string{}}
		p.watched[uri] = it
	}
	it.by[w] = shown
	p.mu.Unlock()
	err := p.settle(ctx, uri, it, false)
	if err != nil {
		p.drop(w, uri)
		go func() { _ = p.settle(p.pool.ctx, uri, it, false) }() // w may have been the last subscriber
	}
	return err
}

func (p *peer) unsubscribe(ctx context.Context, w watcher, uri string) error {
	it := p.drop(w, uri)
	if it == nil {
		return nil
	}
	return p.settle(ctx, uri, it, false)
}

// drop removes w from the subscribers of a resource. It returns the watch, or nil.
func (p *peer) drop(w watcher, uri string) *watch {
	p.mu.Lock()
	defer p.mu.Unlock()
	it := p.watched[uri]
	if it != nil {
		delete(it.by, w)
	}
	return it
}

// settle subscribes to a resource at the server if the resource has subscribers, and
// unsubscribes if it has none. Concurrent callers wait for their turn. Fresh tells that the
// connection is new, so the server knows of no subscription.
func (p *peer) settle(ctx context.Context, uri string, it *watch, fresh bool) (err error) {
	select {
	case it.turn <- struct{}{}:
		defer func() { <-it.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	it.told = it.told && !fresh
	p.mu.Lock()
	wanted := len(it.by) > 0
	p.mu.Unlock()
	switch {
	case wanted && !it.told:
		if err = p.watch(ctx, uri); err == nil {
			it.told = true
		}
	case !wanted && it.told:
		err = p.unwatch(ctx, uri)
		it.told = false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(it.by) == 0 && !it.told && p.watched[uri] == it {
		delete(p.watched, uri)
	}
	return err
}

func (p *peer) watch(ctx context.Context, uri string) error {
	_, err := p.set.Do(ctx, p.name, upstream.Request{Method: "resources/subscribe", Params: fmt.Appendf(nil, `{"uri":%s}`, quoted(uri))})
	return err
}

func (p *peer) unwatch(ctx context.Context, uri string) error {
	if p.set.States()[0].Status != upstream.Ready {
		return nil // subscriptions end with their connection
	}
	_, err := p.set.Do(ctx, p.name, upstream.Request{Method: "resources/unsubscribe", Params: fmt.Appendf(nil, `{"uri":%s}`, quoted(uri))})
	return err
}

// updated notifies the subscribers of a resource, and of resources that contain it.
func (p *peer) updated(params json.RawMessage) {
	uri := textOf(splice.Get(params, wide, "uri"))
	told := map[watcher]string{}
	p.mu.Lock()
	for watched, it := range p.watched {
		if rest, ok := strings.CutPrefix(uri, watched); ok {
			for w, shown := range it.by {
				told[w] = shown + rest
			}
		}
	}
	p.mu.Unlock()
	for w, shown := range told {
		own, err := splice.Set(params, wide, quoted(shown), "uri")
		if err == nil {
			w.updated(own)
		}
	}
}

// forget removes the subscriptions of a session.
func (p *peer) forget(s *session) {
	over := map[string]*watch{}
	p.mu.Lock()
	for uri, it := range p.watched {
		for w := range it.by {
			if w.of() == s {
				delete(it.by, w)
			}
		}
		if len(it.by) == 0 {
			over[uri] = it
		}
	}
	p.mu.Unlock()
	if len(over) > 0 {
		go func() {
			for uri, it := range over {
				_ = p.settle(p.pool.ctx, uri, it, false) // on failure the server goes on notifying, but no subscriber is left
			}
		}()
	}
}
