// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
)

// lists are what is known of a server's lists on one connection.
type lists struct {
	mu    sync.Mutex
	known map[List]*cached
}

// A cached list is known until it has changed or outlived its time.
type cached struct {
	listing *listing // nil: not known
	flight  *flight[*listing]
	epoch   int // counts the changes
	of      int // the epoch of flight
}

// failureLasts is how long a list that could not be had stands for the next who asks.
const failureLasts = time.Second

func (l *lists) of(list List) *cached {
	if l.known == nil {
		l.known = map[List]*cached{}
	}
	c := l.known[list]
	if c == nil {
		c = &cached{}
		l.known[list] = c
	}
	return c
}

// notified forgets what a notification says has changed.
func (l *lists) notified(method string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range allLists {
		if list.changed() == method {
			c := l.of(list)
			c.listing = nil
			c.epoch++
		}
	}
}

// current returns the list if it is known and not outlived.
func (c *cached) current() *listing {
	if c.listing == nil || !c.listing.until.IsZero() && !time.Now().Before(c.listing.until) {
		return nil
	}
	return c.listing
}

// joinable reports whether who needs the list now may share the flight: one that goes on,
// or has failed just now, so that a server that does not answer costs all one time-out.
func (c *cached) joinable() bool {
	if c.flight == nil || c.of != c.epoch {
		return false
	}
	select {
	case <-c.flight.done:
		return c.flight.err != nil && time.Since(c.flight.ended) < failureLasts
	default:
		return true
	}
}

// get returns a list from memory, or asks for it together with all who want it now. Anew
// asks even if it is known.
func (l *lists) get(ctx context.Context, list List, anew bool, ask func() (*listing, error)) (*listing, error) {
	l.mu.Lock()
	c := l.of(list)
	if known := c.current(); known != nil && (!anew || known.fresh()) {
		l.mu.Unlock()
		return known, nil
	}
	if !c.joinable() {
		c.flight, c.of = newFlight[*listing](), c.epoch
		f, epoch := c.flight, c.epoch
		go func() {
			v, err := ask()
			l.mu.Lock()
			if err == nil && c.epoch == epoch {
				c.listing = v
			}
			l.mu.Unlock()
			f.land(v, err)
		}()
	}
	f := c.flight
	l.mu.Unlock()
	return f.wait(ctx)
}

// methodNotFound is the code of JSON-RPC for a method that a server does not have.
const methodNotFound = -32601

// list returns a list of a server, and the connection that it is of.
func (p *peer) list(ctx context.Context, list List, anew bool) (*listing, *link, error) {
	var on *link
	l, err := again(string(list), func() (*listing, error) {
		l, release, err := p.acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		on = l
		if list != Tools && !announces(l.Capabilities(), list.capability()) {
			return &listing{listed: time.Now()}, nil
		}
		return l.lists.get(ctx, list, anew, func() (*listing, error) {
			found, err := l.list(p.set.ctx, list)
			var refused *RefusedError
			if errors.As(err, &refused) && refused.Code == methodNotFound && !announces(l.Capabilities(), list.capability()) {
				found, err = &listing{listed: time.Now(), tools: call.NewCatalog(nil)}, nil // it has none
			}
			if err == nil && list == Tools {
				err = p.reviewed(found)
			}
			if err == nil {
				p.tell(list, found)
			}
			return found, err
		})
	})
	return l, on, err
}

// tell says what came of asking for the tools.
func (p *peer) tell(list List, found *listing) {
	for _, fault := range found.faults {
		p.set.log.Warn("the server lists a tool that cannot be used", "server", p.cfg.Name, "err", fault)
	}
	if list == Tools && p.set.cfg.Observer != nil {
		p.set.cfg.Observer.Listed(p.set.ctx, p.cfg.Name, found.tools)
	}
}

// reviewed reads the definitions of tools as the output layer leaves them: a refusal describes a
// tool in the tool's own words, which a model must be able to read.
func (p *peer) reviewed(found *listing) error {
	if !p.door.Gate().Reviews() {
		return nil
	}
	var tools []*call.Tool
	for _, raw := range found.pages {
		page, err := p.door.ReadTools(p.set.ctx, raw)
		if err != nil {
			return err
		}
		tools = append(tools, page.Tools...)
	}
	found.tools = call.NewCatalog(tools)
	return nil
}

// Tools returns the tools of a server, from memory if they are known. What is known lasts
// until the server says that it has changed, its ttlMs is over (but not less than a minute)
// or the connection ends. Definitions that cannot be read are left out and logged. A Set has one
// connection for all, and needs no options: they are for those who take its place.
func (s *Set) Tools(ctx context.Context, server string, _ ...CallOption) (*call.Catalog, error) {
	p, err := s.peer(server)
	if err != nil {
		return nil, err
	}
	l, _, err := p.list(ctx, Tools, false)
	if err != nil {
		return nil, err
	}
	return l.tools, nil
}

// List returns a list of a server as the pages of results that the server wrote, from memory
// if it is known (see [Set.Tools]; of other lists the ttlMs is as the server says). A page
// that the output layer changes or withholds counts as it leaves it: the error says that one
// is withheld. A server that does not announce the capability has no pages.
func (s *Set) List(ctx context.Context, server string, list List) ([]json.RawMessage, error) {
	p, err := s.peer(server)
	if err != nil {
		return nil, err
	}
	l, _, err := p.list(ctx, list, false)
	if err != nil {
		return nil, err
	}
	pages := make([]json.RawMessage, len(l.pages))
	for i, raw := range l.pages {
		v := s.look(ctx, &call.Call{Server: server}, string(list), raw)
		if !v.Go {
			return nil, withheldError(string(list), v)
		}
		pages[i] = v.Raw
	}
	return pages, nil
}

// tool returns the tools of a server, asked for once more if none has the name: some servers
// do not say that their list has changed.
func (p *peer) tool(ctx context.Context, name string) (*call.Catalog, *link, error) {
	known, on, err := p.list(ctx, Tools, false)
	if err != nil {
		return nil, nil, err
	}
	if known.tools.Tool(name) == nil && !known.fresh() {
		if found, anew, err := p.list(ctx, Tools, true); err == nil {
			known, on = found, anew
		}
	}
	return known.tools, on, nil
}

// listen asks a server since 2026-07-28 to tell of changed lists
// (basic/patterns/subscriptions). It returns when the server ends that, or the connection
// does.
func (p *peer) listen(l *link) {
	if l.meta == nil {
		return
	}
	wanted := map[string]bool{}
	for key, list := range map[string]List{"toolsListChanged": Tools, "promptsListChanged": Prompts, "resourcesListChanged": Resources} {
		if announces(l.Capabilities(), list.capability(), "listChanged") {
			wanted[key] = true
		}
	}
	if len(wanted) == 0 {
		return
	}
	_, err := l.request(p.set.ctx, "subscriptions/listen", map[string]any{"notifications": wanted})
	var gone *GoneError
	if p.set.ctx.Err() == nil && !errors.As(err, &gone) {
		p.set.log.Warn("a server tells no more of changed lists: they count as long as their ttlMs says", "server", p.cfg.Name, "err", err)
	}
}
