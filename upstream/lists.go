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
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/notice"
)

// lists caches a server's lists for one connection.
type lists struct {
	mu    sync.Mutex
	known map[listName]*cached
}

// A cached list is valid until it changes or its time is over.
type cached struct {
	listing *listing // nil: not known
	flight  *flight[*listing]
	epoch   int // counts the changes
	of      int // the epoch of flight
}

// failureLasts is how long a failure to get a list also answers the next callers.
const failureLasts = time.Second

func (l *lists) of(list listName) *cached {
	if l.known == nil {
		l.known = map[listName]*cached{}
	}
	c := l.known[list]
	if c == nil {
		c = &cached{}
		l.known[list] = c
	}
	return c
}

// notified forgets the lists that a notification reports as changed.
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

// current returns the list if it is known and its time is not over.
func (c *cached) current() *listing {
	if c.listing == nil || !c.listing.until.IsZero() && !time.Now().Before(c.listing.until) {
		return nil
	}
	return c.listing
}

// joinable reports whether the next caller may share the flight: it is under way, or it has
// just failed. Thanks to the latter, a server that does not answer costs all callers one time-out.
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

// get returns a list from memory or asks the server for it. Concurrent callers share one
// request. With anew it asks even if the list is known, unless the list is fresh.
func (l *lists) get(ctx context.Context, list listName, anew bool, ask func() (*listing, error)) (*listing, error) {
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

// methodNotFound is the JSON-RPC code for an unknown method.
const methodNotFound = -32601

// list returns a list of a server, and the connection that it came over.
func (p *peer) list(ctx context.Context, list listName, anew bool) (*listing, *link, error) {
	var on *link
	l, err := again(string(list), func() (*listing, error) {
		l, release, err := p.acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		on = l
		if list != toolsList && !announces(l.capabilities, list.capability()) {
			return &listing{listed: time.Now(), tools: call.NewCatalog(nil)}, nil
		}
		return l.lists.get(ctx, list, anew, func() (*listing, error) {
			found, err := l.list(p.set.ctx, list)
			var refused *RefusedError
			if errors.As(err, &refused) && refused.Code == methodNotFound && !announces(l.capabilities, list.capability()) {
				found, err = &listing{listed: time.Now(), tools: call.NewCatalog(nil)}, nil // the server has no such list
			}
			if err == nil && list == toolsList {
				err = p.reviewed(found)
			}
			if err == nil {
				p.tell(l, list, found)
			}
			return found, p.set.ended(err)
		})
	})
	return l, on, err
}

// tell logs the faults in a list, and the end of a slow start. It gives tools to the Observer.
func (p *peer) tell(l *link, list listName, found *listing) {
	for _, fault := range found.faults {
		p.set.log.Warn("the server lists what cannot be used", "server", p.cfg.Name, "list", list, "err", fault)
	}
	if list == toolsList {
		if took := time.Duration(l.slow.Swap(0)); took > 0 {
			p.set.log.Log(p.set.ctx, notice.Level, "a server has started", "server", p.cfg.Name, "after", took.Round(100*time.Millisecond), "tools", len(found.tools.Names()))
		}
		p.door.Listed(p.set.ctx, found.tools)
	}
}

// reviewed passes the definitions of tools through the output layer. Refusals quote the
// definitions to a model, so they must be fit for it to read.
func (p *peer) reviewed(found *listing) error {
	if !inside.Of(p.door.Gate()).Reviews() {
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

// Tools returns the tools of a server, from memory if they are known. A list stays known until
// the server reports a change, its ttlMs (at least a minute) is over or the connection ends.
// Tools leaves out unreadable definitions and logs them. A Set uses one connection for all
// callers and ignores the options. They are for types that stand in for a Set.
func (s *Set) Tools(ctx context.Context, server string, _ ...CallOption) (*call.Catalog, error) {
	p, err := s.peer(server)
	if err != nil {
		return nil, err
	}
	l, _, err := p.list(ctx, toolsList, false)
	if err != nil {
		return nil, err
	}
	return l.tools, nil
}

func (s innerSet) List(ctx context.Context, server string, method string) (pages []json.RawMessage, entries *call.Catalog, err error) {
	p, err := s.peer(server)
	if err != nil {
		return nil, nil, err
	}
	l, _, err := p.list(ctx, listName(method), false)
	if err != nil {
		return nil, nil, err
	}
	pages = make([]json.RawMessage, len(l.pages))
	for i, raw := range l.pages {
		v := s.look(ctx, &call.Call{Server: server}, method, raw)
		if !v.Go {
			return nil, nil, withheldError(method, v)
		}
		pages[i] = v.Raw
	}
	return pages, l.tools, nil
}

// tool returns the tools of a server. If none has the name, it asks the server once more: some
// servers do not report that their list has changed.
func (p *peer) tool(ctx context.Context, name string) (*call.Catalog, *link, error) {
	known, on, err := p.list(ctx, toolsList, false)
	if err != nil {
		return nil, nil, err
	}
	if known.tools.Tool(name) == nil && !known.fresh() {
		if found, anew, err := p.list(ctx, toolsList, true); err == nil {
			known, on = found, anew
		}
	}
	return known.tools, on, nil
}

// listen subscribes to changed lists of a server since 2026-07-28
// (basic/patterns/subscriptions). It returns when the subscription or the connection ends.
func (p *peer) listen(l *link) {
	if l.meta == nil {
		return
	}
	wanted := map[string]bool{}
	for key, list := range map[string]listName{"toolsListChanged": toolsList, "promptsListChanged": promptsList, "resourcesListChanged": resourcesList} {
		if announces(l.capabilities, list.capability(), "listChanged") {
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
