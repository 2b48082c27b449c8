// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// wide holds the limits for reading servers' messages. Upstream has already applied the
// servers' own limits.
var wide = call.Limits{Bytes: 64 << 20}

var (
	errNameless = errors.New("it has no name, or no URI, that is a string")
	errUnusable = errors.New("its definition cannot be read")
)

var allLists = []servers.List{servers.Tools, servers.Prompts, servers.Resources, servers.ResourceTemplates}

// member returns the key of the entries in a page of a list.
func member(list servers.List) string {
	switch list {
	case servers.Tools:
		return "tools"
	case servers.Prompts:
		return "prompts"
	case servers.Resources:
		return "resources"
	}
	return "resourceTemplates"
}

// changedMethod returns the method of the notification for a changed list.
func changedMethod(list servers.List) string {
	if list == servers.ResourceTemplates {
		list = servers.Resources
	}
	return "notifications/" + member(list) + "/list_changed"
}

// A shelf holds the last known list of a server, even while the server is down.
type shelf struct {
	pages   []json.RawMessage
	sent    *call.Catalog // the entries as sent, before the output layer
	entries []entry
	known   bool          // the server has sent the list at least once
	told    bool          // sessions have been notified of the change
	missed  bool          // a session got a merged list without it, or with a kept one
	kept    bool          // the pages are those of an earlier connection, and the server has not sent the list since
	flight  chan struct{} // closed when the server has answered or failed; nil: not asked

	outdated bool // the server has told of a change, and renew has not asked since
	renewing bool // a goroutine runs renew
}

// An entry is an entry of a server's list.
type entry struct {
	name  string          // the clients' name for it; "" for resources
	own   string          // the server's name, URI or URI template
	raw   json.RawMessage // as the server wrote it, except for the name
	shown json.RawMessage // likewise, with its own name
	sent  json.RawMessage // as the server sent it, before the output layer
	tool  *call.Tool      // the tool as the server sent it; nil for other lists
	match *regexp.Regexp  // matches the URIs of a template; nil if there is no matcher
}

// list asks the server for a list. If the server does not answer soon, list returns the last
// known one. After a wait in vain, nobody waits for this server until it has answered.
func (p *peer) list(ctx context.Context, list servers.List) (entries []entry, known bool) {
	p.mu.Lock()
	s := p.shelf(list)
	flight, late := p.fly(list, s), p.late
	p.mu.Unlock()
	if !late {
		timer := time.NewTimer(p.pool.g.cfg.patience)
		defer timer.Stop()
		select {
		case <-flight:
		case <-ctx.Done():
		case <-timer.C:
			late = true
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if late && s.flight == flight {
		p.late = true
	}
	s.missed = s.missed || !s.known
	return s.entries, s.known
}

// fly asks the server for a list unless it is asked already. P must be locked.
func (p *peer) fly(list servers.List, s *shelf) (landed chan struct{}) {
	if s.flight == nil {
		s.flight = make(chan struct{})
		go p.refresh(list, s)
	}
	return s.flight
}

// fromMemory is how long it may take to get a list from memory.
const fromMemory = 10 * time.Millisecond

// patience returns how long to wait for the server now.
func (p *peer) patience() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late {
		return fromMemory
	}
	return p.pool.g.cfg.patience
}

// remembered returns the last known list, and asks the server only if there is none.
func (p *peer) remembered(ctx context.Context, list servers.List) (entries []entry, known bool) {
	p.mu.Lock()
	if s := p.shelf(list); s.known {
		defer p.mu.Unlock()
		return s.entries, true
	}
	p.mu.Unlock()
	return p.list(ctx, list)
}

// shelf returns the shelf of a list. P must be locked.
func (p *peer) shelf(list servers.List) *shelf {
	s := p.shelves[list]
	if s == nil {
		s = &shelf{}
		p.shelves[list] = s
	}
	return s
}

// refresh gets a list from the Set, from its memory or from the server.
func (p *peer) refresh(list servers.List, s *shelf) {
	pages, sent, err := servers.Of(p.set).List(p.pool.ctx, p.name, list)
	var refused *upstream.RefusedError
	if errors.As(err, &refused) && refused.Code == methodNotFound { // the server does not have this list
		pages, sent, err = nil, nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	close(s.flight)
	s.flight = nil
	if err != nil {
		p.late = true
		p.pool.g.log.Debug("a list is as it was last known", "server", p.name, "list", list)
		return
	}
	changed := !slices.EqualFunc(pages, s.pages, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	news := changed && !s.told && (s.known || s.missed)
	if changed || sent != s.sent {
		s.pages, s.sent, s.entries = pages, sent, p.entries(list, pages, sent)
	}
	s.known, p.late, s.told, s.missed, s.kept = true, false, false, false, false
	if changed {
		go p.pool.learnt(list, news)
	}
}

// learnt handles a changed list. With news it notifies the sessions.
func (p *pool) learnt(list servers.List, news bool) {
	if news {
		p.listChanged(list)
		return
	}
	p.disown()
}

// disown makes the next use find the owners of resources anew.
func (p *pool) disown() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owned = nil
}

// entries reads pages. It leaves out unreadable entries.
func (p *peer) entries(list servers.List, pages []json.RawMessage, sent *call.Catalog) []entry {
	var all []entry
	seen := map[string]bool{}
	for _, page := range pages {
		elements, err := strictjson.Elements(splice.Get(page, wide, member(list)), wide)
		if err != nil {
			p.pool.g.log.Warn("a page of a list cannot be read", "server", p.name, "list", list, "err", err)
			continue
		}
		for _, raw := range elements {
			e, err := p.entry(list, raw, sent)
			if err != nil {
				p.pool.g.log.Warn("an entry of a list cannot be used", "server", p.name, "list", list, "err", err)
			}
			if key := e.name + " " + e.own; err == nil && !seen[key] {
				seen[key] = true
				all = append(all, e)
			}
		}
	}
	return all
}

// keyOf returns the member that identifies an entry of a list.
func keyOf(list servers.List) string {
	switch list {
	case servers.Resources:
		return "uri"
	case servers.ResourceTemplates:
		return "uriTemplate"
	}
	return "name"
}

func (p *peer) entry(list servers.List, raw []byte, sent *call.Catalog) (e entry, err error) {
	if err := json.Unmarshal(splice.Get(raw, wide, keyOf(list)), &e.own); err != nil {
		return e, errNameless
	}
	e.raw, e.shown, e.sent = raw, raw, raw
	if t := sent.Tool(e.own); t != nil && t.Fault == nil { // of two definitions, this one is compared
		e.sent = t.AsSent()
	}
	switch list {
	case servers.ResourceTemplates:
		e.match = matcher(e.own)
		return e, nil
	case servers.Resources:
		return e, nil
	case servers.Tools:
		if e.tool = sent.Tool(e.own); e.tool == nil {
			return e, errUnusable
		}
	}
	e.name = Expose(p.name, e.own)
	e.raw, err = splice.Set(raw, wide, quoted(e.name), "name")
	return e, err
}

// quoted encodes a string as JSON.
func quoted(s string) []byte {
	raw, err := json.Marshal(s)
	if err != nil { // cannot happen: strings can be encoded
		return []byte(`""`)
	}
	return raw
}
