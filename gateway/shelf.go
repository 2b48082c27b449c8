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
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// wide are the limits of what servers send, which upstream has held to its own.
var wide = call.Limits{Bytes: 64 << 20}

var (
	errNameless = errors.New("it has no name, or no URI, that is a string")
	errUnusable = errors.New("its definition cannot be read")
)

var allLists = []upstream.List{upstream.Tools, upstream.Prompts, upstream.Resources, upstream.ResourceTemplates}

// member is the member of a page that holds the entries of a list.
func member(list upstream.List) string {
	switch list {
	case upstream.Tools:
		return "tools"
	case upstream.Prompts:
		return "prompts"
	case upstream.Resources:
		return "resources"
	}
	return "resourceTemplates"
}

// changedMethod is the notification that a list is another.
func changedMethod(list upstream.List) string {
	if list == upstream.ResourceTemplates {
		list = upstream.Resources
	}
	return "notifications/" + member(list) + "/list_changed"
}

// A shelf is what is known of a list of a server, also while the server is down.
type shelf struct {
	pages   []json.RawMessage
	sent    *call.Catalog // of the list of tools, before the output layer has looked at it
	entries []entry
	known   bool          // the server has listed it once
	told    bool          // sessions know already that it has changed
	missed  bool          // somebody was given a list without it
	flight  chan struct{} // closed when the server has answered, or will not; nil: nobody asks
}

// An entry is one thing that a server lists.
type entry struct {
	name  string          // what clients call it; "" for resources
	own   string          // what its server calls it: a name, a URI or a template of URIs
	raw   json.RawMessage // as the server wrote it, but for the name
	tool  *call.Tool      // of a tool: as the server sent it
	match *regexp.Regexp  // of a template; nil if it cannot be one
}

// list returns a list of the server: a new one if that comes soon, else what is known. A
// server that was waited for in vain is not waited for until it has answered.
func (p *peer) list(ctx context.Context, list upstream.List) (entries []entry, known bool) {
	p.mu.Lock()
	s := p.shelf(list)
	if s.flight == nil {
		s.flight = make(chan struct{})
		go p.refresh(list, s)
	}
	flight, late := s.flight, p.late
	p.mu.Unlock()
	if !late {
		timer := time.NewTimer(p.pool.g.cfg.Patience)
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

// fromMemory is how long it may take to have what is in memory.
const fromMemory = 10 * time.Millisecond

// patience is how long the server is waited for now.
func (p *peer) patience() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late {
		return fromMemory
	}
	return p.pool.g.cfg.Patience
}

// remembered returns what is known of a list, and asks only if nothing is.
func (p *peer) remembered(ctx context.Context, list upstream.List) (entries []entry, known bool) {
	p.mu.Lock()
	if s := p.shelf(list); s.known {
		defer p.mu.Unlock()
		return s.entries, true
	}
	p.mu.Unlock()
	return p.list(ctx, list)
}

// shelf is that of a list. P must be locked.
func (p *peer) shelf(list upstream.List) *shelf {
	s := p.shelves[list]
	if s == nil {
		s = &shelf{}
		p.shelves[list] = s
	}
	return s
}

// refresh asks the server for a list, which may be in memory.
func (p *peer) refresh(list upstream.List, s *shelf) {
	pages, err := p.set.List(p.pool.ctx, p.name, list)
	var sent *call.Catalog
	if list == upstream.Tools && err == nil {
		sent, err = p.set.Tools(p.pool.ctx, p.name)
	}
	var refused *upstream.RefusedError
	if errors.As(err, &refused) && refused.Code == methodNotFound { // it has no such things
		pages, err = nil, nil
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
	s.known, p.late, s.told, s.missed = true, false, false, false
	if changed {
		go p.pool.learnt(list, news)
	}
}

// learnt notes that more is known of a list; with news the sessions are told.
func (p *pool) learnt(list upstream.List, news bool) {
	if news {
		p.listChanged(list)
		return
	}
	p.disown()
}

// disown has it found anew whose resources are.
func (p *pool) disown() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owned = nil
}

// entries reads pages. What cannot be read is left out.
func (p *peer) entries(list upstream.List, pages []json.RawMessage, sent *call.Catalog) []entry {
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

// keyOf is the member that an entry of a list is known by.
func keyOf(list upstream.List) string {
	switch list {
	case upstream.Resources:
		return "uri"
	case upstream.ResourceTemplates:
		return "uriTemplate"
	}
	return "name"
}

func (p *peer) entry(list upstream.List, raw []byte, sent *call.Catalog) (e entry, err error) {
	if err := json.Unmarshal(splice.Get(raw, wide, keyOf(list)), &e.own); err != nil {
		return e, errNameless
	}
	e.raw = raw
	switch list {
	case upstream.ResourceTemplates:
		e.match = matcher(e.own)
		return e, nil
	case upstream.Resources:
		return e, nil
	case upstream.Tools:
		if e.tool = sent.Tool(e.own); e.tool == nil {
			return e, errUnusable
		}
	}
	e.name = Expose(p.name, e.own)
	e.raw, err = splice.Set(raw, wide, quoted(e.name), "name")
	return e, err
}

// quoted is a string as JSON.
func quoted(s string) []byte {
	raw, err := json.Marshal(s)
	if err != nil { // a string can be encoded
		return []byte(`""`)
	}
	return raw
}
