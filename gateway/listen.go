// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// A listen is a subscription since 2026-07-28: a request answered by notifications.
type listen struct {
	s       *session
	id      json.RawMessage
	methods []string // the notifications of changed lists that it asks for
	ended   chan struct{}
}

func (l *listen) of() *session { return l.s }

func (l *listen) updated(params json.RawMessage) { l.notify(updatedMethod, params) }

func (l *listen) notify(method string, params json.RawMessage) {
	params, err := splice.Set(params, wide, l.id, "_meta", subscriptionKey)
	if err == nil {
		l.s.out.offer(notificationLine(method, params))
	}
}

// maxListens bounds the subscriptions of a session. All requests of one principal that speak
// 2026-07-28 are one session.
const maxListens = 1024

// listen answers subscriptions/listen. It sends the notifications asked for until the client
// or the session ends the subscription (2026-07-28, basic/patterns/subscriptions).
func (s *session) listen(ctx context.Context, r *request) (json.RawMessage, error) {
	l := &listen{s: s, id: r.id, ended: make(chan struct{})}
	var wanted struct {
		Tools     bool     `json:"toolsListChanged,omitempty"`
		Prompts   bool     `json:"promptsListChanged,omitempty"`
		Resources bool     `json:"resourcesListChanged,omitempty"`
		URIs      []string `json:"resourceSubscriptions,omitempty"`
	}
	if err := json.Unmarshal(r.params.Get("notifications"), &wanted); err != nil || !r.modern {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: `"notifications" must say what is to be told, and since 2026-07-28`}
	}
	p, err := s.connections()
	if err != nil {
		return nil, err
	}
	for list, want := range map[servers.List]bool{servers.Tools: wanted.Tools, servers.Prompts: wanted.Prompts, servers.Resources: wanted.Resources} {
		if want {
			l.methods = append(l.methods, changedMethod(list))
		}
	}
	granted := []string{}
	for _, uri := range wanted.URIs[:min(len(wanted.URIs), maxWatched)] {
		t, err := p.locate(ctx, uri)
		if err != nil || !s.g.featuresOf(t.name).subscribe {
			continue
		}
		err = t.permit(ctx, s, r, "resources/subscribe", fmt.Appendf(nil, `{"uri":%s}`, quoted(t.own)), func() error { return t.subscribe(ctx, l, t.own, uri) })
		if err == nil {
			granted = append(granted, uri)
			defer func() { _ = t.unsubscribe(p.ctx, l, t.own) }()
		}
	}
	wanted.URIs = granted
	params, err := json.Marshal(map[string]any{"notifications": wanted})
	if err != nil {
		return nil, err
	}
	if err := s.begins(l); err != nil {
		return nil, err
	}
	defer s.ends(l)
	l.notify("notifications/subscriptions/acknowledged", params)
	if len(l.methods)+len(granted) > 0 {
		s.rest(ctx, l)
	}
	return fmt.Appendf(nil, `{"resultType":"complete","_meta":{%q:%s}}`, subscriptionKey, r.id), nil
}

// rest waits for the end of a subscription. Meanwhile the request does not hold up a shutdown.
func (s *session) rest(ctx context.Context, l *listen) {
	s.g.leave()
	defer s.g.reenter()
	select {
	case <-ctx.Done():
	case <-l.ended:
	}
}

func (s *session) begins(l *listen) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listens) >= maxListens {
		return fmt.Errorf("there are %d subscriptions already", maxListens)
	}
	if s.ctx.Err() != nil {
		return errors.New("the session ends")
	}
	s.listens[jsonrpc.IDKey(l.id)] = l
	return nil
}

func (s *session) ends(l *listen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listens[jsonrpc.IDKey(l.id)] == l {
		delete(s.listens, jsonrpc.IDKey(l.id))
	}
}

// stopListening ends all subscriptions.
func (s *session) stopListening() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, l := range s.listens {
		delete(s.listens, key)
		close(l.ended)
	}
}
