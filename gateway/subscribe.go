// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/internal/splice"
	"github.com/toolvet/toolvet/upstream"
)

// subscribe answers resources/subscribe and resources/unsubscribe.
func (s *session) subscribe(ctx context.Context, r *request) (json.RawMessage, error) {
	_, t, err := s.resource(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.method == "resources/subscribe" {
		err = t.subscribe(ctx, s, t.own, textOf(splice.Get(r.params, s.limits, "uri")))
	} else {
		err = t.unsubscribe(ctx, s, t.own)
	}
	if err != nil {
		return nil, t.of(err)
	}
	return json.RawMessage("{}"), nil
}

// maxWatched bounds the subscriptions at one server.
const maxWatched = 1000

// A watcher is told of a resource: a session, or a subscription since 2026-07-28.
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

// subscribe has w told of a resource, which the client calls shown.
func (p *peer) subscribe(ctx context.Context, w watcher, uri, shown string) error {
	p.mu.Lock()
	if len(p.watched) >= maxWatched {
		p.mu.Unlock()
		return fmt.Errorf("%d of its resources are subscribed to already", maxWatched)
	}
	by := p.watched[uri]
	first := by == nil
	if first {
		by = map[watcher]string{}
		p.watched[uri] = by
	}
	by[w] = shown
	p.mu.Unlock()
	if !first {
		return nil
	}
	err := p.watch(ctx, uri)
	if err != nil {
		p.mu.Lock()
		delete(p.watched, uri)
		p.mu.Unlock()
	}
	return err
}

func (p *peer) watch(ctx context.Context, uri string) error {
	_, err := p.set.Do(ctx, p.name, upstream.Request{Method: "resources/subscribe", Params: fmt.Appendf(nil, `{"uri":%s}`, quoted(uri))})
	return err
}

func (p *peer) unwatch(ctx context.Context, uri string) error {
	if p.set.States()[0].Status != upstream.Ready {
		return nil // what a connection knew has ended with it
	}
	_, err := p.set.Do(ctx, p.name, upstream.Request{Method: "resources/unsubscribe", Params: fmt.Appendf(nil, `{"uri":%s}`, quoted(uri))})
	return err
}

func (p *peer) unsubscribe(ctx context.Context, w watcher, uri string) error {
	p.mu.Lock()
	by := p.watched[uri]
	delete(by, w)
	last := by != nil && len(by) == 0
	if last {
		delete(p.watched, uri)
	}
	p.mu.Unlock()
	if !last {
		return nil
	}
	return p.unwatch(ctx, uri)
}

// updated tells those who subscribed to a resource, or to one that it is a part of.
func (p *peer) updated(params json.RawMessage) {
	uri := textOf(splice.Get(params, wide, "uri"))
	told := map[watcher]string{}
	p.mu.Lock()
	for watched, by := range p.watched {
		if rest, ok := strings.CutPrefix(uri, watched); ok {
			for w, shown := range by {
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

// forget is the end of a session.
func (p *peer) forget(s *session) {
	p.mu.Lock()
	var over []string
	for uri, by := range p.watched {
		for w := range by {
			if w.of() == s {
				delete(by, w)
			}
		}
		if len(by) == 0 {
			delete(p.watched, uri)
			over = append(over, uri)
		}
	}
	p.mu.Unlock()
	if len(over) > 0 {
		go func() {
			for _, uri := range over {
				_ = p.unwatch(p.pool.ctx, uri) // nobody is told of it any more, either way
			}
		}()
	}
}
