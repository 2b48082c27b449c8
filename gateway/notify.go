// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// notificationLine encodes a notification as one line.
func notificationLine(method string, params json.RawMessage) []byte {
	if params == nil {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`, method)
	}
	return strictjson.OneLine(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// notified handles a notification of the server. It must return soon.
func (p *peer) notified(n upstream.Notification) {
	for _, list := range allLists {
		if n.Method == changedMethod(list) {
			p.outdated(list)
		}
	}
	p.pool.hear(n)
	if strings.HasPrefix(n.Method, "notifications/resources/") {
		p.pool.g.validator.ResourcesChanged()
	}
	switch n.Method {
	case "notifications/message":
		p.logged(n.Params)
	case "notifications/resources/updated":
		p.updated(n.Params)
	case "notifications/elicitation/complete":
		p.pool.each(func(s *session) { s.notify(n.Method, n.Params) })
	}
}

// outdated notifies the sessions of a changed list, and asks the server for it again.
func (p *peer) outdated(list servers.List) {
	p.mu.Lock()
	s := p.shelf(list)
	s.told = true
	begin := s.known && !s.renewing
	s.outdated, s.renewing = s.known, s.renewing || begin
	p.mu.Unlock()
	p.pool.listChanged(list)
	if begin {
		go p.renew(list, s)
	}
}

// renew asks the server for a list until there is no newer notification of a change. One goroutine does so
// for a list, however many notifications come.
func (p *peer) renew(list servers.List, s *shelf) {
	again := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		s.renewing, s.outdated = s.outdated, false
		return s.renewing
	}
	for again() {
		p.list(p.pool.ctx, list)
	}
}

// notify sends a notification to the client if it is ready for notifications, and to its
// subscriptions that asked for the method.
func (s *session) notify(method string, params json.RawMessage) {
	s.mu.Lock()
	ready := s.ready
	var wanted []*listen
	for _, l := range s.listens {
		if slices.Contains(l.methods, method) {
			wanted = append(wanted, l)
		}
	}
	s.mu.Unlock()
	if ready {
		s.out.offer(notificationLine(method, params))
	}
	for _, l := range wanted {
		l.notify(method, params)
	}
}

// severities are the levels of log messages (RFC 5424, section 6.2.1), the least severe first.
var severities = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// defaultLevel is the log level of sessions until they set one.
const defaultLevel = "info"

// logged passes a log message on to the sessions that want its level. Its logger names the
// server.
func (p *peer) logged(params json.RawMessage) {
	level := slices.Index(severities, textOf(splice.Get(params, wide, "level")))
	params, err := splice.Edit(params, wide, []string{"logger"}, func(logger []byte) ([]byte, error) {
		name := p.name
		if own := textOf(logger); own != "" {
			name += "/" + own
		}
		return quoted(name), nil
	})
	if err != nil {
		return
	}
	p.pool.each(func(s *session) {
		if level >= slices.Index(severities, s.wantedLevel()) {
			s.notify("notifications/message", params)
		}
	})
}

func (s *session) wantedLevel() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.level == "" {
		return defaultLevel
	}
	return s.level
}

// setLevel sets the client's log level. It sets the servers' level to the lowest that any
// session of the pool wants.
func (s *session) setLevel(ctx context.Context, r *request) (json.RawMessage, error) {
	level := textOf(r.params.Get("level"))
	if !slices.Contains(severities, level) {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: `"level" must be one of ` + strings.Join(severities, ", ")}
	}
	p, err := s.connections()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.level = level
	s.mu.Unlock()
	p.each(func(other *session) {
		other.mu.Lock()
		defer other.mu.Unlock()
		if other.level != "" && slices.Index(severities, other.level) < slices.Index(severities, level) {
			level = other.level
		}
	})
	for _, peer := range p.all() {
		err := peer.permit(ctx, s, r, r.method, fmt.Appendf(nil, `{"level":%q}`, level), func() error {
			go peer.setLevel(p.ctx, level) // a server that hangs holds up nobody
			return nil
		})
		if err != nil {
			s.g.log.Debug("a client may not set the level of a server's log messages", "server", peer.name)
		}
	}
	return json.RawMessage("{}"), nil
}

func (p *peer) setLevel(ctx context.Context, level string) {
	p.mu.Lock()
	p.level = level
	p.mu.Unlock()
	if !p.pool.g.featuresOf(p.name).logging || p.set.States()[0].Status != upstream.Ready {
		return // connected sets the level later
	}
	_, err := p.set.Do(ctx, p.name, upstream.Request{Method: "logging/setLevel", Params: fmt.Appendf(nil, `{"level":%q}`, level)})
	if err != nil {
		p.pool.g.log.Debug("a server does not take the level of its log messages", "server", p.name)
	}
}
